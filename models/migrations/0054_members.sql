-- Users who were removed from an organisation: what they have done stays theirs, and they belong to it no more.

-- A removed user has no person, so that no session finds them; the address stays for who they were.
ALTER TABLE users ADD COLUMN removed_time timestamptz;
