-- The ledger by time, second part: what stands gets its dates and with them its months, in steps beside the service.

-- step
-- In portions, each committed by itself: postings go on meanwhile, and a run that was broken off is gone on with.
DO $$
DECLARE
  org  uuid := '00000000-0000-0000-0000-000000000000';
  last uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    WITH portion AS MATERIALIZED (
      SELECT j.org_id, j.id, j.date, branch_of(j) AS branch_id FROM journals AS j
      WHERE (j.org_id, j.id) > (org, last) ORDER BY j.org_id, j.id LIMIT 2000
    ), dated AS (
      UPDATE journal_lines AS line SET date = p.date, branch_id = p.branch_id FROM portion AS p
      WHERE line.org_id = p.org_id AND line.journal_id = p.id AND line.date IS NULL
    )
    SELECT p.org_id, p.id INTO org, last FROM portion AS p ORDER BY p.org_id DESC, p.id DESC LIMIT 1;
    EXIT WHEN NOT FOUND;
    COMMIT;
  END LOOP;
END $$;

-- step
DROP INDEX CONCURRENTLY IF EXISTS journal_lines_by_account_date;

-- step
-- An account's lines of some days, and GET /journals?account_id; in the place of journal_lines_by_account.
CREATE INDEX CONCURRENTLY journal_lines_by_account_date ON journal_lines (org_id, account_id, date, journal_id);

-- step
VACUUM (ANALYZE) journal_lines, monthly_balances;

-- step
SET LOCAL lock_timeout = '5s';
LOCK TABLE accounts, journal_lines, account_balances IN ACCESS EXCLUSIVE MODE;

-- What was kept until now is not thrown away before its months come to the same.
DO $$
DECLARE
  drifted integer;
BEGIN
  SELECT count(*) INTO drifted FROM account_balances AS b
    FULL JOIN (SELECT org_id, account_id, sum(debit - credit) AS balance FROM monthly_balances GROUP BY 1, 2) AS m USING (org_id, account_id)
    WHERE coalesce(b.balance, 0) <> coalesce(m.balance, 0);
  IF drifted > 0 THEN
    RAISE EXCEPTION 'the balances of % accounts are not the sums of their lines: npm run audit of the version before names them', drifted;
  END IF;
END $$;

DROP INDEX journal_lines_by_account;

-- At commit an entry has all the lines it says it has, all of its own date, and they balance.
CREATE OR REPLACE FUNCTION check_journal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lines integer;
  difference numeric;
BEGIN
  SELECT count(*), coalesce(sum(debit - credit), 0) INTO lines, difference
    FROM journal_lines WHERE org_id = NEW.org_id AND journal_id = NEW.id AND date = NEW.date;
  IF lines <> NEW.line_count OR difference <> 0 THEN
    RAISE EXCEPTION 'journal % does not balance: % of % lines of its date, difference %', NEW.id, lines, NEW.line_count, difference
      USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_balances';
  END IF;
  RETURN NULL;
END $$;

-- Of direct changes none is let through any more; date_line changes what it is called for.
CREATE TRIGGER journal_lines_unchanged BEFORE UPDATE ON journal_lines
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

-- The balance of an account is the sum of its months; under its old name for the version before.
DROP TRIGGER carry_balances ON journal_lines;
DROP FUNCTION carry_balances();
DROP TABLE account_balances;
CREATE VIEW account_balances AS
  SELECT org_id, account_id, sum(debit - credit)::bigint AS balance FROM monthly_balances GROUP BY org_id, account_id;
