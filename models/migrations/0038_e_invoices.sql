-- E-invoices: the registration of invoices and credit notes at a portal, and what is kept to talk to it.

-- What documents show of their registration, with the document's own row, so that a page needs no other table and what is
-- remembered of the document is stale when it changes. The audit compares it with e_invoices.
ALTER TABLE invoices ADD COLUMN e_invoice jsonb;
ALTER TABLE credit_notes ADD COLUMN e_invoice jsonb;

-- One row a document, from its approval on; its id is the document's. `start_at`: when a worker starts or signals the workflow;
-- null once it has. `attended_at`: when the workflow last had a look.
CREATE TABLE e_invoices (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  kind               text NOT NULL CHECK (kind IN ('INVOICE', 'CREDIT_NOTE')),
  branch_id          uuid NOT NULL,
  status             text NOT NULL CHECK (status IN ('PENDING', 'GENERATED', 'FAILED', 'CANCELLING', 'CANCELLED', 'NOT_APPLICABLE')),
  provider           text CHECK (provider IN ('sandbox', 'irp')),
  gstin              text,
  irn                text CHECK (irn ~ '^[0-9a-f]{64}$'),
  ack_no             text,
  ack_date           timestamptz,
  signed_qr          text,
  errors             jsonb NOT NULL,
  attempts           integer NOT NULL CHECK (attempts >= 0),
  start_at           timestamptz,
  attended_at        timestamptz,
  cancelled_at       timestamptz,
  last_error         text,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  CHECK (num_nonnulls(irn, ack_no, ack_date, signed_qr, gstin, provider) IN (0, 6)),
  CHECK (status NOT IN ('GENERATED', 'CANCELLED') OR irn IS NOT NULL),
  CHECK ((status = 'CANCELLED') = (cancelled_at IS NOT NULL))
);
-- No IRN is that of two documents.
CREATE UNIQUE INDEX e_invoices_irn ON e_invoices (org_id, irn) WHERE irn IS NOT NULL;
-- The worker starts what waits, in turns of the organisations.
CREATE INDEX e_invoices_to_start ON e_invoices (org_id, start_at, id) WHERE start_at IS NOT NULL;
-- The worker, the doctor and the metrics look for what is not done.
CREATE INDEX e_invoices_waiting ON e_invoices (last_modified_time) WHERE status IN ('PENDING', 'CANCELLING');

-- The credentials of a branch at a portal, sealed.
CREATE TABLE e_invoice_credentials (
  org_id             uuid NOT NULL,
  branch_id          uuid NOT NULL,
  sealed             text NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, branch_id),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches
);

-- What the built-in portal has registered. It stands for a service of others: nothing refers to it.
CREATE TABLE sandbox_e_invoices (
  org_id       uuid NOT NULL REFERENCES organizations,
  irn          text NOT NULL,
  ack_no       text NOT NULL,
  ack_date     timestamptz NOT NULL,
  signed_qr    text NOT NULL,
  is_cancelled boolean NOT NULL,
  PRIMARY KEY (org_id, irn)
);

-- Keys of the installation, sealed: that with which the built-in portal signs.
CREATE TABLE installation_keys (
  name         text PRIMARY KEY,
  sealed       text NOT NULL,
  created_time timestamptz NOT NULL
);

-- Every call that posts knows its organisation's row, so the branches that register e-invoices are named there too. A trigger,
-- so that the two agree whoever writes the preferences; the writer has locked the organisation.
CREATE FUNCTION name_e_invoiced_branches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organizations SET preferences = preferences || jsonb_build_object('eInvoicedBranches', coalesce(
      (SELECT jsonb_agg(branch ORDER BY branch) FROM jsonb_each(NEW.e_invoicing) AS e(branch, choice)
       WHERE (choice ->> 'enabled')::boolean), '[]'))
    WHERE id = NEW.org_id;
  RETURN NULL;
END $$;
CREATE TRIGGER e_invoiced_branches_new AFTER INSERT ON organization_preferences
  FOR EACH ROW WHEN (NEW.e_invoicing <> '{}') EXECUTE FUNCTION name_e_invoiced_branches();
CREATE TRIGGER e_invoiced_branches_changed AFTER UPDATE ON organization_preferences
  FOR EACH ROW WHEN (NEW.e_invoicing IS DISTINCT FROM OLD.e_invoicing) EXECUTE FUNCTION name_e_invoiced_branches();
