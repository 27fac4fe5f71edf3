-- Persons, who sign in with a password and belong to organisations as their users, with a role.

CREATE TABLE people (
  id                uuid PRIMARY KEY,
  email             text NOT NULL,
  -- argon2id in PHC's form; null until a password is set.
  password          text,
  password_set_time timestamptz,
  created_time      timestamptz NOT NULL,
  CHECK ((password IS NULL) = (password_set_time IS NULL)),
  UNIQUE (id, email)
);
CREATE UNIQUE INDEX people_email ON people (lower(email));

-- The users of several organisations with one address are one person (decisions §12), under the spelling that was first.
-- The address that stands for an owner without one is nobody's.
INSERT INTO people (id, email, created_time)
  SELECT gen_random_uuid(), email, created_time
  FROM (SELECT DISTINCT ON (lower(email)) email, created_time FROM users ORDER BY lower(email), created_time, id) AS first
  WHERE lower(email) <> 'owner@organization.invalid';

ALTER TABLE users ADD COLUMN person_id uuid;
ALTER TABLE users DROP CONSTRAINT users_role_check;
-- Other users than owners were added for a token, whose scopes they may have alone: signed in, they read.
UPDATE users SET role = 'VIEWER' WHERE role = 'MEMBER';
UPDATE users AS u SET person_id = p.id, email = p.email FROM people AS p WHERE lower(u.email) = lower(p.email);
ALTER TABLE users
  ADD CONSTRAINT users_role_check CHECK (role IN ('OWNER', 'ACCOUNTANT', 'VIEWER')),
  -- The address of a user is that of the person, in every organisation.
  ADD FOREIGN KEY (person_id, email) REFERENCES people (id, email) ON UPDATE CASCADE;
-- The organisations of a person.
CREATE INDEX users_of_person ON users (person_id, org_id);

CREATE TABLE sessions (
  id             uuid PRIMARY KEY,
  person_id      uuid NOT NULL REFERENCES people,
  secret_hash    bytea NOT NULL UNIQUE,
  ip             text,
  user_agent     text,
  created_time   timestamptz NOT NULL,
  -- Written at most once in some minutes.
  last_used_time timestamptz NOT NULL
);
CREATE INDEX sessions_of_person ON sessions (person_id, created_time DESC, id DESC);
-- The removal of those that have ended.
CREATE INDEX sessions_used ON sessions (last_used_time);

-- The times of the sign-ins of the last minutes that failed or are under way, by account and by address.
CREATE TABLE sign_ins (
  key       text PRIMARY KEY,
  times     timestamptz[] NOT NULL,
  last_time timestamptz NOT NULL
);
CREATE INDEX sign_ins_age ON sign_ins (last_time);

-- Counts a sign-in under each of these keys, unless one of them has `most` within `span`: then it counts nothing and returns
-- when the next is allowed. Keys are locked in their order, so that two sign-ins never wait for each other.
CREATE FUNCTION count_sign_in(keys text[], at timestamptz, most integer, span interval) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  one     text;
  counted timestamptz[];
  free    timestamptz;
BEGIN
  FOR one IN SELECT k FROM unnest(keys) AS k ORDER BY k LOOP
    INSERT INTO sign_ins AS s (key, times, last_time) VALUES (one, '{}', at)
      ON CONFLICT (key) DO UPDATE SET times = array(SELECT t FROM unnest(s.times) AS t WHERE t > at - span)
      RETURNING times INTO counted;
    IF cardinality(counted) >= most THEN
      free := greatest(free, (SELECT min(t) FROM unnest(counted) AS t) + span);
    END IF;
  END LOOP;
  IF free IS NULL THEN
    UPDATE sign_ins SET times = array_append(times, at), last_time = at WHERE key = ANY (keys);
  END IF;
  RETURN free;
END $$;

-- Takes back one sign-in of this time under each key, because it succeeded.
CREATE FUNCTION forget_sign_in(keys text[], at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one text;
BEGIN
  FOR one IN SELECT k FROM unnest(keys) AS k ORDER BY k LOOP
    UPDATE sign_ins SET times = times[:array_position(times, at) - 1] || times[array_position(times, at) + 1:]
      WHERE key = one AND at = ANY (times);
  END LOOP;
END $$;
