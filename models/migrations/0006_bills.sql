-- Bills and their lines. Amounts are minor units of the document's currency.

-- `number_sequence` is the sequence that gave the number; null where the vendor's own number was sent.
CREATE TABLE bills (
  org_id                 uuid NOT NULL REFERENCES organizations,
  id                     uuid NOT NULL,
  branch_id              uuid NOT NULL,
  bill_number            text NOT NULL,
  number_sequence        text,
  vendor_id              uuid NOT NULL,
  vendor_name            text NOT NULL,
  date                   date NOT NULL,
  due_date               date NOT NULL,
  reference_number       text,
  place_of_supply        text NOT NULL,
  currency_code          text NOT NULL,
  exchange_rate          numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  sub_total              bigint NOT NULL,
  cgst                   bigint NOT NULL,
  sgst                   bigint NOT NULL,
  igst                   bigint NOT NULL,
  cess                   bigint NOT NULL,
  tax_total              bigint NOT NULL,
  round_off              bigint NOT NULL,
  total                  bigint NOT NULL CHECK (total >= 0),
  payment_made           bigint NOT NULL CHECK (payment_made >= 0),
  vendor_credits_applied bigint NOT NULL CHECK (vendor_credits_applied >= 0),
  balance                bigint NOT NULL GENERATED ALWAYS AS
                           (CASE status WHEN 'CANCELLED' THEN 0 ELSE total - payment_made - vendor_credits_applied END) STORED,
  status                 text NOT NULL CHECK (status IN ('DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED')),
  notes                  text,
  tags                   uuid[] NOT NULL,
  version                integer NOT NULL,
  created_time           timestamptz NOT NULL,
  last_modified_time     timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  CHECK (payment_made + vendor_credits_applied <= total),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, vendor_id) REFERENCES contacts
);
-- GET /bills: the plain page and one index a filter.
CREATE INDEX bills_page ON bills (org_id, created_time DESC, id DESC);
CREATE INDEX bills_by_status ON bills (org_id, status, created_time DESC, id DESC);
CREATE INDEX bills_by_vendor ON bills (org_id, vendor_id, created_time DESC, id DESC);
CREATE INDEX bills_by_date ON bills (org_id, date);
CREATE INDEX bills_by_reference ON bills (org_id, reference_number, created_time DESC, id DESC) WHERE reference_number IS NOT NULL;
CREATE INDEX bills_by_number ON bills (org_id, bill_number, created_time DESC, id DESC);
CREATE INDEX bills_modified ON bills (org_id, last_modified_time);
-- overdue=true, and the nightly sweep: only what can be overdue.
CREATE INDEX bills_unpaid_due ON bills (org_id, due_date) WHERE status IN ('OPEN', 'PARTIALLY_PAID', 'OVERDUE');
-- The duplicate guard looks for the posted bills of a vendor, date and total. Of two calls that pass it at once one
-- stops here: bills that all carry another reference, or none, are just those that it would have let in one by one.
CREATE UNIQUE INDEX bills_posted_twice ON bills (org_id, vendor_id, date, total, currency_code, coalesce(reference_number, ''))
  WHERE status NOT IN ('DRAFT', 'CANCELLED');

-- The rcm columns are the tax that the buyer assesses upon itself under reverse charge; the vendor is not owed it.
CREATE TABLE bill_lines (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  bill_id        uuid NOT NULL,
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
  rcm_cgst       bigint NOT NULL,
  rcm_sgst       bigint NOT NULL,
  rcm_igst       bigint NOT NULL,
  rcm_cess       bigint NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, bill_id, line_no),
  FOREIGN KEY (org_id, bill_id) REFERENCES bills ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- "Is this item used?" when an item is deleted.
CREATE INDEX bill_lines_by_item ON bill_lines (org_id, item_id) WHERE item_id IS NOT NULL;

-- A vendor's own number may be one of ours: then our sequence steps over it.
CREATE OR REPLACE FUNCTION number_in_use(org uuid, document text, branch uuid, number text) RETURNS boolean
  LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE document
    WHEN 'invoice' THEN EXISTS (SELECT FROM invoices WHERE org_id = org AND branch_id = branch AND invoice_number = number)
    WHEN 'bill' THEN EXISTS (SELECT FROM bills WHERE org_id = org AND branch_id = branch AND bill_number = number)
    ELSE false END;
END $$;
