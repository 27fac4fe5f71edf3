-- The latest tick of a schedule, and how many documents it has made.

-- A tick that is run again after a crash goes on counting, so that it makes 31 documents at most.
ALTER TABLE recurring_schedules
  ADD COLUMN tick_id   text,
  ADD COLUMN tick_runs integer NOT NULL DEFAULT 0 CHECK (tick_runs >= 0);
