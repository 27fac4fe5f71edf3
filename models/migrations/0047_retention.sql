-- Retention of conversions and of deleted endpoints: what is old enough, and what has been removed.
--
-- Beside the service; what a run that was broken off has left is made anew.
DROP INDEX IF EXISTS conversions_ended, webhook_endpoints_deleted;
-- step
-- Which conversions have ended, and are older than RETAIN_CONVERSIONS.
CREATE INDEX CONCURRENTLY conversions_ended ON conversions (last_modified_time)
  WHERE refusal IS NOT NULL OR hops = CASE through WHEN 'invoice' THEN 2 ELSE 1 END;
-- step
-- Which endpoints were deleted longer ago than events are kept.
CREATE INDEX CONCURRENTLY webhook_endpoints_deleted ON webhook_endpoints (last_modified_time) WHERE status = 'DELETED';
-- step
-- The latest end of the conversions that were removed of each organisation: the audit knows by it which documents may lack theirs.
CREATE TABLE removed_conversions (
  org_id   uuid PRIMARY KEY REFERENCES organizations,
  ended_at timestamptz NOT NULL
);
