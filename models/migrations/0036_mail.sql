-- Mail: what was asked to be sent, to whom, and what is known of it.

-- SENDING is committed before the provider is called, so that a mail is never sent twice: one that a crash left in SENDING
-- becomes UNKNOWN. `entity_id` is without a foreign key, for a draft may be deleted later. The sender's address is null until
-- the mail is sent where its cause does not know it.
CREATE TABLE emails (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  purpose            text NOT NULL CHECK (purpose IN ('DOCUMENT', 'REMINDER', 'NOTICE')),
  entity_type        text NOT NULL,
  entity_id          uuid NOT NULL,
  entity_ref         text,
  state              text NOT NULL CHECK (state IN ('READY', 'SENDING', 'SENT', 'REJECTED', 'UNKNOWN')),
  sender             text,
  sender_name        text NOT NULL,
  reply_to           text,
  subject            text NOT NULL,
  body_html          text NOT NULL,
  attach_pdf         boolean NOT NULL,
  pdf_filename       text,
  pdf_bytes          integer,
  pdf_sha256         text,
  tries              integer NOT NULL CHECK (tries >= 0),
  message_id         text,
  refusal            text CHECK (refusal IN ('PROVIDER', 'NOT_RENDERED', 'TOO_LARGE', 'LATE')),
  reason             text,
  requested_by       uuid,
  origin             jsonb NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  sent_at            timestamptz,
  PRIMARY KEY (org_id, id),
  CHECK ((state = 'SENT') = (sent_at IS NOT NULL) AND (state = 'REJECTED') = (refusal IS NOT NULL)
    AND (state NOT IN ('REJECTED', 'UNKNOWN') OR reason IS NOT NULL)),
  CHECK (num_nulls(pdf_filename, pdf_bytes, pdf_sha256) IN (0, 3) AND (attach_pdf OR pdf_filename IS NULL)),
  CHECK (state NOT IN ('SENDING', 'SENT') OR sender IS NOT NULL)
);
-- The mails of a document, newest first.
CREATE INDEX emails_of_entity ON emails (org_id, entity_type, entity_id, created_time DESC, id DESC);
-- How many of a day.
CREATE INDEX emails_by_time ON emails (org_id, created_time, purpose);
-- Which are to be sent, and which were left by a crash.
CREATE INDEX emails_open ON emails (created_time) WHERE state IN ('READY', 'SENDING');
-- Which are older than RETAIN_MAIL.
CREATE INDEX emails_final ON emails (last_modified_time) WHERE state IN ('SENT', 'REJECTED', 'UNKNOWN');

-- What the provider reported last of one recipient; until then the state of the mail is all that is known.
CREATE TABLE email_recipients (
  org_id      uuid NOT NULL,
  email_id    uuid NOT NULL,
  place       integer NOT NULL CHECK (place >= 0),
  kind        text NOT NULL CHECK (kind IN ('TO', 'CC', 'BCC')),
  address     text NOT NULL,
  reported    text CHECK (reported IN ('DEFERRED', 'DELIVERED', 'OPENED', 'BOUNCED', 'DROPPED', 'SPAM')),
  reported_at timestamptz,
  report      text,
  PRIMARY KEY (org_id, email_id, place),
  FOREIGN KEY (org_id, email_id) REFERENCES emails ON DELETE CASCADE,
  CHECK ((reported IS NULL) = (reported_at IS NULL))
);
CREATE UNIQUE INDEX email_recipients_address ON email_recipients (org_id, email_id, address);
