-- The last use of a session: when, with what and from where.
CREATE TABLE session_uses (
    digest bytea PRIMARY KEY REFERENCES sessions (digest) ON DELETE CASCADE,
    at bigint NOT NULL,
    place text NOT NULL
);

-- Sign-ins, failures, recoveries, tokens, and what operators did.
CREATE TABLE security_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    event text NOT NULL,
    account bigint REFERENCES accounts (id) ON DELETE CASCADE,
    by_account bigint REFERENCES accounts (id) ON DELETE SET NULL,
    about text NOT NULL,
    place text NOT NULL
);
CREATE INDEX security_log_of ON security_log (account);
CREATE INDEX security_log_by ON security_log (by_account);

-- Second factors: the key that an authenticator app shares with the server.
CREATE TABLE second_factors (
    account bigint PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret bytea NOT NULL,
    -- The newest step of thirty seconds whose code was used: none is used twice.
    last_step bigint NOT NULL
);

-- Codes that count once, for whoever has lost the app.
CREATE TABLE recovery_codes (
    account bigint NOT NULL REFERENCES second_factors (account) ON DELETE CASCADE,
    digest bytea NOT NULL,
    PRIMARY KEY (account, digest)
);

-- Accounts that may not write, or not sign in; without an end, until an operator lifts it.
CREATE TABLE restraints (
    account bigint PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    kind text NOT NULL,
    until bigint,
    why text NOT NULL
);

-- What players told the operator of.
CREATE TABLE reports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    by_account bigint REFERENCES accounts (id) ON DELETE SET NULL,
    game text NOT NULL,
    about text NOT NULL,
    why text NOT NULL,
    settled_at bigint
);
CREATE INDEX reports_by ON reports (by_account);
