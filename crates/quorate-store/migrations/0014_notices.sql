-- How far the log of each game was followed for notices. Games that were here before begin at their end.
CREATE TABLE followed_games (
    game TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    -- When the game is to be looked at again though nothing happened.
    look_at INTEGER,
    -- What stands and was told, as JSON: its word, with the event at which it began to.
    standing TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO followed_games (game, seq, standing) SELECT word, head_seq, '{}' FROM games;

-- The ways on which messages leave.
CREATE TABLE channels (
    -- Never given out twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Of one game, or of all that the account plays in.
    game TEXT,
    -- Where it is for a room and sees what a stranger sees: the kinds of news, separated by spaces.
    room_kinds TEXT,
    sort TEXT NOT NULL,
    address TEXT NOT NULL,
    secret TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    confirmed_at INTEGER,
    -- Why nothing leaves any more.
    paused TEXT,
    failures INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX channels_of ON channels (account);
CREATE INDEX channels_in ON channels (game);

-- Notices on channels: what they are about, and no word of them.
CREATE TABLE letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    -- Letters of one channel and bundle leave as one message.
    bundle TEXT NOT NULL,
    game TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    topic TEXT NOT NULL,
    at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    standing TEXT NOT NULL DEFAULT 'waiting',
    trouble TEXT NOT NULL DEFAULT '',
    done_at INTEGER,
    UNIQUE (channel, game, seq, kind, topic)
) STRICT;
CREATE INDEX letters_due ON letters (due_at) WHERE standing = 'waiting';
CREATE INDEX letters_bundled ON letters (channel, bundle);

-- How soon somebody hears of what; an empty game means all of them.
CREATE TABLE notice_choices (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    kind TEXT NOT NULL,
    pace TEXT NOT NULL,
    PRIMARY KEY (account, game, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE reading_hours (
    account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    zone TEXT NOT NULL,
    hour INTEGER NOT NULL,
    day INTEGER NOT NULL,
    quiet_from INTEGER,
    quiet_to INTEGER
) STRICT;

CREATE TABLE interests (
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game TEXT NOT NULL,
    what TEXT NOT NULL,
    follows INTEGER NOT NULL,
    PRIMARY KEY (account, game, what)
) STRICT, WITHOUT ROWID;
