-- The removal of grants of OAuth that were revoked.
CREATE INDEX oauth_grants_revoked ON oauth_grants (revoked_time) WHERE revoked_time IS NOT NULL;
