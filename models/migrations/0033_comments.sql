-- Comments: the conversation on documents.

-- `entity_id` is without a foreign key, for it may be of any table; a document that is deleted takes its comments along.
CREATE TABLE comments (
  org_id             uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  entity_type        text NOT NULL,
  entity_id          uuid NOT NULL,
  body               text NOT NULL CHECK (body <> ''),
  author_user_id     uuid NOT NULL,
  version            integer NOT NULL,
  created_time       timestamptz NOT NULL,
  last_modified_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, author_user_id) REFERENCES users
);
-- GET /comments: the plain page, and one index a filter. The one by id also serves the deletion of a document.
CREATE INDEX comments_page ON comments (org_id, created_time, id);
CREATE INDEX comments_by_type ON comments (org_id, entity_type, created_time, id);
CREATE INDEX comments_by_entity ON comments (org_id, entity_id, created_time, id);
