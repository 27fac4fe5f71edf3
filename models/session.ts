// Sessions of signed-in persons: found by the hash of their cookie, ended after a time without use and after some days.
import { Op } from 'sequelize'
import type { Role } from '../domain/roles.ts'
import type { Connection, Statement } from './connection.ts'
import { finderAbove, is, type Parameter } from './find.ts'
import { BYTES, TEXT, TIME, UUID, model, orNull, type RowOf } from './model.ts'
import { TURN_TO_WRITE } from './organization.ts'
import { CallerChanged, type OrganizationFacts } from './token.ts'
import type { Precondition } from './transaction.ts'

export const sessions = model(
  'sessions',
  {
    id: UUID,
    person_id: UUID,
    secret_hash: BYTES,
    ip: orNull(TEXT),
    user_agent: orNull(TEXT),
    created_time: TIME,
    last_used_time: TIME,
  },
  { key: ['id'] },
)
export type SessionRow = RowOf<typeof sessions>

const HOUR_MS = 3_600_000
/** A session ends after so long without use, and after so long in any case (decisions §12). */
const IDLE_MS = 12 * HOUR_MS
export const SESSION_MS = 7 * 24 * HOUR_MS
/** The last use is written when it is that much later than the one that is kept. */
const COARSE_MS = 5 * 60_000

const earliest = (now: Date) => [new Date(now.getTime() - IDLE_MS), new Date(now.getTime() - SESSION_MS)] as const

/** Who has signed in. */
export interface SignedIn {
  sessionId: string
  personId: string
  email: string
}

/** The user of a session in one organisation. */
export interface Membership {
  userId: string
  name: string | null
  role: Role
  organization: OrganizationFacts
  /** The version of the organisation's row that this was read from, as PostgreSQL counts them. */
  version: string
}

type FoundRow = OrganizationFacts & {
  session_id: string
  person_id: string
  email: string
  last_used_time: Date
  user_id: string | null
  user_name: string | null
  role: Role
  version: string
}

/**
 * The session of this hash, and the person's membership in the organisation, or in the only one where `orgId` is null.
 * `membership` is null where there is none, or several and no `orgId`. Null for a session that has ended. Keeps its last use.
 */
export async function findSession(
  connection: Connection,
  { hash, orgId, now }: { hash: string; orgId: string | null; now: Date },
): Promise<{ session: SignedIn; membership: Membership | null } | null> {
  const rows = await connection.run<FoundRow>(FIND, [hash, orgId, ...earliest(now)])
  const [first] = rows
  if (!first) return null
  const { session_id, person_id, email, last_used_time, user_id, user_name, role, version, ...organization } = first
  if (now.getTime() - last_used_time.getTime() > COARSE_MS) await connection.run(KEEP_USE, [session_id, now])
  const membership =
    rows.length > 1 || user_id === null ? null : { userId: user_id, name: user_name, role, organization, version }
  return { session: { sessionId: session_id, personId: person_id, email }, membership }
}

// Two rows say that there are several organisations; which two does not matter.
const FIND: Statement = {
  name: 'find session',
  text: `SELECT s.id AS session_id, s.person_id, p.email, s.last_used_time, u.id AS user_id, u.name AS user_name, u.role, o.xmin::text AS version,
           o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
         FROM sessions AS s JOIN people AS p ON p.id = s.person_id
         LEFT JOIN LATERAL (SELECT id, org_id, name, role FROM users WHERE person_id = p.id AND ($2::uuid IS NULL OR org_id = $2) LIMIT 2) AS u ON true
         LEFT JOIN organizations AS o ON o.id = u.org_id
         WHERE s.secret_hash = $1 AND s.last_used_time > $3 AND s.created_time > $4`,
}

const KEEP_USE: Statement = {
  name: 'keep use of session',
  text: 'UPDATE sessions SET last_used_time = $2 WHERE id = $1 AND last_used_time < $2',
}

/**
 * Requires that the session has not ended, and that the person still has the role. For a call that changes the organisation
 * itself, which locks it; any other requires that the organisation is as it was read too, and stays so until the end.
 */
export function sessionStillHeld(
  { sessionId }: SignedIn,
  { userId, role, organization, version }: Membership,
  { now, changesOrganization }: { now: Date; changesOrganization: boolean },
): Precondition {
  const values = [organization.id, sessionId, userId, role, ...earliest(now)]
  return {
    statement: changesOrganization ? [MAY_CHANGE, values] : [STILL_HELD, [...values, version]],
    check(rows) {
      if (rows.length === 0)
        throw new CallerChanged('the session, the role or the organisation has changed since it was read')
    },
  }
}

const HELD = 's.id = $2 AND u.id = $3 AND u.role = $4 AND s.last_used_time > $5 AND s.created_time > $6'

const STILL_HELD: Statement = {
  name: 'session still held',
  text: `WITH turn AS MATERIALIZED (${TURN_TO_WRITE})
         SELECT 1 FROM turn CROSS JOIN sessions AS s JOIN users AS u ON u.person_id = s.person_id JOIN organizations AS o ON o.id = u.org_id
         WHERE u.org_id = $1 AND ${HELD} AND o.xmin = $7::xid FOR KEY SHARE OF o, s FOR SHARE OF u`,
}

const MAY_CHANGE: Statement = {
  name: 'session may change organization',
  text: `SELECT 1 FROM sessions AS s JOIN users AS u ON u.person_id = s.person_id JOIN organizations AS o ON o.id = u.org_id
         WHERE u.org_id = $1 AND ${HELD} AND o.status = 'ACTIVE' FOR KEY SHARE OF s FOR SHARE OF u`,
}

/** The same for what a person does that is of no organisation. */
export function signInStillHeld({ sessionId }: SignedIn, now: Date): Precondition {
  return {
    statement: [SIGNED_IN, [sessionId, ...earliest(now)]],
    check(rows) {
      if (rows.length === 0) throw new CallerChanged('the session has ended since it was read')
    },
  }
}

const SIGNED_IN: Statement = {
  name: 'session signed in',
  text: 'SELECT 1 FROM sessions WHERE id = $1 AND last_used_time > $2 AND created_time > $3 FOR KEY SHARE',
}

/** The sessions of a person that have not ended, the newest first. */
export async function findSessions(connection: Connection, personId: string, now: Date): Promise<SessionRow[]> {
  return livingOf(connection, personId, ...earliest(now))
}

const livingOf = finderAbove<SessionRow, [string, Date, Date]>(sessions, (personId, used, created) => ({
  where: { person_id: is(personId), last_used_time: after(used), created_time: after(created) },
  order: [
    ['created_time', 'DESC'],
    ['id', 'DESC'],
  ],
}))

const after = (time: Parameter<Date>) => ({ [Op.gt]: time })

/** Every session of a person, those that have ended included, locked; the oldest first. */
export async function lockSessions(connection: Connection, personId: string): Promise<SessionRow[]> {
  return lockOfPerson(connection, personId)
}

const lockOfPerson = finderAbove<SessionRow, [string]>(sessions, (personId) => ({
  where: { person_id: is(personId) },
  order: ['created_time', 'id'],
  lock: true,
}))

/** One session of a person, locked; null where it is not theirs. */
export async function lockSession(connection: Connection, personId: string, id: string): Promise<SessionRow | null> {
  return lockOne.first(connection, personId, id)
}

const lockOne = finderAbove<SessionRow, [personId: string, id: string]>(sessions, (personId, id) => ({
  where: { person_id: is(personId), id: is(id) },
  lock: true,
}))

/** Removes some sessions of anybody that have ended; each sign-in does, so that they do not pile up. */
export async function removeEndedSessions(connection: Connection, now: Date): Promise<void> {
  await connection.run(REMOVE_ENDED, [...earliest(now)])
}

// One that is used until it is a week old is found here half a day later.
const REMOVE_ENDED: Statement = {
  name: 'remove ended sessions',
  text: `DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions WHERE last_used_time < $1 OR created_time < $2 ORDER BY last_used_time LIMIT 20 FOR UPDATE SKIP LOCKED)`,
}

/** An organisation of a person, and the role in it. */
export interface OrganizationOfPerson {
  org_id: string
  name: string
  status: OrganizationFacts['status']
  role: Role
  user_id: string
  user_name: string | null
}

/** The organisations of a person by their names; of more than `most` those that they belong to longest. */
export function findOrganizationsOf(
  connection: Connection,
  personId: string,
  most: number,
): Promise<OrganizationOfPerson[]> {
  return connection.run(ORGANIZATIONS_OF, [personId, most])
}

const ORGANIZATIONS_OF: Statement = {
  name: 'organizations of person',
  // Ids are in the order of time. Anybody with a key of partners may add organisations for an address, which must hide none.
  text: `SELECT first.* FROM (
           SELECT u.org_id, o.name, o.status, u.role, u.id AS user_id, u.name AS user_name FROM users AS u JOIN organizations AS o ON o.id = u.org_id
           WHERE u.person_id = $1 ORDER BY u.id LIMIT $2::integer) AS first ORDER BY first.name, first.org_id`,
}
