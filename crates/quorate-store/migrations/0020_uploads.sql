-- Pictures that people put into what they write, by the word with which texts name them.
CREATE TABLE uploads (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    word TEXT NOT NULL,
    at INTEGER NOT NULL,
    file BLOB NOT NULL,
    PRIMARY KEY (account, game, word)
) STRICT;
CREATE INDEX uploads_of_games ON uploads (game, word);
