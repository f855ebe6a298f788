-- The index in which words of games are found. A cache beside the log: it can be thrown away.

-- How far the log of each game was followed.
CREATE TABLE search_points (
    game bigint PRIMARY KEY,
    seq bigint NOT NULL,
    form bigint NOT NULL,
    terms bytea NOT NULL
);

CREATE TABLE search_texts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    part text NOT NULL,
    category text NOT NULL,
    author text,
    at bigint NOT NULL,
    title tsvector NOT NULL,
    -- Those of the title too, and a gap between.
    words tsvector NOT NULL,
    -- Whether not every place of every word is known, for there are too many.
    is_long boolean NOT NULL,
    UNIQUE (game, key)
);
CREATE INDEX search_texts_at ON search_texts (game, at);
CREATE INDEX search_texts_words ON search_texts USING gin (words);

-- Which seals' words are in a text: with any of them it leaves.
CREATE TABLE search_seals (
    digest bytea NOT NULL,
    text bigint NOT NULL REFERENCES search_texts (id) ON DELETE CASCADE,
    PRIMARY KEY (digest, text)
);
CREATE INDEX search_seals_of ON search_seals (text);

-- What left because words of it were forgotten, until what is left of it is taken in again.
CREATE TABLE search_waiting (
    game bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    PRIMARY KEY (game, key)
);
