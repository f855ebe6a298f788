-- What a token may do beside reading. Those of before may do everything.
ALTER TABLE tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT 'vote post act admin';
-- The one game that it is for; none where it is for all.
ALTER TABLE tokens ADD COLUMN game TEXT;

-- The key by which push services know this server.
CREATE TABLE push_keys (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pkcs8 BLOB NOT NULL
) STRICT;
