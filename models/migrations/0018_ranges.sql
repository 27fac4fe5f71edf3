-- Lists by a range: date_from and date_to, modified_since, overdue=true, in the order of created_time.
--
-- A B-tree has its rows in one order: a list of a quarter, newest first, either sorts the whole quarter for every page or
-- reads from the newest row until it meets the quarter. GiST keeps for each of its pages the range of every column, so a
-- list is walked in the order of created_time (as its distance from a time far away, see models/page.ts) past whatever
-- is outside the range. One index serves both filters, in place of one for each.
-- The time is an expression there, so that no B-tree can take its place: planned as a range of created_time in one, the
-- page behind a cursor would again read whatever lies between the cursor and the rows in the range.
--
-- In steps beside the service; what a run that was broken off has left is made anew.
DROP INDEX IF EXISTS
  invoices_by_range, bills_by_range, payments_by_range, expenses_by_range, credit_notes_by_range,
  debit_notes_by_range, estimates_by_range, sales_orders_by_range, purchase_orders_by_range, journals_by_range,
  contacts_by_range, items_by_range, webhook_deliveries_by_range, invoices_overdue, bills_overdue,
  invoices_falling_due, bills_falling_due;
-- step
CREATE INDEX CONCURRENTLY invoices_by_range ON invoices USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY bills_by_range ON bills USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY payments_by_range ON payments USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY expenses_by_range ON expenses USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY credit_notes_by_range ON credit_notes USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY debit_notes_by_range ON debit_notes USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY estimates_by_range ON estimates USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY sales_orders_by_range ON sales_orders USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY purchase_orders_by_range ON purchase_orders USING gist (org_id, date, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
-- An entry is never changed, and masters and deliveries have no date.
CREATE INDEX CONCURRENTLY journals_by_range ON journals USING gist (org_id, date, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY contacts_by_range ON contacts USING gist (org_id, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY items_by_range ON items USING gist (org_id, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
CREATE INDEX CONCURRENTLY webhook_deliveries_by_range ON webhook_deliveries USING gist (org_id, last_modified_time, (created_time AT TIME ZONE 'UTC'));
-- step
-- overdue=true: what is owed, by its due date.
CREATE INDEX CONCURRENTLY invoices_overdue ON invoices USING gist (org_id, due_date, (created_time AT TIME ZONE 'UTC'))
  WHERE status IN ('SENT', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0;
-- step
CREATE INDEX CONCURRENTLY bills_overdue ON bills USING gist (org_id, due_date, (created_time AT TIME ZONE 'UTC'))
  WHERE status IN ('OPEN', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0;
-- step
-- So the nightly sweep alone asks by status: for what has yet to become OVERDUE.
CREATE INDEX CONCURRENTLY invoices_falling_due ON invoices (org_id, status, due_date)
  WHERE status IN ('SENT', 'PARTIALLY_PAID') AND balance > 0;
-- step
CREATE INDEX CONCURRENTLY bills_falling_due ON bills (org_id, status, due_date)
  WHERE status IN ('OPEN', 'PARTIALLY_PAID') AND balance > 0;
-- step
-- Each by itself, so that a table is locked for the blink of one.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'invoices_by_date', 'invoices_modified', 'bills_by_date', 'bills_modified', 'payments_by_date',
    'payments_modified', 'expenses_by_date', 'expenses_modified', 'credit_notes_by_date', 'credit_notes_modified',
    'debit_notes_by_date', 'debit_notes_modified', 'estimates_by_date', 'estimates_modified', 'sales_orders_by_date',
    'sales_orders_modified', 'purchase_orders_by_date', 'purchase_orders_modified', 'journals_by_date',
    'contacts_modified', 'items_modified', 'webhook_deliveries_modified', 'invoices_owed', 'bills_owed'
  ] LOOP
    EXECUTE format('DROP INDEX IF EXISTS %I', name);
    COMMIT;
  END LOOP;
END $$;
-- step
-- How the expression is spread.
ANALYZE invoices, bills, payments, expenses, credit_notes, debit_notes, estimates, sales_orders, purchase_orders, journals, contacts, items, webhook_deliveries;
