-- The index in which words of games are found. A cache beside the log: it can be thrown away.

-- How far the log of each game was followed.
CREATE TABLE search_points (
    game INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    form INTEGER NOT NULL,
    terms BLOB NOT NULL
) STRICT;

-- What can be found, without its words.
CREATE TABLE search_texts (
    id INTEGER PRIMARY KEY,
    game INTEGER NOT NULL,
    key TEXT NOT NULL,
    part TEXT NOT NULL,
    category TEXT NOT NULL,
    author TEXT,
    at INTEGER NOT NULL,
    UNIQUE (game, key)
) STRICT;
CREATE INDEX search_texts_at ON search_texts (game, at);

-- The words, under the same ids. `game` holds one word, the letter g and the game's id, for all games share the index.
CREATE VIRTUAL TABLE search_words USING fts5 (game, title, text, tokenize = "unicode61 remove_diacritics 0", detail = full);
-- What is taken out is overwritten in the index too, not only marked as gone.
INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER search_texts_gone AFTER DELETE ON search_texts BEGIN
    DELETE FROM search_words WHERE rowid = old.id;
END;

-- Which seals' words are in a text: with any of them it leaves.
CREATE TABLE search_seals (
    digest BLOB NOT NULL,
    text INTEGER NOT NULL REFERENCES search_texts (id) ON DELETE CASCADE,
    PRIMARY KEY (digest, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_seals_of ON search_seals (text);

-- What left because words of it were forgotten, until what is left of it is taken in again.
CREATE TABLE search_waiting (
    game INTEGER NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (game, key)
) STRICT, WITHOUT ROWID;
