-- What somebody is writing and has not posted: each form of a game has one draft of each account.
CREATE TABLE drafts (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    form TEXT NOT NULL,
    title TEXT NOT NULL,
    at INTEGER NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (account, game, form)
) STRICT;
