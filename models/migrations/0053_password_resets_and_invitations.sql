-- Links in mails by which people set a password: requests of resets, resets, and invitations to an organisation.

-- What was asked for, for any address, until the worker has looked for a person with it.
CREATE TABLE password_reset_requests (
  id           uuid PRIMARY KEY,
  email        text NOT NULL,
  origin       jsonb NOT NULL,
  -- Scheme, host and port that the link begins with.
  site         text NOT NULL,
  created_time timestamptz NOT NULL
);
CREATE INDEX password_reset_requests_age ON password_reset_requests (created_time);

-- A row is a link that can be used; it goes when a password is set. The link is made of the id and the ENCRYPTION_KEY.
CREATE TABLE password_resets (
  id           uuid PRIMARY KEY,
  person_id    uuid NOT NULL REFERENCES people,
  created_time timestamptz NOT NULL,
  expires_time timestamptz NOT NULL
);
CREATE INDEX password_resets_of_person ON password_resets (person_id);
CREATE INDEX password_resets_age ON password_resets (expires_time);

-- Likewise; it goes when it is accepted or withdrawn.
CREATE TABLE invitations (
  org_id       uuid NOT NULL REFERENCES organizations,
  id           uuid NOT NULL,
  email        text NOT NULL,
  role         text NOT NULL CHECK (role IN ('OWNER', 'ACCOUNTANT', 'VIEWER')),
  invited_by   uuid NOT NULL,
  created_time timestamptz NOT NULL,
  expires_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, invited_by) REFERENCES users
);
CREATE INDEX invitations_email ON invitations (org_id, lower(email));
