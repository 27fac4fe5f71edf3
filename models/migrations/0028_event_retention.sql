-- Retention of events: what has been removed from the beginning of each organisation's events.

-- The last event that was removed: its position, its id, and the latest time of any that were. A reader who has read just
-- that one has missed nothing; the audit knows by the two others where events begin, and which may be missing.
CREATE TABLE removed_events (
  org_id      uuid PRIMARY KEY REFERENCES organizations,
  position    bigint NOT NULL CHECK (position > 0),
  id          uuid NOT NULL,
  occurred_at timestamptz NOT NULL
);
