-- What somebody is writing and has not posted: each form of a game has one draft of each account.
CREATE TABLE drafts (
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game text NOT NULL,
    form text NOT NULL,
    title text NOT NULL,
    at bigint NOT NULL,
    fields text NOT NULL,
    PRIMARY KEY (account, game, form)
);
