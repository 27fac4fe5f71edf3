-- The calls of an organisation, for its people to look into: what was called, when, by which token, and how it was answered.
-- Rows are written in batches, and refer to no other row: the log neither waits for the books nor holds them up.
CREATE TABLE requests (
  org_id      uuid NOT NULL,
  -- The id that the answer had.
  id          uuid NOT NULL,
  time        timestamptz NOT NULL,
  method      text NOT NULL,
  -- As declared: it has no ids.
  route       text NOT NULL,
  status      integer NOT NULL,
  duration_ms double precision NOT NULL,
  -- Null for a person's call.
  token_id    uuid,
  PRIMARY KEY (org_id, id)
);

CREATE INDEX requests_by_time ON requests (org_id, time DESC, id DESC);
CREATE INDEX requests_by_route ON requests (org_id, route, time DESC, id DESC);
CREATE INDEX requests_by_status ON requests (org_id, status, time DESC, id DESC);
CREATE INDEX requests_by_token ON requests (org_id, token_id, time DESC, id DESC) WHERE token_id IS NOT NULL;
-- Which are older than RETAIN_REQUESTS.
CREATE INDEX requests_age ON requests (time);
