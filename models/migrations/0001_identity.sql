-- Who may call: partners and their keys, organisations, users, tokens; the remembered answers of keyed calls.

CREATE TABLE partners (
  id           uuid PRIMARY KEY,
  name         text NOT NULL UNIQUE,
  created_time timestamptz NOT NULL
);

CREATE TABLE partner_keys (
  id           uuid PRIMARY KEY,
  partner_id   uuid NOT NULL REFERENCES partners,
  key_hash     bytea NOT NULL UNIQUE,
  created_time timestamptz NOT NULL,
  revoked_time timestamptz
);

CREATE TABLE organizations (
  id                      uuid PRIMARY KEY,
  partner_id              uuid REFERENCES partners,
  external_ref            text,
  name                    text NOT NULL,
  legal_name              text,
  gstin                   text,
  pan                     text,
  email                   text,
  phone                   text,
  address                 jsonb,
  state_code              text NOT NULL,
  status                  text NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED')),
  currency_code           text NOT NULL,
  fiscal_year_start_month smallint NOT NULL CHECK (fiscal_year_start_month BETWEEN 1 AND 12),
  time_zone               text NOT NULL,
  sandbox                 boolean NOT NULL,
  preferences             jsonb NOT NULL,
  created_time            timestamptz NOT NULL,
  last_modified_time      timestamptz NOT NULL,
  UNIQUE (partner_id, external_ref)
);
-- GET /partner/organizations, newest first.
CREATE INDEX organizations_of_partner ON organizations (partner_id, created_time DESC, id DESC);

CREATE TABLE users (
  org_id       uuid NOT NULL REFERENCES organizations,
  id           uuid NOT NULL,
  email        text NOT NULL,
  name         text,
  role         text NOT NULL CHECK (role IN ('OWNER', 'MEMBER')),
  created_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX users_email ON users (org_id, lower(email));

CREATE TABLE tokens (
  org_id       uuid NOT NULL REFERENCES organizations,
  id           uuid NOT NULL,
  user_id      uuid,
  partner_id   uuid REFERENCES partners,
  kind         text NOT NULL CHECK (kind IN ('PAT', 'OAUTH')),
  token_hash   bytea NOT NULL UNIQUE,
  scopes       text[] NOT NULL,
  tier         text NOT NULL CHECK (tier IN ('DEFAULT', 'PARTNER')),
  expires_time timestamptz,
  revoked_time timestamptz,
  created_time timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, user_id) REFERENCES users
);

-- A remembered answer: (subject, method, path, key) is the specification's cache key. `claimed_until` is set while a
-- call that holds no transaction works on it; an answer with `sealed` carries a secret and is kept encrypted.
CREATE TABLE idempotent_answers (
  subject       uuid NOT NULL,
  method        text NOT NULL,
  path          text NOT NULL,
  key           text NOT NULL,
  body_hash     bytea NOT NULL,
  status        smallint,
  body          text,
  sealed        boolean NOT NULL,
  claimed_until timestamptz,
  created_time  timestamptz NOT NULL,
  PRIMARY KEY (subject, method, path, key),
  CHECK ((status IS NULL) = (claimed_until IS NOT NULL))
);
-- The sweep of answers older than 24 hours.
CREATE INDEX idempotent_answers_age ON idempotent_answers (created_time);

-- Processes that remember whose token is whose are told to forget when any of it changes.
CREATE FUNCTION tell_callers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('callers', '');
  RETURN NULL;
END $$;
CREATE TRIGGER organizations_changed AFTER UPDATE OR DELETE ON organizations
  FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
CREATE TRIGGER tokens_changed AFTER UPDATE OR DELETE ON tokens
  FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

-- Tries for the key and then reads what is remembered under it. The lock belongs to the transaction. A volatile
-- function sees, after it has the lock, what was committed before it got it.
CREATE FUNCTION claim_answer(
  of_subject uuid, of_method text, of_path text, of_key text, not_before timestamptz,
  OUT locked boolean, OUT status smallint, OUT body text, OUT sealed boolean, OUT body_hash text, OUT claimed_until timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
  locked := pg_try_advisory_xact_lock(hashtextextended(of_subject || ' ' || of_method || ' ' || of_path || ' ' || of_key, 0));
  SELECT a.status, a.body, a.sealed, encode(a.body_hash, 'hex'), a.claimed_until
    INTO status, body, sealed, body_hash, claimed_until
    FROM idempotent_answers AS a
    WHERE a.subject = of_subject AND a.method = of_method AND a.path = of_path AND a.key = of_key
      AND a.created_time >= not_before;
END $$;
