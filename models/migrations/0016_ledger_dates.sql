-- The ledger by time, first part: lines have their entry's date and branch, accounts their sums by month, from now on.
--
-- 0017 does the same for what stands. Both run beside the service, that of the version before included: its lines come
-- without a date, and get it here. What is there for that version alone goes with it, in a later migration: date_line,
-- carry_dated, journal_lines_kept, branch_of, the view account_balances; and `date` becomes NOT NULL then.

SET LOCAL lock_timeout = '5s';

-- What the lines of an account come to in a calendar month, `month` being its first day: kept by a trigger on the lines,
-- so that a balance as of any date, and what moved in any period, cost rows of accounts and months, not of entries.
CREATE TABLE monthly_balances (
  org_id     uuid NOT NULL,
  account_id uuid NOT NULL,
  month      date NOT NULL,
  debit      bigint NOT NULL,
  credit     bigint NOT NULL,
  PRIMARY KEY (org_id, account_id, month),
  FOREIGN KEY (org_id, account_id) REFERENCES accounts
) WITH (fillfactor = 50);

-- The date is the journal's. The branch is the document's, null where the document has none (payments, expenses, manual
-- entries); it has no foreign key, which would cost every line a look-up: the document's has one.
ALTER TABLE journal_lines ADD COLUMN date date, ADD COLUMN branch_id uuid;

CREATE FUNCTION branch_of(journal journals) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE journal.source
    WHEN 'INVOICE' THEN (SELECT d.branch_id FROM invoices AS d WHERE d.org_id = journal.org_id AND d.id = journal.source_id)
    WHEN 'BILL' THEN (SELECT d.branch_id FROM bills AS d WHERE d.org_id = journal.org_id AND d.id = journal.source_id)
    WHEN 'CREDIT_NOTE' THEN (SELECT d.branch_id FROM credit_notes AS d WHERE d.org_id = journal.org_id AND d.id = journal.source_id)
    WHEN 'DEBIT_NOTE' THEN (SELECT d.branch_id FROM debit_notes AS d WHERE d.org_id = journal.org_id AND d.id = journal.source_id)
  END;
END $$;

-- A line is still never changed, but for one without a date: it may be given its date and branch.
DROP TRIGGER journal_lines_append_only ON journal_lines;
CREATE TRIGGER journal_lines_append_only BEFORE DELETE OR TRUNCATE ON journal_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_lines_kept BEFORE UPDATE ON journal_lines FOR EACH ROW WHEN (
  OLD.date IS NOT NULL
  OR (OLD.org_id, OLD.journal_id, OLD.line_no, OLD.line_count, OLD.account_id, OLD.contact_id, OLD.debit, OLD.credit, OLD.description, OLD.created_time)
    IS DISTINCT FROM
     (NEW.org_id, NEW.journal_id, NEW.line_no, NEW.line_count, NEW.account_id, NEW.contact_id, NEW.debit, NEW.credit, NEW.description, NEW.created_time)
) EXECUTE FUNCTION refuse_change();

-- A line counts in its account's month as soon as it has a date. The rows are locked in the order of their keys, so that
-- two postings that share accounts never wait for each other in a circle.
CREATE FUNCTION carry_months() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO monthly_balances AS kept (org_id, account_id, month, debit, credit)
    SELECT org_id, account_id, date_trunc('month', date::timestamp)::date, sum(debit), sum(credit)
    FROM dated WHERE date IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (org_id, account_id, month) DO UPDATE SET debit = kept.debit + excluded.debit, credit = kept.credit + excluded.credit;
  RETURN NULL;
END $$;
CREATE TRIGGER carry_months AFTER INSERT ON journal_lines
  REFERENCING NEW TABLE AS dated FOR EACH STATEMENT EXECUTE FUNCTION carry_months();
CREATE TRIGGER carry_dated AFTER UPDATE ON journal_lines
  REFERENCING NEW TABLE AS dated FOR EACH STATEMENT EXECUTE FUNCTION carry_months();

-- The lines of the version before, an entry's all at once. Within one statement a line may be written before its journal, so
-- its date is looked up afterwards.
CREATE FUNCTION date_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE journal_lines AS line SET date = j.date, branch_id = branch_of(j) FROM journals AS j
    WHERE j.org_id = NEW.org_id AND j.id = NEW.journal_id
      AND line.org_id = NEW.org_id AND line.journal_id = NEW.journal_id AND line.date IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER date_line AFTER INSERT ON journal_lines
  FOR EACH ROW WHEN (NEW.date IS NULL) EXECUTE FUNCTION date_line();
