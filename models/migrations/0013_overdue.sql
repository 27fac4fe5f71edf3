-- The nightly sweep: time zones, the organisations of one of them, and what has yet to become OVERDUE there.

CREATE INDEX organizations_by_zone ON organizations (time_zone, id);
-- What is owed, by status and due date: overdue=true asks for three statuses, the sweep for the two that have yet to
-- become OVERDUE; so what is OVERDUE already, which may be much, is not read again every night.
DROP INDEX invoices_unpaid_due, bills_unpaid_due;
CREATE INDEX invoices_owed ON invoices (org_id, status, due_date) WHERE status IN ('SENT', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0;
CREATE INDEX bills_owed ON bills (org_id, status, due_date) WHERE status IN ('OPEN', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0;
