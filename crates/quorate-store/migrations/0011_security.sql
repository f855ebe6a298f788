-- The last use of a session: when, with what and from where.
CREATE TABLE session_uses (
    digest BLOB PRIMARY KEY REFERENCES sessions (digest) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    place TEXT NOT NULL
) STRICT;

-- Sign-ins, failures, recoveries, tokens, and what operators did.
CREATE TABLE security_log (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    account INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
    by_account INTEGER REFERENCES accounts (id) ON DELETE SET NULL,
    about TEXT NOT NULL,
    place TEXT NOT NULL
) STRICT;
CREATE INDEX security_log_of ON security_log (account);
CREATE INDEX security_log_by ON security_log (by_account);
