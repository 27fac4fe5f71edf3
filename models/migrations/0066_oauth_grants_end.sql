-- When the last token of a grant expires, so that grants that have ended are found without a look at those that live.

-- Null for a code that was not exchanged, and for a grant of the version before until its next refresh.
ALTER TABLE oauth_grants ADD COLUMN tokens_expire_time timestamptz;
CREATE INDEX oauth_grants_end ON oauth_grants (greatest(code_expires_time, tokens_expire_time));
