-- Purchase accounts of items, rounded notes, equal bills of one order, tags on payments, expenses and journals.

-- The account that a purchase of the item is debited to; null for Purchases.
ALTER TABLE items ADD COLUMN purchase_account_id uuid,
  ADD FOREIGN KEY (org_id, purchase_account_id) REFERENCES accounts;

-- A note is rounded as the document that it is against; below one unit of the currency, which the commands hold.
ALTER TABLE credit_notes DROP CONSTRAINT credit_notes_round_off_check;
ALTER TABLE debit_notes DROP CONSTRAINT debit_notes_round_off_check;

-- The duplicate guard looks for the posted bills of a vendor, date and total; bills of one purchase order are parts of
-- it and are not compared. Of two calls that pass the guard at once one stops here: two bills conflict where all else is
-- equal and their orders differ; a bill of no order counts as an order of its own. The index also serves the guard's own
-- question: the posted bills of a vendor, date and total.
CREATE EXTENSION IF NOT EXISTS btree_gist;
DROP INDEX bills_posted_twice;
ALTER TABLE bills ADD CONSTRAINT bills_posted_twice EXCLUDE USING gist (
  org_id WITH =, vendor_id WITH =, date WITH =, total WITH =, currency_code WITH =, (coalesce(reference_number, '')) WITH =,
  (coalesce(purchase_order_id, id)) WITH <>
) WHERE (status NOT IN ('DRAFT', 'CANCELLED'));

-- The cost centers of a payment, an expense, a journal; those that stand have none.
ALTER TABLE payments ADD COLUMN tags uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE expenses ADD COLUMN tags uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE journals ADD COLUMN tags uuid[] NOT NULL DEFAULT '{}';

-- The list filter `tag`: the rows that carry it. A row without tags is in none of them.
CREATE INDEX invoices_by_tag ON invoices USING gin (tags) WHERE tags <> '{}';
CREATE INDEX bills_by_tag ON bills USING gin (tags) WHERE tags <> '{}';
CREATE INDEX estimates_by_tag ON estimates USING gin (tags) WHERE tags <> '{}';
CREATE INDEX sales_orders_by_tag ON sales_orders USING gin (tags) WHERE tags <> '{}';
CREATE INDEX purchase_orders_by_tag ON purchase_orders USING gin (tags) WHERE tags <> '{}';
CREATE INDEX credit_notes_by_tag ON credit_notes USING gin (tags) WHERE tags <> '{}';
CREATE INDEX debit_notes_by_tag ON debit_notes USING gin (tags) WHERE tags <> '{}';
CREATE INDEX payments_by_tag ON payments USING gin (tags) WHERE tags <> '{}';
CREATE INDEX expenses_by_tag ON expenses USING gin (tags) WHERE tags <> '{}';
CREATE INDEX journals_by_tag ON journals USING gin (tags) WHERE tags <> '{}';
