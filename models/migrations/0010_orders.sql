-- Sales orders, purchase orders and their lines. Amounts are minor units of the order's currency.

-- `estimate_id` is the estimate that the order was made of.
CREATE TABLE sales_orders (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  branch_id          uuid NOT NULL,
  sales_order_number text NOT NULL,
  customer_id        uuid NOT NULL,
  customer_name      text NOT NULL,
  date               date NOT NULL,
  shipment_date      date CHECK (shipment_date >= date),
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
  status             text NOT NULL CHECK (status IN
                       ('DRAFT', 'OPEN', 'PARTIALLY_INVOICED', 'INVOICED', 'CLOSED', 'CANCELLED')),
  estimate_id        uuid,
  notes              text,
  tags               uuid[] NOT NULL,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, sales_order_number),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, customer_id) REFERENCES contacts
);
-- GET /sales_orders: the plain page and one index a filter; by customer also "is this contact used?" when one is deleted.
CREATE INDEX sales_orders_page ON sales_orders (org_id, created_time DESC, id DESC);
CREATE INDEX sales_orders_by_status ON sales_orders (org_id, status, created_time DESC, id DESC);
CREATE INDEX sales_orders_by_customer ON sales_orders (org_id, customer_id, created_time DESC, id DESC);
CREATE INDEX sales_orders_by_date ON sales_orders (org_id, date);
CREATE INDEX sales_orders_by_reference ON sales_orders (org_id, reference_number, created_time DESC, id DESC)
  WHERE reference_number IS NOT NULL;
CREATE INDEX sales_orders_modified ON sales_orders (org_id, last_modified_time);

-- `quantity_invoiced` is how much of the line has gone into invoices.
CREATE TABLE sales_order_lines (
  org_id            uuid NOT NULL,
  id                uuid NOT NULL,
  sales_order_id    uuid NOT NULL,
  line_no           smallint NOT NULL,
  item_id           uuid,
  name              text NOT NULL,
  description       text,
  hsn_or_sac        text,
  quantity          numeric(24, 6) NOT NULL CHECK (quantity > 0),
  quantity_invoiced numeric(24, 6) NOT NULL DEFAULT 0 CHECK (quantity_invoiced BETWEEN 0 AND quantity),
  unit              text,
  rate              numeric(24, 6) NOT NULL CHECK (rate >= 0),
  discount          numeric(24, 6) NOT NULL CHECK (discount >= 0),
  tax_id            uuid,
  tax_percentage    numeric(6, 3) NOT NULL,
  account_id        uuid NOT NULL,
  item_total        bigint NOT NULL,
  cgst              bigint NOT NULL,
  sgst              bigint NOT NULL,
  igst              bigint NOT NULL,
  cess              bigint NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, sales_order_id) REFERENCES sales_orders ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- The lines of an order in their order. Not unique: one statement takes the old lines away and puts the new ones in.
CREATE INDEX sales_order_lines_of ON sales_order_lines (org_id, sales_order_id, line_no);
-- "Is this item used?" when an item is deleted.
CREATE INDEX sales_order_lines_by_item ON sales_order_lines (org_id, item_id) WHERE item_id IS NOT NULL;

CREATE TABLE purchase_orders (
  org_id                uuid NOT NULL REFERENCES organizations,
  id                    uuid NOT NULL,
  branch_id             uuid NOT NULL,
  purchase_order_number text NOT NULL,
  vendor_id             uuid NOT NULL,
  vendor_name           text NOT NULL,
  date                  date NOT NULL,
  expected_date         date CHECK (expected_date >= date),
  reference_number      text,
  place_of_supply       text NOT NULL,
  currency_code         text NOT NULL,
  exchange_rate         numeric(24, 10) NOT NULL CHECK (exchange_rate > 0),
  sub_total             bigint NOT NULL,
  cgst                  bigint NOT NULL,
  sgst                  bigint NOT NULL,
  igst                  bigint NOT NULL,
  cess                  bigint NOT NULL,
  tax_total             bigint NOT NULL,
  round_off             bigint NOT NULL CHECK (round_off = 0),
  total                 bigint NOT NULL CHECK (total >= 0),
  status                text NOT NULL CHECK (status IN ('DRAFT', 'OPEN', 'BILLED', 'CANCELLED')),
  notes                 text,
  tags                  uuid[] NOT NULL,
  version               integer NOT NULL,
  created_time          timestamptz NOT NULL,
  last_modified_time    timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, purchase_order_number),
  CHECK (sub_total + tax_total + round_off = total),
  CHECK (cgst + sgst + igst + cess = tax_total),
  FOREIGN KEY (org_id, branch_id) REFERENCES branches,
  FOREIGN KEY (org_id, vendor_id) REFERENCES contacts
);
-- GET /purchase_orders: the plain page and one index a filter; by vendor also "is this contact used?" when one is deleted.
CREATE INDEX purchase_orders_page ON purchase_orders (org_id, created_time DESC, id DESC);
CREATE INDEX purchase_orders_by_status ON purchase_orders (org_id, status, created_time DESC, id DESC);
CREATE INDEX purchase_orders_by_vendor ON purchase_orders (org_id, vendor_id, created_time DESC, id DESC);
CREATE INDEX purchase_orders_by_date ON purchase_orders (org_id, date);
CREATE INDEX purchase_orders_by_reference ON purchase_orders (org_id, reference_number, created_time DESC, id DESC)
  WHERE reference_number IS NOT NULL;
CREATE INDEX purchase_orders_modified ON purchase_orders (org_id, last_modified_time);

-- `quantity_billed` is how much of the line has gone into bills. The rcm columns are the tax that the buyer assesses
-- upon itself under reverse charge; the vendor is not owed it.
CREATE TABLE purchase_order_lines (
  org_id            uuid NOT NULL,
  id                uuid NOT NULL,
  purchase_order_id uuid NOT NULL,
  line_no           smallint NOT NULL,
  item_id           uuid,
  name              text NOT NULL,
  description       text,
  hsn_or_sac        text,
  quantity          numeric(24, 6) NOT NULL CHECK (quantity > 0),
  quantity_billed   numeric(24, 6) NOT NULL DEFAULT 0 CHECK (quantity_billed BETWEEN 0 AND quantity),
  unit              text,
  rate              numeric(24, 6) NOT NULL CHECK (rate >= 0),
  discount          numeric(24, 6) NOT NULL CHECK (discount >= 0),
  tax_id            uuid,
  tax_percentage    numeric(6, 3) NOT NULL,
  account_id        uuid NOT NULL,
  item_total        bigint NOT NULL,
  cgst              bigint NOT NULL,
  sgst              bigint NOT NULL,
  igst              bigint NOT NULL,
  cess              bigint NOT NULL,
  rcm_cgst          bigint NOT NULL,
  rcm_sgst          bigint NOT NULL,
  rcm_igst          bigint NOT NULL,
  rcm_cess          bigint NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, purchase_order_id) REFERENCES purchase_orders ON DELETE CASCADE,
  FOREIGN KEY (org_id, item_id) REFERENCES items,
  FOREIGN KEY (org_id, tax_id) REFERENCES taxes,
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
);
-- The lines of an order in their order. Not unique: one statement takes the old lines away and puts the new ones in.
CREATE INDEX purchase_order_lines_of ON purchase_order_lines (org_id, purchase_order_id, line_no);
-- "Is this item used?" when an item is deleted.
CREATE INDEX purchase_order_lines_by_item ON purchase_order_lines (org_id, item_id) WHERE item_id IS NOT NULL;
