-- Refresh tokens of a grant have a first half in common, whose SHA-256 is `family_hash`: a used one is known by it when its row is gone.
ALTER TABLE oauth_tokens ADD COLUMN family_hash bytea;
CREATE INDEX oauth_tokens_of_family ON oauth_tokens (family_hash) WHERE family_hash IS NOT NULL;
