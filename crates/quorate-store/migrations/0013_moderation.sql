-- Accounts that may not write, or not sign in; without an end, until an operator lifts it.
CREATE TABLE restraints (
    account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    until INTEGER,
    why TEXT NOT NULL
) STRICT;

-- What players told the operator of.
CREATE TABLE reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    by_account INTEGER REFERENCES accounts (id) ON DELETE SET NULL,
    game TEXT NOT NULL,
    about TEXT NOT NULL,
    why TEXT NOT NULL,
    settled_at INTEGER
) STRICT;
CREATE INDEX reports_by ON reports (by_account);
