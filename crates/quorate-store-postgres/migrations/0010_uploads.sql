-- Pictures that people put into what they write, by the word with which texts name them.
CREATE TABLE uploads (
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game text NOT NULL,
    word text NOT NULL,
    at bigint NOT NULL,
    file bytea NOT NULL,
    PRIMARY KEY (account, game, word)
);
CREATE INDEX uploads_of_games ON uploads (game, word);
