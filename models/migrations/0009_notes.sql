-- Credit notes, what of each is applied to which invoice or bill, and debit notes. Amounts are minor units of the note's currency.

-- A credit note of type 'vendor' is a vendor's credit; `customer_id` is then the vendor.
CREATE TABLE credit_notes (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  branch_id          uuid NOT NULL,
  credit_note_number text NOT NULL,
  type               text NOT NULL CHECK (type IN ('customer', 'vendor')),
  customer_id        uuid NOT NULL,
  customer_name      text NOT NULL,
  invoice_id         uuid,
  bill_id            uuid,
  date               date NOT NULL,
  reference_number   text,
  place_of_supply    text NOT NULL,
  currency_code      text NOT NULL,
  exchange_rate      numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  sub_total          bigint NOT NULL,
  cgst               bigint NOT NULL,
  sgst               bigint NOT NULL,
  igst               bigint NOT NULL,
  cess               bigint NOT NULL,
  tax_total          bigint NOT NULL,
  round_off          bigint NOT NULL CHECK (round_off = 0),
  total              bigint NOT NULL CHECK (total >= 0),
  applied_amount     bigint NOT NULL CHECK (applied_amount BETWEEN 0 AND total),
  balance_amount     bigint NOT NULL GENERATED ALWAYS AS
                       (CASE status WHEN 'CANCELLED' THEN 0 ELSE total - applied_amount END) STORED,
  status             text NOT NULL CHECK (status IN ('DRAFT', 'ISSUED', 'APPLIED', 'CANCELLED')),
  notes              text,
  tags               uuid[] NOT NULL,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, credit_note_number),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  CHECK (CASE type WHEN 'customer' THEN bill_id ELSE invoice_id END IS NULL),
  CHECK (status NOT IN ('DRAFT', 'CANCELLED') OR applied_amount = 0),
  CHECK (status <> 'APPLIED' OR applied_amount = total),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, customer_id) REFERENCES contacts,
  FOREIGN KEY (org_id, invoice_id) REFERENCES invoices,
  FOREIGN KEY (org_id, bill_id) REFERENCES bills
);
-- GET /credit_notes: the plain page and one index a filter; by customer also "is this contact used?" when one is deleted.
CREATE INDEX credit_notes_page ON credit_notes (org_id, created_time DESC, id DESC);
CREATE INDEX credit_notes_by_status ON credit_notes (org_id, status, created_time DESC, id DESC);
CREATE INDEX credit_notes_by_customer ON credit_notes (org_id, customer_id, created_time DESC, id DESC);
CREATE INDEX credit_notes_by_invoice ON credit_notes (org_id, invoice_id, created_time DESC, id DESC) WHERE invoice_id IS NOT NULL;
CREATE INDEX credit_notes_by_bill ON credit_notes (org_id, bill_id, created_time DESC, id DESC) WHERE bill_id IS NOT NULL;
CREATE INDEX credit_notes_by_type ON credit_notes (org_id, type, created_time DESC, id DESC);
CREATE INDEX credit_notes_by_date ON credit_notes (org_id, date);
CREATE INDEX credit_notes_modified ON credit_notes (org_id, last_modified_time);

-- The rcm columns mirror the tax that the buyer assessed upon itself under reverse charge; 0 on a customer's note.
-- `restock`: the goods went back into stock, or out of it to the vendor.
CREATE TABLE credit_note_lines (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  credit_note_id uuid NOT NULL,
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
  restock        boolean NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, credit_note_id) REFERENCES credit_notes ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- The lines of a note in their order. Not unique: one statement takes the old lines away and puts the new ones in.
CREATE INDEX credit_note_lines_of ON credit_note_lines (org_id, credit_note_id, line_no);
-- "Is this item used?" when an item is deleted.
CREATE INDEX credit_note_lines_by_item ON credit_note_lines (org_id, item_id) WHERE item_id IS NOT NULL;

-- `settled_base` is what the application took off the invoice or bill in the ledger, `relieved_base` what it took off the
-- note, both in minor units of the organisation's currency; they differ by the exchange difference.
CREATE TABLE credit_applications (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  credit_note_id uuid NOT NULL,
  invoice_id     uuid,
  bill_id        uuid,
  amount         bigint NOT NULL CHECK (amount > 0),
  settled_base   bigint NOT NULL,
  relieved_base  bigint NOT NULL,
  date           date NOT NULL,
  PRIMARY KEY (org_id, id),
  CHECK ((invoice_id IS NULL) <> (bill_id IS NULL)),
  FOREIGN KEY (org_id, credit_note_id) REFERENCES credit_notes,
  FOREIGN KEY (org_id, invoice_id) REFERENCES invoices,
  FOREIGN KEY (org_id, bill_id) REFERENCES bills
);
-- A note's applications, and those to an invoice or a bill when it is settled or audited.
CREATE INDEX credit_applications_of_note ON credit_applications (org_id, credit_note_id);
CREATE INDEX credit_applications_of_invoice ON credit_applications (org_id, invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX credit_applications_of_bill ON credit_applications (org_id, bill_id) WHERE bill_id IS NOT NULL;

-- Nothing sets a debit note against a bill: `applied_amount` stays 0.
CREATE TABLE debit_notes (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  branch_id          uuid NOT NULL,
  debit_note_number  text NOT NULL,
  vendor_id          uuid NOT NULL,
  vendor_name        text NOT NULL,
  bill_id            uuid,
  reason             text,
  date               date NOT NULL,
  reference_number   text,
  place_of_supply    text NOT NULL,
  currency_code      text NOT NULL,
  exchange_rate      numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  sub_total          bigint NOT NULL,
  cgst               bigint NOT NULL,
  sgst               bigint NOT NULL,
  igst               bigint NOT NULL,
  cess               bigint NOT NULL,
  tax_total          bigint NOT NULL,
  round_off          bigint NOT NULL CHECK (round_off = 0),
  total              bigint NOT NULL CHECK (total >= 0),
  applied_amount     bigint NOT NULL CHECK (applied_amount = 0),
  balance_amount     bigint NOT NULL GENERATED ALWAYS AS
                       (CASE status WHEN 'CANCELLED' THEN 0 ELSE total - applied_amount END) STORED,
  status             text NOT NULL CHECK (status IN ('DRAFT', 'ISSUED', 'APPLIED', 'CANCELLED')),
  notes              text,
  tags               uuid[] NOT NULL,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, debit_note_number),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, vendor_id) REFERENCES contacts,
  FOREIGN KEY (org_id, bill_id) REFERENCES bills
);
-- GET /debit_notes: the plain page and one index a filter; by vendor also "is this contact used?" when one is deleted.
CREATE INDEX debit_notes_page ON debit_notes (org_id, created_time DESC, id DESC);
CREATE INDEX debit_notes_by_status ON debit_notes (org_id, status, created_time DESC, id DESC);
CREATE INDEX debit_notes_by_vendor ON debit_notes (org_id, vendor_id, created_time DESC, id DESC);
CREATE INDEX debit_notes_by_bill ON debit_notes (org_id, bill_id, created_time DESC, id DESC) WHERE bill_id IS NOT NULL;
CREATE INDEX debit_notes_by_date ON debit_notes (org_id, date);
CREATE INDEX debit_notes_modified ON debit_notes (org_id, last_modified_time);

CREATE TABLE debit_note_lines (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  debit_note_id  uuid NOT NULL,
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
  restock        boolean NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, debit_note_id) REFERENCES debit_notes ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- The lines of a note in their order. Not unique: one statement takes the old lines away and puts the new ones in.
CREATE INDEX debit_note_lines_of ON debit_note_lines (org_id, debit_note_id, line_no);
-- "Is this item used?" when an item is deleted.
CREATE INDEX debit_note_lines_by_item ON debit_note_lines (org_id, item_id) WHERE item_id IS NOT NULL;
