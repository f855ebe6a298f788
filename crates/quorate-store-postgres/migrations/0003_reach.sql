-- What a token may do beside reading. Those of before may do everything.
ALTER TABLE tokens ADD COLUMN scopes text NOT NULL DEFAULT 'vote post act admin';
-- The one game that it is for; none where it is for all.
ALTER TABLE tokens ADD COLUMN game text;
