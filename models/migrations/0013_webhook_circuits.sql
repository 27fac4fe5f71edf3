-- Deliveries that wait in PostgreSQL: what each of them waits for, and the circuit of each endpoint.

-- `id` is the endpoint's. An endpoint without a row has a closed circuit and no failures. `failures` counts those in a
-- row, `opened` how often the circuit has opened since it was closed last. While it is OPEN, `next_try_at` is when one
-- delivery is tried; while it is HALF_OPEN, when that trial counts as lost. `slow`: its last answers took long.
-- `releasing`: deliveries that waited for the circuit have yet to be put back into the queue.
CREATE TABLE webhook_circuits (
  org_id      uuid NOT NULL,
  id          uuid NOT NULL,
  state       text NOT NULL CHECK (state IN ('CLOSED', 'OPEN', 'HALF_OPEN')),
  failures    integer NOT NULL CHECK (failures >= 0),
  opened      integer NOT NULL CHECK (opened >= 0),
  next_try_at timestamptz,
  slow        boolean NOT NULL,
  releasing   boolean NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, id) REFERENCES webhook_endpoints,
  CHECK ((state = 'CLOSED') = (next_try_at IS NULL))
);
-- The trials that are due, and how many circuits are open.
CREATE INDEX webhook_circuits_due ON webhook_circuits (next_try_at) WHERE state <> 'CLOSED';
-- The circuits whose deliveries have yet to be released.
CREATE INDEX webhook_circuits_releasing ON webhook_circuits (org_id, id) WHERE releasing;

-- What carries a delivery that is under way: the QUEUE, which the relay claims from; the CIRCUIT of its endpoint, until
-- that is closed; a BATCH of attempts; a PROCESS of its own, which waits; or that process's ATTEMPT.
ALTER TABLE webhook_deliveries
  ADD COLUMN held_by text DEFAULT 'QUEUE' CHECK (held_by IN ('QUEUE', 'CIRCUIT', 'BATCH', 'PROCESS', 'ATTEMPT')),
  ADD COLUMN last_modified_time timestamptz;
UPDATE webhook_deliveries SET
  last_modified_time = greatest(created_time, delivered_at),
  held_by = CASE status WHEN 'PENDING' THEN CASE WHEN batch_id IS NULL THEN 'QUEUE' ELSE 'BATCH' END WHEN 'RETRYING' THEN 'PROCESS' END;
ALTER TABLE webhook_deliveries
  ALTER COLUMN last_modified_time SET NOT NULL,
  ADD CHECK ((status IN ('PENDING', 'RETRYING')) = (held_by IS NOT NULL));

DROP INDEX webhook_deliveries_waiting, webhook_deliveries_batch, webhook_deliveries_due;
-- The claim walks from endpoint to endpoint, and takes of each what has been due longest.
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (org_id, endpoint_id, coalesce(next_attempt_at, created_time), id)
  WHERE held_by = 'QUEUE';
-- The trial of an open circuit, and the release of what has waited for it.
CREATE INDEX webhook_deliveries_circuit ON webhook_deliveries (org_id, endpoint_id, coalesce(next_attempt_at, created_time), id)
  WHERE held_by = 'CIRCUIT';
-- How many attempts are under way, of an endpoint and of an organisation.
CREATE INDEX webhook_deliveries_in_flight ON webhook_deliveries (org_id, endpoint_id) WHERE held_by IN ('BATCH', 'ATTEMPT');
-- What a batch still has to do, and the batches that a crash has left.
CREATE INDEX webhook_deliveries_batch ON webhook_deliveries (batch_id) WHERE held_by = 'BATCH';
-- Refused deliveries that may get a process of their own.
CREATE INDEX webhook_deliveries_refused ON webhook_deliveries (org_id, endpoint_id, next_attempt_at, id)
  WHERE held_by = 'QUEUE' AND status = 'RETRYING';
-- How many processes there are, of an endpoint and of an organisation.
CREATE INDEX webhook_deliveries_processes ON webhook_deliveries (org_id, endpoint_id) WHERE held_by IN ('PROCESS', 'ATTEMPT');
-- The sweeper: deliveries whose process should have made its attempt long ago.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at, id) WHERE held_by IN ('PROCESS', 'ATTEMPT');
-- GET /webhooks/deliveries?modified_since=
CREATE INDEX webhook_deliveries_modified ON webhook_deliveries (org_id, last_modified_time);
