-- What people call their tokens; null for those that operators and partners have issued.
ALTER TABLE tokens ADD COLUMN name text;
