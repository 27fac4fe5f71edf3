-- What the mail provider has reported last of an address, for the warning before the next mail to it.
CREATE INDEX email_recipients_reported ON email_recipients (org_id, lower(address), reported_at DESC) WHERE reported IS NOT NULL;
