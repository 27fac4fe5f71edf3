-- The function that takes the numbers of a unit of work, under a name that says so.

-- `placeholders` lists, in the order in which they are taken, {placeholder, sequence, before, padding, after, document,
-- branch_id}: each placeholder in the text of the rows is replaced by the next number of its sequence. Called by the last
-- statement before the commit, so that a sequence's row is locked for no longer than that, and a unit of work that is
-- rolled back gives its numbers back. `fill_blanks` of 0003 does the same; it stays for processes of an earlier version,
-- which run beside the new ones during an upgrade.
CREATE FUNCTION fill_numbers(org uuid, placeholders jsonb, INOUT row_groups text, OUT numbers text[]) LANGUAGE plpgsql AS $$
DECLARE
  wanted record;
  taken bigint;
  number text;
BEGIN
  FOR wanted IN SELECT * FROM jsonb_to_recordset(placeholders) AS p(
    placeholder text, sequence text, before text, padding integer, after text, document text, branch_id uuid
  ) LOOP
    LOOP
      UPDATE number_counters AS counter SET next_number = counter.next_number + 1
        WHERE counter.org_id = org AND counter.sequence = wanted.sequence RETURNING counter.next_number - 1 INTO taken;
      -- The first number of a sequence; two that begin it at once take turns.
      IF NOT FOUND THEN
        INSERT INTO number_counters AS counter (org_id, sequence, next_number) VALUES (org, wanted.sequence, 2)
          ON CONFLICT (org_id, sequence) DO UPDATE SET next_number = counter.next_number + 1
          RETURNING counter.next_number - 1 INTO taken;
      END IF;
      number := wanted.before || lpad(taken::text, greatest(wanted.padding, length(taken::text)), '0') || wanted.after;
      -- Nobody sends a journal's number by hand.
      EXIT WHEN wanted.document = 'journal';
      EXIT WHEN NOT number_in_use(org, wanted.document, wanted.branch_id, number);
    END LOOP;
    row_groups := replace(row_groups, wanted.placeholder, number);
    numbers := numbers || number;
  END LOOP;
END $$;
