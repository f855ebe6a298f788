-- Second factors: the key that an authenticator app shares with the server.
CREATE TABLE second_factors (
    account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret BLOB NOT NULL,
    -- The newest step of thirty seconds whose code was used: none is used twice.
    last_step INTEGER NOT NULL
) STRICT;

-- Codes that count once, for whoever has lost the app.
CREATE TABLE recovery_codes (
    account INTEGER NOT NULL REFERENCES second_factors (account) ON DELETE CASCADE,
    digest BLOB NOT NULL,
    PRIMARY KEY (account, digest)
) STRICT, WITHOUT ROWID;
