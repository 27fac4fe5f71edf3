-- Deliveries that were given up, to be sent again.
--
-- Beside the service; what a run that was broken off has left is made anew.
DROP INDEX IF EXISTS webhook_deliveries_given_up;
-- step
-- POST /webhooks/endpoints/{endpoint_id}/recover: what was given up of an endpoint in a period, the oldest first, however many
-- deliveries have arrived between them.
CREATE INDEX CONCURRENTLY webhook_deliveries_given_up ON webhook_deliveries (org_id, endpoint_id, created_time, id)
  WHERE status IN ('FAILED', 'SKIPPED');
-- step
ANALYZE webhook_deliveries;
