-- Refusals of conversions: without them a refused one looked like one that waits to be carried out.

-- The error code; null while the conversion waits or runs, and once it is done.
ALTER TABLE conversions ADD COLUMN refusal text;
