-- "QUOR": tells a store of Quorate's from any other SQLite file.
PRAGMA application_id = 0x51554F52;

-- What this server is: one row.
CREATE TABLE server (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    -- Rises by one with each process that owns the store; each append checks it.
    lease INTEGER NOT NULL,
    -- When the server was last known to be up, in milliseconds of UTC. All moments here are such.
    beat INTEGER
) STRICT;
INSERT INTO server (only, lease) VALUES (1, 0);

CREATE TABLE outages (
    until INTEGER PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT;

CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    -- The game's word in addresses.
    word TEXT NOT NULL UNIQUE,
    -- 0 while the game is being brought in from elsewhere.
    whole INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    head_at INTEGER NOT NULL,
    next_due INTEGER,
    -- Only where the game came from another server.
    secret BLOB
) STRICT;

-- The logs. `place` is the game's id times 2^40 plus the event's number, so that a game's events lie together and in
-- order without an index of their own.
CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    open BLOB NOT NULL
) STRICT;

CREATE TABLE receipts (
    game INTEGER NOT NULL,
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (game, actor, key)
) STRICT, WITHOUT ROWID;

-- What lies beside the logs. Without salt and bytes: forgotten, and never to be kept again.
CREATE TABLE seals (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    salt BLOB,
    bytes BLOB
) STRICT;

CREATE TABLE snapshots (
    game INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    at INTEGER NOT NULL,
    digest BLOB NOT NULL,
    open BLOB NOT NULL,
    PRIMARY KEY (game, seq)
) STRICT;

CREATE TABLE accounts (
    -- Never given out twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    -- Name and address in lower case, for they are unique whatever their case.
    name_key TEXT NOT NULL UNIQUE,
    mail TEXT,
    mail_key TEXT UNIQUE,
    password TEXT,
    operator INTEGER NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    digest BLOB PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    began_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of ON sessions (account);

CREATE TABLE tokens (
    digest BLOB PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    ends_at INTEGER
) STRICT;
CREATE INDEX tokens_of ON tokens (account);

CREATE TABLE invitations (
    digest BLOB PRIMARY KEY,
    made_by INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT,
    uses_left INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_by ON invitations (made_by);

CREATE TABLE recoveries (
    digest BLOB PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX recoveries_of ON recoveries (account);

CREATE TABLE seats (
    game TEXT NOT NULL,
    player TEXT NOT NULL,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (game, player),
    UNIQUE (game, account)
) STRICT;
CREATE INDEX seats_of ON seats (account);
