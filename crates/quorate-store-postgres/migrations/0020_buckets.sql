-- How often somebody may still knock, for all nodes together. After a crash, and on a standby, all are full.
CREATE UNLOGGED TABLE buckets (
    -- A digest of what the bucket is for and whose it is.
    whose bytea PRIMARY KEY,
    -- In thousandths of a token.
    level bigint NOT NULL,
    -- When the level was noted, in milliseconds of the database's clock.
    at bigint NOT NULL,
    -- When the bucket is full again, whatever happens.
    full_at bigint NOT NULL
);
CREATE INDEX buckets_full ON buckets (full_at);
