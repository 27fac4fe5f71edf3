-- Conversions: what was asked of them, what they made, and the links between a source and its targets.

-- Both ways between an estimate and the one order that was made of it.
ALTER TABLE estimates ADD FOREIGN KEY (org_id, converted_to_sales_order_id) REFERENCES sales_orders;
ALTER TABLE sales_orders ADD FOREIGN KEY (org_id, estimate_id) REFERENCES estimates;
CREATE UNIQUE INDEX sales_orders_of_estimate ON sales_orders (org_id, estimate_id) WHERE estimate_id IS NOT NULL;

ALTER TABLE invoices ADD COLUMN sales_order_id uuid, ADD COLUMN estimate_id uuid,
  ADD FOREIGN KEY (org_id, sales_order_id) REFERENCES sales_orders,
  ADD FOREIGN KEY (org_id, estimate_id) REFERENCES estimates;
ALTER TABLE invoice_lines ADD COLUMN sales_order_line_id uuid,
  ADD FOREIGN KEY (org_id, sales_order_line_id) REFERENCES sales_order_lines;
ALTER TABLE bills ADD COLUMN purchase_order_id uuid,
  ADD FOREIGN KEY (org_id, purchase_order_id) REFERENCES purchase_orders;
ALTER TABLE bill_lines ADD COLUMN purchase_order_line_id uuid,
  ADD FOREIGN KEY (org_id, purchase_order_line_id) REFERENCES purchase_order_lines;
-- "What was made of it?" where orders and estimates are read.
CREATE INDEX invoices_of_sales_order ON invoices (org_id, sales_order_id, created_time, id) WHERE sales_order_id IS NOT NULL;
CREATE INDEX invoices_of_estimate ON invoices (org_id, estimate_id, created_time, id) WHERE estimate_id IS NOT NULL;
CREATE INDEX bills_of_purchase_order ON bills (org_id, purchase_order_id, created_time, id) WHERE purchase_order_id IS NOT NULL;
-- A line goes into one invoice or bill once; also for the deletion of a draft order's lines.
CREATE UNIQUE INDEX invoice_lines_of_order ON invoice_lines (org_id, sales_order_line_id, invoice_id) WHERE sales_order_line_id IS NOT NULL;
CREATE UNIQUE INDEX bill_lines_of_order ON bill_lines (org_id, purchase_order_line_id, bill_id) WHERE purchase_order_line_id IS NOT NULL;

-- A request to convert, written down before it is carried out: `hops` counts the documents that it has made so far.
-- The ids of these are without a foreign key, for a draft may be deleted later, and the source likewise.
CREATE TABLE conversions (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  source_type        text NOT NULL CHECK (source_type IN ('ESTIMATE', 'SALES_ORDER', 'PURCHASE_ORDER')),
  source_id          uuid NOT NULL,
  through            text CHECK (through IS NULL OR (through = 'invoice' AND source_type = 'ESTIMATE')),
  line_items         jsonb,
  auto_approve       boolean NOT NULL,
  requested_by       uuid,
  origin             jsonb NOT NULL,
  hops               smallint NOT NULL CHECK (hops BETWEEN 0 AND CASE through WHEN 'invoice' THEN 2 ELSE 1 END),
  sales_order_id     uuid,
  invoice_id         uuid,
  bill_id            uuid,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CHECK (num_nonnulls(sales_order_id, invoice_id, bill_id) = hops)
);
-- No document is made by two conversions.
CREATE UNIQUE INDEX conversions_sales_order ON conversions (org_id, sales_order_id) WHERE sales_order_id IS NOT NULL;
CREATE UNIQUE INDEX conversions_invoice ON conversions (org_id, invoice_id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX conversions_bill ON conversions (org_id, bill_id) WHERE bill_id IS NOT NULL;
