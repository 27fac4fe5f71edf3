-- Reminders of unpaid invoices: who was reminded on which day, and which organisation reminds its customers next.
--
-- In steps beside the service; what a run that was broken off has left is made anew.
-- `reminded_on`: the day, in the zone of the organisation, on which the mail reminds of its invoice. `template`: the texts of which
-- a reminder is made when it is sent, from what is owed then.
ALTER TABLE emails ADD COLUMN IF NOT EXISTS reminded_on date, ADD COLUMN IF NOT EXISTS template jsonb;
-- step
ALTER TABLE emails DROP CONSTRAINT IF EXISTS emails_refusal_check;
-- step
ALTER TABLE emails DROP CONSTRAINT IF EXISTS emails_reminder_check;
-- step
-- NOT_OWED: the invoice was paid, voided or disputed before the reminder was sent. NO_ADDRESS: its customer has none.
-- UNDELIVERABLE: earlier mail to the customer did not arrive.
ALTER TABLE emails ADD CONSTRAINT emails_refusal_check
  CHECK (refusal IN ('PROVIDER', 'NOT_RENDERED', 'TOO_LARGE', 'LATE', 'NOT_OWED', 'NO_ADDRESS', 'UNDELIVERABLE')) NOT VALID;
-- step
ALTER TABLE emails ADD CONSTRAINT emails_reminder_check
  CHECK ((purpose = 'REMINDER') = (reminded_on IS NOT NULL) AND (reminded_on IS NULL) = (template IS NULL)) NOT VALID;
-- step
ALTER TABLE emails VALIDATE CONSTRAINT emails_refusal_check;
-- step
ALTER TABLE emails VALIDATE CONSTRAINT emails_reminder_check;
-- step
DROP INDEX IF EXISTS emails_reminder_day, emails_reminders, emails_open_of_org, invoices_to_remind;
-- step
-- Nobody is reminded of an invoice on a day twice. A mail that is known not to be sent does not count.
CREATE UNIQUE INDEX CONCURRENTLY emails_reminder_day ON emails (org_id, entity_id, reminded_on)
  WHERE reminded_on IS NOT NULL AND state <> 'REJECTED';
-- step
-- When customers were reminded of an invoice, refused mails included.
CREATE INDEX CONCURRENTLY emails_reminders ON emails (org_id, entity_id, reminded_on) WHERE reminded_on IS NOT NULL;
-- step
-- Which mails are to be sent, in turns of the organisations.
CREATE INDEX CONCURRENTLY emails_open_of_org ON emails (org_id, (purpose = 'REMINDER'), created_time)
  WHERE state IN ('READY', 'SENDING');
-- step
-- Of which invoices customers may be reminded, by due date.
CREATE INDEX CONCURRENTLY invoices_to_remind ON invoices (org_id, due_date, id)
  WHERE status IN ('SENT', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0 AND dispute IS NULL;
-- step
-- One row an organisation whose reminders are on. `next_at`: when its invoices are looked through next. `looked_through`: how far
-- that has come on a day; null before it begins. `swept_at`: when all had been looked through the last time.
CREATE TABLE reminder_sweeps (
  org_id         uuid NOT NULL REFERENCES organizations,
  next_at        timestamptz NOT NULL,
  looked_through jsonb,
  swept_at       timestamptz,
  PRIMARY KEY (org_id)
);
CREATE INDEX reminder_sweeps_next ON reminder_sweeps (next_at, org_id);

-- A trigger, so that the row is there whoever writes the preferences. A change begins the day anew: what was sent on it already
-- is not sent again.
CREATE FUNCTION plan_reminder_sweep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce((NEW.reminders ->> 'enabled')::boolean, false) THEN
    INSERT INTO reminder_sweeps (org_id, next_at) VALUES (NEW.org_id, NEW.last_modified_time)
      ON CONFLICT (org_id) DO UPDATE SET next_at = least(reminder_sweeps.next_at, excluded.next_at), looked_through = NULL;
  ELSE
    DELETE FROM reminder_sweeps WHERE org_id = NEW.org_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER reminder_sweep_new AFTER INSERT ON organization_preferences
  FOR EACH ROW EXECUTE FUNCTION plan_reminder_sweep();
CREATE TRIGGER reminder_sweep_changed AFTER UPDATE ON organization_preferences
  FOR EACH ROW WHEN (NEW.reminders IS DISTINCT FROM OLD.reminders) EXECUTE FUNCTION plan_reminder_sweep();

INSERT INTO reminder_sweeps (org_id, next_at)
  SELECT org_id, now() FROM organization_preferences WHERE coalesce((reminders ->> 'enabled')::boolean, false);
