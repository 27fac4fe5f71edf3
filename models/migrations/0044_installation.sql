-- The installation that this database is of.

-- One row, which the first process makes that asks for it. `id` marks what belongs to these books in other services.
-- `key_sample` is a text that was sealed with ENCRYPTION_KEY: a process that cannot open it has another key, and does not start.
CREATE TABLE installation (
  id           uuid PRIMARY KEY,
  key_sample   text,
  created_time timestamptz NOT NULL
);
CREATE UNIQUE INDEX installation_once ON installation ((true));
