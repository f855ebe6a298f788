-- How far the log of each game was followed for notices. Games that were here before begin at their end.
CREATE TABLE followed_games (
    game text PRIMARY KEY,
    seq bigint NOT NULL,
    -- When the game is to be looked at again though nothing happened.
    look_at bigint,
    -- What stands and was told, as JSON: its word, with the event at which it began to.
    standing text NOT NULL
);
INSERT INTO followed_games (game, seq, standing) SELECT word, head_seq, '{}' FROM games;

-- Which node delivers: one row.
CREATE TABLE delivery (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    node text,
    incarnation bigint
);
INSERT INTO delivery DEFAULT VALUES;

-- The ways on which messages leave.
CREATE TABLE channels (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Of one game, or of all that the account plays in.
    game text,
    -- Where it is for a room and sees what a stranger sees: the kinds of news, separated by spaces.
    room_kinds text,
    sort text NOT NULL,
    address text NOT NULL,
    secret text NOT NULL,
    made_at bigint NOT NULL,
    confirmed_at bigint,
    -- Why nothing leaves any more.
    paused text,
    failures bigint NOT NULL DEFAULT 0
);
CREATE INDEX channels_of ON channels (account);
CREATE INDEX channels_in ON channels (game);

-- Notices on channels: what they are about, and no word of them.
CREATE TABLE letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel bigint NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    -- Letters of one channel and bundle leave as one message.
    bundle text NOT NULL,
    game text NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    topic text NOT NULL,
    at bigint NOT NULL,
    due_at bigint NOT NULL,
    tries bigint NOT NULL DEFAULT 0,
    standing text NOT NULL DEFAULT 'waiting',
    trouble text NOT NULL DEFAULT '',
    done_at bigint,
    UNIQUE (channel, game, seq, kind, topic)
);
CREATE INDEX letters_due ON letters (due_at) WHERE standing = 'waiting';
CREATE INDEX letters_bundled ON letters (channel, bundle);

-- How soon somebody hears of what; an empty game means all of them.
CREATE TABLE notice_choices (
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game text NOT NULL,
    kind text NOT NULL,
    pace text NOT NULL,
    PRIMARY KEY (account, game, kind)
);

CREATE TABLE reading_hours (
    account bigint PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    zone text NOT NULL,
    hour bigint NOT NULL,
    day bigint NOT NULL,
    quiet_from bigint,
    quiet_to bigint
);

CREATE TABLE interests (
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    game text NOT NULL,
    what text NOT NULL,
    follows boolean NOT NULL,
    PRIMARY KEY (account, game, what)
);

-- The key by which push services know this site.
CREATE TABLE push_keys (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    pkcs8 bytea NOT NULL
);
