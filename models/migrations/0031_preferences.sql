-- What organisations have chosen for documents, mail, reminders and e-invoices.

-- A missing row means the defaults of domain/preferences.ts. What the posting of documents asks for in every call stays in
-- organizations.preferences.
CREATE TABLE organization_preferences (
  org_id             uuid NOT NULL REFERENCES organizations,
  invoice_template   text NOT NULL CHECK (invoice_template IN ('classic', 'modern', 'boxed', 'tally')),
  pdf                jsonb NOT NULL,
  mail               jsonb NOT NULL,
  reminders          jsonb NOT NULL,
  e_invoicing        jsonb NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id)
);

-- Logos are small, for they are checked before they are kept, and are read only where a document is printed.
CREATE TABLE logos (
  org_id             uuid NOT NULL REFERENCES organizations,
  media_type         text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg')),
  sha256             bytea NOT NULL,
  content            bytea NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id)
);
