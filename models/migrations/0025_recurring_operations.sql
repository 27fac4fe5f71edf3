-- What operators and accountants are told of schedules: signals that fail, and what a failed run is about.

-- A signal that fails is tried again later and later, so that it does not hold up those behind it. The defaults are for
-- processes of the version before, which do not name the columns.
ALTER TABLE recurring_signals
  ADD COLUMN attempts   integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN due_at     timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN last_error text;
DROP INDEX recurring_signals_oldest;
-- The worker takes what is due, the oldest first.
CREATE INDEX recurring_signals_due ON recurring_signals (due_at, id);

-- The field that a failed run is about, and the details of its refusal.
ALTER TABLE recurring_runs
  ADD COLUMN error_field   text,
  ADD COLUMN error_details jsonb;
