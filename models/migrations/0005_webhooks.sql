-- Out of the door: endpoints, the events of the transaction of their fact, their deliveries and each attempt.

-- `failing_since` is the first failure after the last success; five days of it disable the endpoint.
CREATE TABLE webhook_endpoints (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  url                text NOT NULL,
  secret_sealed      text NOT NULL,
  events             text[] NOT NULL,
  description        text,
  status             text NOT NULL CHECK (status IN ('ENABLED', 'DISABLED', 'DELETED')),
  failing_since      timestamptz,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
-- GET /webhooks/endpoints, and the fan-out of an event to the endpoints that asked for it (at most 20 an organisation).
CREATE INDEX webhook_endpoints_page ON webhook_endpoints (org_id, created_time DESC, id DESC) WHERE status <> 'DELETED';

CREATE TABLE webhook_events (
  org_id      uuid NOT NULL REFERENCES organizations,
  id          uuid NOT NULL,
  event_type  text NOT NULL,
  entity_type text NOT NULL,
  entity_id   uuid NOT NULL,
  data        jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);

-- One row for every endpoint that had asked for the event when it happened. `payload` is the body, byte for byte, that
-- every attempt sends. `batch_id` is written by the relay before it starts the batch's workflow.
CREATE TABLE webhook_deliveries (
  org_id          uuid NOT NULL,
  id              uuid NOT NULL,
  event_id        uuid NOT NULL,
  endpoint_id     uuid NOT NULL,
  event_type      text NOT NULL,
  payload         text NOT NULL,
  status          text NOT NULL CHECK (status IN ('PENDING', 'RETRYING', 'DELIVERED', 'FAILED', 'SKIPPED')),
  series          smallint NOT NULL DEFAULT 0,
  attempts_made   smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  batch_id        uuid,
  created_time    timestamptz NOT NULL,
  delivered_at    timestamptz,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, event_id, endpoint_id),
  FOREIGN KEY (org_id, event_id) REFERENCES webhook_events,
  FOREIGN KEY (org_id, endpoint_id) REFERENCES webhook_endpoints
);
-- The relay's queue: what no batch has taken yet, oldest first; what was put off waits until its `next_attempt_at`.
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (coalesce(next_attempt_at, created_time), id)
  WHERE batch_id IS NULL AND status = 'PENDING';
-- What a batch still has to do: its first attempts, and the retries to be started for those that were refused.
CREATE INDEX webhook_deliveries_batch ON webhook_deliveries (batch_id)
  WHERE batch_id IS NOT NULL AND status IN ('PENDING', 'RETRYING');
-- The sweeper: deliveries whose next attempt is long past.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'RETRYING';
-- GET /webhooks/deliveries: the plain page and one index a filter.
CREATE INDEX webhook_deliveries_page ON webhook_deliveries (org_id, created_time DESC, id DESC);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (org_id, endpoint_id, created_time DESC, id DESC);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (org_id, status, created_time DESC, id DESC);
CREATE INDEX webhook_deliveries_by_type ON webhook_deliveries (org_id, event_type, created_time DESC, id DESC);

-- An attempt is written when it starts and settled when it ends; a crash leaves it without an outcome.
CREATE TABLE webhook_attempts (
  org_id          uuid NOT NULL,
  delivery_id     uuid NOT NULL,
  series          smallint NOT NULL,
  attempt         smallint NOT NULL,
  started_at      timestamptz NOT NULL,
  duration_ms     integer,
  status_code     smallint,
  error           text,
  response_body   text,
  next_attempt_at timestamptz,
  PRIMARY KEY (org_id, delivery_id, series, attempt),
  FOREIGN KEY (org_id, delivery_id) REFERENCES webhook_deliveries
);

-- Which of the service's own processes was seen last when: the readiness check reads it.
CREATE TABLE process_heartbeats (
  name    text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
