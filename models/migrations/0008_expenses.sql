-- Expenses and their lines. Amounts are minor units of the organisation's currency.

-- `itemized` tells an expense of several lines from one that was told by its header alone; the latter has one line.
CREATE TABLE expenses (
  org_id                  uuid NOT NULL REFERENCES organizations,
  id                      uuid NOT NULL,
  expense_number          text NOT NULL,
  date                    date NOT NULL,
  vendor_id               uuid,
  vendor_name             text,
  account_id              uuid,
  paid_through_account_id uuid NOT NULL,
  itemized                boolean NOT NULL,
  amount                  bigint NOT NULL CHECK (amount > 0),
  mode                    text,
  reference_number        text,
  tax_id                  uuid,
  is_inclusive_tax        boolean NOT NULL,
  is_rcm                  boolean NOT NULL,
  rcm_rate                numeric CHECK (rcm_rate > 0 AND rcm_rate <= 100),
  itc_blocked_reason      text,
  notes                   text,
  sub_total               bigint NOT NULL,
  tax_total               bigint NOT NULL,
  rcm_tax_total           bigint NOT NULL,
  total                   bigint NOT NULL CHECK (total > 0),
  version                 integer NOT NULL,
  created_time            timestamptz NOT NULL,
  last_modified_time      timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, expense_number),
  CHECK (sub_total + tax_total = total),
  FOREIGN KEY (org_id, vendor_id) REFERENCES contacts,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts,
  FOREIGN KEY (org_id, paid_through_account_id) REFERENCES accounts,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes
);
-- GET /expenses: the plain page and one index a filter; account_id is looked for among the lines.
CREATE INDEX expenses_page ON expenses (org_id, created_time DESC, id DESC);
CREATE INDEX expenses_by_vendor ON expenses (org_id, vendor_id, created_time DESC, id DESC) WHERE vendor_id IS NOT NULL;
CREATE INDEX expenses_by_date ON expenses (org_id, date);
CREATE INDEX expenses_modified ON expenses (org_id, last_modified_time);

-- The rcm columns are the tax that the buyer assesses upon itself under reverse charge; the vendor is not paid it.
CREATE TABLE expense_lines (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  expense_id     uuid NOT NULL,
  line_no        smallint NOT NULL,
  account_id     uuid NOT NULL,
  amount         bigint NOT NULL CHECK (amount > 0),
  tax_id         uuid,
  tax_percentage numeric NOT NULL,
  note           text,
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
  FOREIGN KEY (org_id, expense_id) REFERENCES expenses ON DELETE CASCADE,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes
);
-- The lines of an expense in their order. Not unique: one statement takes the old lines away and puts the new ones in.
CREATE INDEX expense_lines_of ON expense_lines (org_id, expense_id, line_no);
-- GET /expenses?account_id.
CREATE INDEX expense_lines_by_account ON expense_lines (org_id, account_id, expense_id);
