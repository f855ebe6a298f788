-- Ways into accounts from elsewhere: what an issuer calls somebody.
CREATE TABLE outside_ways (
    issuer text NOT NULL,
    subject text NOT NULL,
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    label text NOT NULL,
    linked_at bigint NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX outside_ways_of ON outside_ways (account);
