-- Disputes: why an invoice is not owed, or not all of it, as its customer says.

-- In the invoice's own row, so that what is remembered of the invoice is stale when it changes; null while nobody disputes it.
ALTER TABLE invoices ADD COLUMN dispute jsonb;
