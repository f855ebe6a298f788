-- When the operator took the game off the site; empty for all that are there.
ALTER TABLE games ADD COLUMN removed_at INTEGER;
