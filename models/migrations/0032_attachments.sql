-- Attachments: the files of documents and contacts. Their content is in the blob store, below {org_id}/attachments/{id}.

-- `entity_id` is without a foreign key, for it is not validated (specification, "Attachments"). `missing_since` is set while the
-- nightly sweep does not find the file.
CREATE TABLE attachments (
  org_id              uuid NOT NULL REFERENCES organizations,
  id                  uuid NOT NULL,
  entity_type         text NOT NULL,
  entity_id           uuid NOT NULL,
  filename            text NOT NULL,
  content_type        text NOT NULL,
  size_bytes          integer NOT NULL CHECK (size_bytes > 0),
  sha256              bytea NOT NULL CHECK (length(sha256) = 32),
  description         text,
  uploaded_by_user_id uuid,
  missing_since       timestamptz,
  created_time        timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, uploaded_by_user_id) REFERENCES users
);
-- GET /attachments: the plain page, and one index a filter. An id is of one type, so both filters together use the one by id.
CREATE INDEX attachments_page ON attachments (org_id, created_time DESC, id DESC);
CREATE INDEX attachments_by_type ON attachments (org_id, entity_type, created_time DESC, id DESC);
CREATE INDEX attachments_by_entity ON attachments (org_id, entity_id, created_time DESC, id DESC);
-- What the audit shows.
CREATE INDEX attachments_missing ON attachments (org_id, id) WHERE missing_since IS NOT NULL;

-- What an organisation keeps, so that its limit costs the same with one file and with all. Rows of it are only changed here.
CREATE TABLE attachment_usage (
  org_id uuid NOT NULL REFERENCES organizations,
  files  integer NOT NULL CHECK (files >= 0),
  bytes  bigint NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (org_id)
);

CREATE FUNCTION count_attachment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO attachment_usage AS u VALUES (NEW.org_id, 1, NEW.size_bytes)
      ON CONFLICT (org_id) DO UPDATE SET files = u.files + 1, bytes = u.bytes + NEW.size_bytes;
  ELSE
    UPDATE attachment_usage SET files = files - 1, bytes = bytes - OLD.size_bytes WHERE org_id = OLD.org_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_attachments AFTER INSERT OR DELETE ON attachments FOR EACH ROW EXECUTE FUNCTION count_attachment();
