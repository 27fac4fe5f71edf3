-- Addresses of branches: where a branch is, and where its goods leave from if that is elsewhere.

-- Null for a branch at the organisation's own address, and for one whose goods leave from it.
ALTER TABLE branches ADD COLUMN address jsonb, ADD COLUMN dispatch_address jsonb;
