-- What waits is looked up by when it is due, and by its channel, without a look at the letters that have left.
DROP INDEX letters_due;
CREATE INDEX letters_due ON letters (due_at, channel) WHERE standing = 'waiting';
CREATE INDEX letters_waiting ON letters (channel, due_at) WHERE standing = 'waiting';
CREATE INDEX channels_held ON channels (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX interests_in ON interests (game);
