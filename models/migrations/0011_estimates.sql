-- Estimates and their lines. Amounts are minor units of the estimate's currency.

CREATE TABLE estimates (
  org_id                      uuid NOT NULL REFERENCES organizations,
  id                          uuid NOT NULL,
  branch_id                   uuid NOT NULL,
  estimate_number             text NOT NULL,
  customer_id                 uuid NOT NULL,
  customer_name               text NOT NULL,
  date                        date NOT NULL,
  expiry_date                 date CHECK (expiry_date >= date),
  reference_number            text,
  place_of_supply             text NOT NULL,
  currency_code               text NOT NULL,
  exchange_rate               numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  sub_total                   bigint NOT NULL,
  cgst                        bigint NOT NULL,
  sgst                        bigint NOT NULL,
  igst                        bigint NOT NULL,
  cess                        bigint NOT NULL,
  tax_total                   bigint NOT NULL,
  round_off                   bigint NOT NULL CHECK (round_off = 0),
  total                       bigint NOT NULL CHECK (total >= 0),
  status                      text NOT NULL CHECK (status IN ('DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CONVERTED', 'CANCELLED')),
  converted_to_sales_order_id uuid,
  notes                       text,
  tags                        uuid[] NOT NULL,
  version                     integer NOT NULL,
  created_time                timestamptz NOT NULL,
  last_modified_time          timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, estimate_number),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  CHECK ((status = 'CONVERTED') = (converted_to_sales_order_id IS NOT NULL)),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, customer_id) REFERENCES contacts
);
-- GET /estimates: the plain page and one index a filter; by customer also "is this contact used?" when one is deleted.
CREATE INDEX estimates_page ON estimates (org_id, created_time DESC, id DESC);
CREATE INDEX estimates_by_status ON estimates (org_id, status, created_time DESC, id DESC);
CREATE INDEX estimates_by_customer ON estimates (org_id, customer_id, created_time DESC, id DESC);
CREATE INDEX estimates_by_date ON estimates (org_id, date);
CREATE INDEX estimates_by_reference ON estimates (org_id, reference_number, created_time DESC, id DESC) WHERE reference_number IS NOT NULL;
CREATE INDEX estimates_modified ON estimates (org_id, last_modified_time);

CREATE TABLE estimate_lines (
  org_id         uuid NOT NULL,
  id             uuid NOT NULL,
  estimate_id    uuid NOT NULL,
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
  UNIQUE (org_id, estimate_id, line_no),
  FOREIGN KEY (org_id, estimate_id) REFERENCES estimates ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- "Is this item used?" when an item is deleted.
CREATE INDEX estimate_lines_by_item ON estimate_lines (org_id, item_id) WHERE item_id IS NOT NULL;
