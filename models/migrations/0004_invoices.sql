-- Invoices and their lines. Amounts are minor units of the document's currency.

CREATE TABLE invoices (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  branch_id          uuid NOT NULL,
  invoice_number     text NOT NULL,
  series_name        text,
  customer_id        uuid NOT NULL,
  customer_name      text NOT NULL,
  date               date NOT NULL,
  due_date           date NOT NULL,
  reference_number   text,
  salesperson_id     text,
  place_of_supply    text NOT NULL,
  currency_code      text NOT NULL,
  exchange_rate      numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  sub_total          bigint NOT NULL,
  cgst               bigint NOT NULL,
  sgst               bigint NOT NULL,
  igst               bigint NOT NULL,
  cess               bigint NOT NULL,
  tax_total          bigint NOT NULL,
  round_off          bigint NOT NULL,
  total              bigint NOT NULL CHECK (total >= 0),
  payment_made       bigint NOT NULL CHECK (payment_made >= 0),
  credits_applied    bigint NOT NULL CHECK (credits_applied >= 0),
  balance            bigint NOT NULL GENERATED ALWAYS AS
                       (CASE status WHEN 'CANCELLED' THEN 0 ELSE total - payment_made - credits_applied END) STORED,
  status             text NOT NULL CHECK (status IN
                       ('DRAFT', 'SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED', 'CREDIT_APPLIED')),
  notes              text,
  tags               uuid[] NOT NULL,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, branch_id, invoice_number),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  CHECK (payment_made + credits_applied <= total),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, customer_id) REFERENCES contacts
);
-- GET /invoices: the plain page and one index a filter.
CREATE INDEX invoices_page ON invoices (org_id, created_time DESC, id DESC);
CREATE INDEX invoices_by_status ON invoices (org_id, status, created_time DESC, id DESC);
CREATE INDEX invoices_by_customer ON invoices (org_id, customer_id, created_time DESC, id DESC);
CREATE INDEX invoices_by_date ON invoices (org_id, date);
CREATE INDEX invoices_by_reference ON invoices (org_id, reference_number, created_time DESC, id DESC) WHERE reference_number IS NOT NULL;
CREATE INDEX invoices_by_number ON invoices (org_id, invoice_number, created_time DESC, id DESC);
CREATE INDEX invoices_modified ON invoices (org_id, last_modified_time);
-- overdue=true, and the nightly sweep to come: only what can be overdue.
CREATE INDEX invoices_unpaid_due ON invoices (org_id, due_date) WHERE status IN ('SENT', 'PARTIALLY_PAID', 'OVERDUE');

CREATE TABLE invoice_lines (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  invoice_id     uuid NOT NULL,
  line_no        smallint NOT NULL,
  item_id        uuid,
  name           text NOT NULL,
  description    text,
  hsn_or_sac     text,
  quantity       numeric(24, 6) NOT NULL CHECK (quantity > 0),
  unit           text,
  rate           numeric(24, 6) NOT NULL CHECK (rate >= 0),
  discount       numeric(24, 6) NOT NULL CHECK (discount >= 0),
  tax_id         uuid,
  tax_percentage numeric(6, 3) NOT NULL,
  account_id     uuid NOT NULL,
  item_total     bigint NOT NULL,
  cgst           bigint NOT NULL,
  sgst           bigint NOT NULL,
  igst           bigint NOT NULL,
  cess           bigint NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, invoice_id, line_no),
  FOREIGN KEY (org_id, invoice_id) REFERENCES invoices ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- "Is this item used?" when an item is deleted.
CREATE INDEX invoice_lines_by_item ON invoice_lines (org_id, item_id) WHERE item_id IS NOT NULL;

CREATE OR REPLACE FUNCTION number_in_use(org uuid, document text, branch uuid, number text) RETURNS boolean
  LANGUAGE plpgsql AS $$
BEGIN
  RETURN document = 'invoice'
    AND EXISTS (SELECT FROM invoices WHERE org_id = org AND branch_id = branch AND invoice_number = number);
END $$;
