-- The size of a logo, as it was read when the logo was checked.

-- No call and no command has written logos before this migration.
ALTER TABLE logos ADD COLUMN width integer NOT NULL, ADD COLUMN height integer NOT NULL;
