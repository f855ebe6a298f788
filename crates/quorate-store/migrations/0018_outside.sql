-- Ways into accounts from elsewhere: what an issuer calls somebody.
CREATE TABLE outside_ways (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX outside_ways_of ON outside_ways (account);
