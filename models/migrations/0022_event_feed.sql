-- The change feed: every event has its place among the events of its organisation, in the order of their commits.
--
-- In steps beside the service, that of the version before included: its events come without a position, and get it here.
SET LOCAL lock_timeout = '5s';

-- The next position of each organisation. A transaction takes its positions here and keeps the row locked until it has
-- committed: so positions have no gaps, and whoever sees one sees every lower one.
CREATE TABLE IF NOT EXISTS event_counters (
  org_id        uuid PRIMARY KEY REFERENCES organizations,
  next_position bigint NOT NULL
) WITH (fillfactor = 50);

ALTER TABLE webhook_events ADD COLUMN IF NOT EXISTS position bigint;

-- Takes positions for so many events, and returns the first.
CREATE OR REPLACE FUNCTION take_positions(org uuid, many integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
BEGIN
  UPDATE event_counters AS c SET next_position = c.next_position + many WHERE c.org_id = org
    RETURNING c.next_position - many INTO first;
  -- The first events of an organisation; two transactions that begin it at once take turns.
  IF NOT FOUND THEN
    INSERT INTO event_counters AS c (org_id, next_position) VALUES (org, 1 + many)
      ON CONFLICT (org_id) DO UPDATE SET next_position = c.next_position + many
      RETURNING c.next_position - many INTO first;
  END IF;
  RETURN first;
END $$;

CREATE OR REPLACE FUNCTION give_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.position := take_positions(NEW.org_id, 1);
  RETURN NEW;
END $$;

-- What stands gets the positions below those of new events, in the next step. Nobody writes an event while it is counted.
LOCK TABLE webhook_events IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO event_counters (org_id, next_position)
  SELECT org_id, 1 + count(*) FROM webhook_events WHERE position IS NULL GROUP BY org_id
  ON CONFLICT (org_id) DO NOTHING;
CREATE OR REPLACE TRIGGER give_position BEFORE INSERT ON webhook_events
  FOR EACH ROW WHEN (NEW.position IS NULL) EXECUTE FUNCTION give_position();

-- step
-- The order in which the version before has committed is not known: its events follow each other by time. All events of an
-- organisation at once, so that a run that was broken off has either numbered them or not.
DO $$
DECLARE
  org uuid;
BEGIN
  FOR org IN SELECT org_id FROM event_counters ORDER BY org_id LOOP
    UPDATE webhook_events AS e SET position = n.position
      FROM (SELECT id, row_number() OVER (ORDER BY occurred_at, id) AS position FROM webhook_events WHERE org_id = org AND position IS NULL) AS n
      WHERE e.org_id = org AND e.id = n.id;
    COMMIT;
  END LOOP;
END $$;

-- step
ALTER TABLE webhook_events DROP CONSTRAINT IF EXISTS webhook_events_have_positions;
ALTER TABLE webhook_events ADD CONSTRAINT webhook_events_have_positions CHECK (position IS NOT NULL) NOT VALID;

-- step
ALTER TABLE webhook_events VALIDATE CONSTRAINT webhook_events_have_positions;

-- step
DROP INDEX IF EXISTS webhook_events_feed, webhook_events_by_type, webhook_events_by_entity_type, webhook_events_by_entity;

-- step
-- GET /webhooks/events: the feed, where it begins and ends, and the event that a cursor names.
CREATE UNIQUE INDEX CONCURRENTLY webhook_events_feed ON webhook_events (org_id, position);

-- step
-- GET /webhooks/events?event_type=
CREATE INDEX CONCURRENTLY webhook_events_by_type ON webhook_events (org_id, event_type, position);

-- step
-- GET /webhooks/events?entity_type=
CREATE INDEX CONCURRENTLY webhook_events_by_entity_type ON webhook_events (org_id, entity_type, position);

-- step
-- GET /webhooks/events?entity_id=
CREATE INDEX CONCURRENTLY webhook_events_by_entity ON webhook_events (org_id, entity_id, position);

-- step
VACUUM (ANALYZE) webhook_events;

-- step
SET LOCAL lock_timeout = '5s';
-- The checked constraint spares the scan of the table.
ALTER TABLE webhook_events ALTER COLUMN position SET NOT NULL;
ALTER TABLE webhook_events DROP CONSTRAINT webhook_events_have_positions;
