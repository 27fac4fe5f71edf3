-- The books: journals and their lines, and the activity log; both are only ever added to.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TABLE journals (
  org_id         uuid NOT NULL REFERENCES organizations,
  id             uuid NOT NULL,
  journal_number text NOT NULL,
  date           date NOT NULL,
  source         text NOT NULL,
  source_id      uuid,
  memo           text,
  contact_id     uuid,
  reversal_of    uuid,
  line_count     smallint NOT NULL CHECK (line_count >= 2),
  created_time   timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  UNIQUE (org_id, id, line_count),
  UNIQUE (org_id, journal_number),
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts,
  FOREIGN KEY (org_id, reversal_of) REFERENCES journals
);
-- An entry is reversed at most once; also finds the reversal of an entry.
CREATE UNIQUE INDEX journals_reversal ON journals (org_id, reversal_of) WHERE reversal_of IS NOT NULL;
-- GET /journals: the plain page and one index a filter.
CREATE INDEX journals_page ON journals (org_id, created_time DESC, id DESC);
CREATE INDEX journals_by_source ON journals (org_id, source, created_time DESC, id DESC);
CREATE INDEX journals_by_source_id ON journals (org_id, source_id);
CREATE INDEX journals_by_contact ON journals (org_id, contact_id, created_time DESC, id DESC) WHERE contact_id IS NOT NULL;
CREATE INDEX journals_by_date ON journals (org_id, date);

-- Amounts are minor units of the organisation's currency. `line_count` repeats the journal's own count: with the
-- places 1 to line_count all taken when the entry is committed, no line can be added to it afterwards.
CREATE TABLE journal_lines (
  org_id       uuid NOT NULL,
  journal_id   uuid NOT NULL,
  line_no      smallint NOT NULL,
  line_count   smallint NOT NULL,
  account_id   uuid NOT NULL,
  contact_id   uuid,
  debit        bigint NOT NULL CHECK (debit >= 0),
  credit       bigint NOT NULL CHECK (credit >= 0),
  description  text,
  created_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, journal_id, line_no),
  CHECK (line_no BETWEEN 1 AND line_count),
  CHECK ((debit = 0) <> (credit = 0)),
  FOREIGN KEY (org_id, journal_id, line_count) REFERENCES journals (org_id, id, line_count),
  FOREIGN KEY (org_id, account_id) REFERENCES accounts,
  FOREIGN KEY (org_id, contact_id) REFERENCES contacts
);
-- GET /journals?account_id, and what an account's history reads.
CREATE INDEX journal_lines_by_account ON journal_lines (org_id, account_id, created_time DESC, journal_id DESC);
-- A contact's receivable or payable in the ledger.
CREATE INDEX journal_lines_by_contact ON journal_lines (org_id, contact_id, account_id) WHERE contact_id IS NOT NULL;

-- At commit an entry has all the lines it says it has, and they balance.
CREATE FUNCTION check_journal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lines integer;
  difference numeric;
BEGIN
  SELECT count(*), coalesce(sum(debit) - sum(credit), 0) INTO lines, difference
    FROM journal_lines WHERE org_id = NEW.org_id AND journal_id = NEW.id;
  IF lines <> NEW.line_count OR difference <> 0 THEN
    RAISE EXCEPTION 'journal % does not balance: % of % lines, difference %', NEW.id, lines, NEW.line_count, difference
      USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_balances';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER journal_balances AFTER INSERT ON journals
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_journal();

-- Every line moves its account's balance. The rows are locked in the order of their ids, so that two postings that
-- share accounts never wait for each other in a circle.
CREATE FUNCTION carry_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_balances AS kept (org_id, account_id, balance)
    SELECT org_id, account_id, sum(debit - credit) FROM added GROUP BY org_id, account_id ORDER BY org_id, account_id
    ON CONFLICT (org_id, account_id) DO UPDATE SET balance = kept.balance + excluded.balance;
  RETURN NULL;
END $$;
CREATE TRIGGER carry_balances AFTER INSERT ON journal_lines
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION carry_balances();

CREATE TRIGGER journals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_lines_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE activity (
  org_id        uuid NOT NULL REFERENCES organizations,
  id            uuid NOT NULL,
  action        text NOT NULL,
  entity_type   text NOT NULL,
  entity_id     uuid NOT NULL,
  entity_ref    text,
  actor_user_id uuid,
  changes       jsonb,
  metadata      jsonb NOT NULL,
  occurred_at   timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
-- GET /activity: the plain page and one index a filter; the second serves the per-document aliases too.
CREATE INDEX activity_page ON activity (org_id, occurred_at DESC, id DESC);
CREATE INDEX activity_by_entity ON activity (org_id, entity_id, occurred_at DESC, id DESC);
CREATE INDEX activity_by_type ON activity (org_id, entity_type, occurred_at DESC, id DESC);
CREATE INDEX activity_by_actor ON activity (org_id, actor_user_id, occurred_at DESC, id DESC) WHERE actor_user_id IS NOT NULL;
CREATE TRIGGER activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON activity
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Fills in the numbers of a deed. `blanks` lists, in the order in which they are taken, {blank, sequence, before,
-- padding, after, document, branch_id}: each blank in the deed's text is replaced by the next number of its sequence.
-- Called by the last statement before the commit, so that a sequence's row is locked for no longer than that, and a
-- deed that is rolled back gives its numbers back.
CREATE FUNCTION fill_blanks(org uuid, blanks jsonb, INOUT deed text, OUT numbers text[]) LANGUAGE plpgsql AS $$
DECLARE
  asked record;
  taken bigint;
  number text;
BEGIN
  FOR asked IN SELECT * FROM jsonb_to_recordset(blanks) AS b(
    blank text, sequence text, before text, padding integer, after text, document text, branch_id uuid
  ) LOOP
    LOOP
      UPDATE number_counters AS counter SET next_number = counter.next_number + 1
        WHERE counter.org_id = org AND counter.sequence = asked.sequence RETURNING counter.next_number - 1 INTO taken;
      -- The first number of a sequence; two that begin it at once take turns.
      IF NOT FOUND THEN
        INSERT INTO number_counters AS counter (org_id, sequence, next_number) VALUES (org, asked.sequence, 2)
          ON CONFLICT (org_id, sequence) DO UPDATE SET next_number = counter.next_number + 1
          RETURNING counter.next_number - 1 INTO taken;
      END IF;
      number := asked.before || lpad(taken::text, greatest(asked.padding, length(taken::text)), '0') || asked.after;
      -- Nobody sends a journal's number by hand.
      EXIT WHEN asked.document = 'journal';
      EXIT WHEN NOT number_in_use(org, asked.document, asked.branch_id, number);
    END LOOP;
    deed := replace(deed, asked.blank, number);
    numbers := numbers || number;
  END LOOP;
END $$;

-- Has somebody given this very number by hand? Then the sequence steps over it.
CREATE FUNCTION number_in_use(org uuid, document text, branch uuid, number text) RETURNS boolean
  LANGUAGE sql STABLE AS $$ SELECT false $$;
