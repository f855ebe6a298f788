-- What rules sent on the day of the last event that was read, as JSON: which day, and how much by whom.
ALTER TABLE followed_games ADD COLUMN budget text NOT NULL DEFAULT '[0,{}]';
-- Of which kinds an account's own channel is told; of all where nothing is said.
ALTER TABLE channels ADD COLUMN own_kinds text;
-- Until when nothing leaves, since the receiver took nothing the last time.
ALTER TABLE channels ADD COLUMN held_until bigint;
