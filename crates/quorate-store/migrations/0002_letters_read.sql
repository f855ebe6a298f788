-- How far an account has read a conversation of private messages in a game.
CREATE TABLE letters_read (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    -- The others in it, as addresses name them.
    circle TEXT NOT NULL,
    -- The newest event whose messages were shown.
    up_to INTEGER NOT NULL,
    PRIMARY KEY (account, game, circle)
) STRICT, WITHOUT ROWID;
