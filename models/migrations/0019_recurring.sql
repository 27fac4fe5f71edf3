-- Recurring schedules: their rules, their runs, and what their workflows have yet to be told.

-- An online payment link of an invoice that a schedule has generated.
ALTER TABLE invoices ADD COLUMN payment_link_url text;

-- The row is the truth; the workflow of a schedule only says when it is read. The rule counts from `anchor_date`, which
-- is occurrence `anchor_occurrence`. `next_occurrence` is the one to generate next, `last_date` the date of the latest
-- that was generated or skipped. `not_before` puts off what is due: after a failure, and after 31 in one tick.
-- `template_entity_id` is without a foreign key, for the document may be deleted.
CREATE TABLE recurring_schedules (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  entity_type        text NOT NULL CHECK (entity_type IN ('INVOICE', 'BILL', 'EXPENSE', 'JOURNAL')),
  name               text NOT NULL,
  frequency          text NOT NULL CHECK (frequency IN ('DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY')),
  interval_count     integer NOT NULL CHECK (interval_count >= 1),
  month_anchor       text NOT NULL CHECK (month_anchor IN ('START_DAY', 'LAST_DAY')),
  start_date         date NOT NULL,
  end_date           date,
  template_entity_id uuid,
  template_payload   jsonb,
  auto_approve       boolean NOT NULL,
  auto_charge        boolean NOT NULL CHECK (NOT auto_charge OR entity_type = 'INVOICE'),
  max_runs           integer CHECK (max_runs >= 1),
  status             text NOT NULL CHECK (status IN ('ACTIVE', 'PAUSED', 'COMPLETED')),
  run_count          integer NOT NULL CHECK (run_count >= 0),
  failures           integer NOT NULL CHECK (failures >= 0),
  last_error         text,
  anchor_date        date NOT NULL,
  anchor_occurrence  integer NOT NULL,
  next_occurrence    integer NOT NULL CHECK (next_occurrence >= 1),
  last_date          date,
  next_run_at        timestamptz,
  not_before         timestamptz,
  last_run_at        timestamptz,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CHECK (num_nonnulls(template_entity_id, template_payload) = 1),
  CHECK ((status = 'COMPLETED') = (next_run_at IS NULL))
);
-- GET /recurring, in the order of next_run_at: the plain page and one index a filter.
CREATE INDEX recurring_schedules_page ON recurring_schedules (org_id, next_run_at, id);
CREATE INDEX recurring_schedules_by_type ON recurring_schedules (org_id, entity_type, next_run_at, id);
CREATE INDEX recurring_schedules_by_status ON recurring_schedules (org_id, status, next_run_at, id);
-- The worker and the daily reconcile: what should have run by now, of all organisations.
CREATE INDEX recurring_schedules_due ON recurring_schedules ((greatest(next_run_at, not_before)), id) WHERE status = 'ACTIVE';
-- `npm run reconcile`: every schedule that should have a workflow.
CREATE INDEX recurring_schedules_active ON recurring_schedules (id) WHERE status = 'ACTIVE';

-- A run that has failed does not use its occurrence up. The document is without a foreign key, for it may be deleted.
CREATE TABLE recurring_runs (
  org_id              uuid NOT NULL,
  id                  uuid NOT NULL,
  schedule_id         uuid NOT NULL,
  occurrence          integer NOT NULL CHECK (occurrence >= 1),
  period_start        date NOT NULL,
  period_end          date NOT NULL,
  status              text NOT NULL CHECK (status IN ('SUCCEEDED', 'FAILED')),
  manual              boolean NOT NULL,
  retry_of            uuid,
  document_date       date NOT NULL,
  generated_entity_id uuid,
  generated_number    text,
  error_code          text,
  error               text,
  warnings            jsonb NOT NULL,
  started_at          timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, schedule_id) REFERENCES recurring_schedules ON DELETE CASCADE,
  CHECK ((status = 'SUCCEEDED') = (generated_entity_id IS NOT NULL)),
  CHECK ((status = 'FAILED') = (error IS NOT NULL))
);
-- One occurrence makes one document, whatever crashes.
CREATE UNIQUE INDEX recurring_runs_once ON recurring_runs (org_id, schedule_id, occurrence) WHERE status = 'SUCCEEDED';
-- No document is made by two runs.
CREATE UNIQUE INDEX recurring_runs_document ON recurring_runs (org_id, generated_entity_id) WHERE generated_entity_id IS NOT NULL;
-- GET /recurring/{schedule_id}/runs, and the deletion of a schedule.
CREATE INDEX recurring_runs_page ON recurring_runs (org_id, schedule_id, started_at DESC, id DESC);

-- The outbox of schedules: written with the change, and deleted once the workflow was started or signalled. Without a
-- foreign key, for a deleted schedule's workflow is told too.
CREATE TABLE recurring_signals (
  org_id       uuid NOT NULL REFERENCES organizations,
  id           uuid NOT NULL,
  schedule_id  uuid NOT NULL,
  entity_type  text NOT NULL,
  signal       text NOT NULL CHECK (signal IN ('configChanged', 'pause', 'resume', 'deleted')),
  created_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
-- The worker takes the oldest first.
CREATE INDEX recurring_signals_oldest ON recurring_signals (created_time, id);
