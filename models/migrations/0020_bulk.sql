-- Bulk creation: the rows of a call, stored before any of them is worked on, and what became of each.

-- A bulk is COMPLETED together with its last event; until then `succeeded` and `failed` are 0, and the rows are counted.
CREATE TABLE bulks (
  org_id         uuid NOT NULL REFERENCES organizations,
  id             uuid NOT NULL,
  entity_type    text NOT NULL CHECK (entity_type IN ('INVOICE', 'BILL')),
  total          integer NOT NULL CHECK (total > 0),
  status         text NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED')),
  succeeded      integer NOT NULL,
  failed         integer NOT NULL,
  requested_by   uuid,
  origin         jsonb NOT NULL,
  created_time   timestamptz NOT NULL,
  completed_time timestamptz,
  PRIMARY KEY (org_id, id),
  CHECK (CASE status WHEN 'COMPLETED' THEN completed_time IS NOT NULL AND succeeded + failed = total
    ELSE completed_time IS NULL AND succeeded = 0 AND failed = 0 END)
);
-- How many an organisation has under way, and which of all organisations have to be started again after a crash.
CREATE INDEX bulks_running ON bulks (org_id, created_time) WHERE status = 'RUNNING';
-- Which are older than RETAIN_BULK.
CREATE INDEX bulks_completed ON bulks (completed_time) WHERE status = 'COMPLETED';

-- `body` is the row as it was sent; a row whose document is made has none. `document_id` is without a foreign key, for a
-- draft may be deleted later. The primary key serves the next rows to work on, the count of a bulk, and its pages.
CREATE TABLE bulk_items (
  org_id         uuid NOT NULL,
  bulk_id        uuid NOT NULL,
  index          integer NOT NULL CHECK (index >= 0),
  status         text NOT NULL CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED')),
  body           jsonb,
  document_id    uuid,
  warnings       jsonb,
  error          jsonb,
  completed_time timestamptz,
  PRIMARY KEY (org_id, bulk_id, index),
  FOREIGN KEY (org_id, bulk_id) REFERENCES bulks ON DELETE CASCADE,
  CHECK ((status = 'SUCCEEDED') = (document_id IS NOT NULL) AND (status = 'SUCCEEDED') = (warnings IS NOT NULL)
    AND (status = 'FAILED') = (error IS NOT NULL) AND (status = 'PENDING') = (completed_time IS NULL))
);
-- No document is made by two rows; and the row that made a document.
CREATE UNIQUE INDEX bulk_items_document ON bulk_items (org_id, document_id) WHERE document_id IS NOT NULL;
