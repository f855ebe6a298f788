-- Passkeys: the public half of each, by what browsers know it by.
CREATE TABLE passkeys (
    id bytea PRIMARY KEY,
    account bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    label text NOT NULL,
    made_at bigint NOT NULL,
    used_at bigint
);
CREATE INDEX passkeys_of ON passkeys (account);
