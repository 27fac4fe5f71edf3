-- The nightly sweep: time zones, the organisations of one of them, and what has yet to become OVERDUE there.

CREATE INDEX organizations_by_zone ON organizations (time_zone, id);
-- What is OVERDUE already stays so for long and may be much: these indexes are without it, unlike those for overdue=true.
CREATE INDEX invoices_falling_due ON invoices (org_id, due_date) WHERE status IN ('SENT', 'PARTIALLY_PAID') AND balance > 0;
CREATE INDEX bills_falling_due ON bills (org_id, due_date) WHERE status IN ('OPEN', 'PARTIALLY_PAID') AND balance > 0;
