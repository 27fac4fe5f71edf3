-- OAuth 2.0: partners' apps (clients), what people consent to, and the codes and tokens that apps get by it.

-- `owner_id` is the organisation whose owner has registered the client; null where the operator has. A public client has no secret.
CREATE TABLE oauth_clients (
  id            uuid PRIMARY KEY,
  owner_id      uuid REFERENCES organizations,
  name          text NOT NULL,
  redirect_uris text[] NOT NULL,
  secret_hash   bytea,
  created_time  timestamptz NOT NULL,
  revoked_time  timestamptz
);
CREATE INDEX oauth_clients_of_owner ON oauth_clients (owner_id, created_time DESC, id DESC);

-- What a person has allowed a client; each approval is a row, with scopes and organisations of its own.
CREATE TABLE oauth_consents (
  id             uuid PRIMARY KEY,
  person_id      uuid NOT NULL REFERENCES people,
  client_id      uuid NOT NULL REFERENCES oauth_clients,
  scopes         text[] NOT NULL,
  created_time   timestamptz NOT NULL,
  withdrawn_time timestamptz
);
CREATE INDEX oauth_consents_of_person ON oauth_consents (person_id, client_id, created_time DESC, id DESC);
-- The removal of those that have ended.
CREATE INDEX oauth_consents_withdrawn ON oauth_consents (withdrawn_time) WHERE withdrawn_time IS NOT NULL;

-- The organisations of a consent. `ended_time` is set when the person is removed from one, and stays when they join again.
CREATE TABLE oauth_consent_organizations (
  org_id     uuid NOT NULL REFERENCES organizations,
  consent_id uuid NOT NULL REFERENCES oauth_consents ON DELETE CASCADE,
  user_id    uuid NOT NULL,
  ended_time timestamptz,
  PRIMARY KEY (org_id, consent_id),
  FOREIGN KEY (org_id, user_id) REFERENCES users
);
CREATE INDEX oauth_consent_organizations_of_consent ON oauth_consent_organizations (consent_id, org_id);
CREATE INDEX oauth_consent_organizations_of_user ON oauth_consent_organizations (org_id, user_id);

-- An authorization grant: its code, and the family of tokens that the code gives.
CREATE TABLE oauth_grants (
  id                uuid PRIMARY KEY,
  consent_id        uuid NOT NULL REFERENCES oauth_consents ON DELETE CASCADE,
  client_id         uuid NOT NULL REFERENCES oauth_clients,
  scopes            text[] NOT NULL,
  code_hash         bytea NOT NULL UNIQUE,
  redirect_uri      text NOT NULL,
  code_challenge    text NOT NULL,
  created_time      timestamptz NOT NULL,
  code_expires_time timestamptz NOT NULL,
  code_used_time    timestamptz,
  revoked_time      timestamptz
);
CREATE INDEX oauth_grants_of_consent ON oauth_grants (consent_id);
CREATE INDEX oauth_grants_age ON oauth_grants (code_expires_time);

-- `used_time` of a refresh token is its rotation; `successor` is the answer to it, encrypted, for clients that ask again at once.
CREATE TABLE oauth_tokens (
  id           uuid PRIMARY KEY,
  grant_id     uuid NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('ACCESS', 'REFRESH')),
  token_hash   bytea NOT NULL UNIQUE,
  scopes       text[] NOT NULL,
  created_time timestamptz NOT NULL,
  expires_time timestamptz NOT NULL,
  revoked_time timestamptz,
  used_time    timestamptz,
  successor    text
);
CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_age ON oauth_tokens (expires_time);
CREATE INDEX oauth_tokens_successor ON oauth_tokens (used_time) WHERE successor IS NOT NULL;

-- Processes know the hash of every access token too, so that made-up ones are refused without a query.
CREATE TRIGGER oauth_token_added AFTER INSERT ON oauth_tokens
  FOR EACH ROW WHEN (NEW.kind = 'ACCESS') EXECUTE FUNCTION announce_token();
