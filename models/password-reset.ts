// Resets of passwords: what was asked for, and the links that can be used.
import { Op } from 'sequelize'
import type { Connection, Statement } from './connection.ts'
import { finderAbove, is } from './find.ts'
import { json, model, TEXT, TIME, UUID, type RowOf } from './model.ts'

export const passwordResetRequests = model(
  'password_reset_requests',
  {
    id: UUID,
    email: TEXT,
    origin: json<{ request_id: string | null; ip: string | null; user_agent: string | null; source: string }>(),
    /** The origin that the link begins with. */
    site: TEXT,
    created_time: TIME,
  },
  { key: ['id'] },
)
export type PasswordResetRequestRow = RowOf<typeof passwordResetRequests>

export const passwordResets = model(
  'password_resets',
  { id: UUID, person_id: UUID, created_time: TIME, expires_time: TIME },
  { key: ['id'] },
)
export type PasswordResetRow = RowOf<typeof passwordResets>

/** Where a page of requests ended. */
export type RequestPlace = Pick<PasswordResetRequestRow, 'created_time' | 'id'>

/**
 * The oldest requests after this place, and for each the organisation of which its person gets the mail; null where there is
 * none.
 */
export function findResetRequests(
  connection: Connection,
  after: RequestPlace | null,
  most: number,
): Promise<(PasswordResetRequestRow & { org_id: string | null })[]> {
  return connection.run(REQUESTS, [most, after?.created_time ?? null, after?.id ?? null])
}

/** Whether so many requests wait. */
export async function areResetRequests(connection: Connection, many: number): Promise<boolean> {
  const [row] = await connection.run<{ are: boolean }>(ARE_MANY, [many])
  return row!.are
}

const ARE_MANY: Statement = {
  name: 'are many reset requests',
  text: 'SELECT count(*) >= $1::integer AS are FROM (SELECT FROM password_reset_requests LIMIT $1::integer) AS waiting',
}

// One that is no sandbox first, then the one that the person has belonged to for longest.
const ORGANIZATION_OF = (person: string) => `SELECT u.org_id, u.id AS user_id FROM users AS u
  JOIN organizations AS o ON o.id = u.org_id AND o.status = 'ACTIVE'
  WHERE u.person_id = ${person} ORDER BY o.sandbox, u.created_time, u.org_id LIMIT 1`

const REQUESTS: Statement = {
  name: 'password reset requests',
  text: `SELECT r.id, r.email, r.origin, r.site, r.created_time, its.org_id FROM password_reset_requests AS r
         LEFT JOIN people AS p ON lower(p.email) = lower(r.email) LEFT JOIN LATERAL (${ORGANIZATION_OF('p.id')}) AS its ON true
         WHERE $2::timestamptz IS NULL OR (r.created_time, r.id) > ($2, $3::uuid)
         ORDER BY r.created_time, r.id LIMIT $1::integer`,
}

/** The user by whom changes of the person are recorded, and the organisation; null for one who belongs to no active one. */
export async function findUserOfPerson(
  connection: Connection,
  personId: string,
): Promise<{ org_id: string; user_id: string } | null> {
  const [found] = await connection.run<{ org_id: string; user_id: string }>(USER_OF, [personId])
  return found ?? null
}

const USER_OF: Statement = { name: 'user of person', text: ORGANIZATION_OF('$1') }

/** A request, locked; null where another worker has it, or has answered it. */
export const lockResetRequest = (connection: Connection, id: string): Promise<PasswordResetRequestRow | null> =>
  lockRequest.first(connection, id)

const lockRequest = finderAbove<PasswordResetRequestRow, [string]>(passwordResetRequests, (id) => ({
  where: { id: is(id) },
  lock: true,
  skipLocked: true,
}))

/** The reset of a link; null where it was used. */
export const findReset = (connection: Connection, id: string): Promise<PasswordResetRow | null> =>
  byId.first(connection, id)

const byId = finderAbove<PasswordResetRow, [string]>(passwordResets, (id) => ({ where: { id: is(id) } }))

/** Every reset of a person, locked. */
export const lockResets = (connection: Connection, personId: string): Promise<PasswordResetRow[]> =>
  ofPerson(connection, personId)

const ofPerson = finderAbove<PasswordResetRow, [string]>(passwordResets, (personId) => ({
  where: { person_id: is(personId) },
  order: ['id'],
  lock: true,
}))

/** Some resets of anybody whose links work no more; each new one removes some, so that they do not pile up. */
export const lockEndedResets = (connection: Connection, now: Date): Promise<PasswordResetRow[]> =>
  ended(connection, now)

const ended = finderAbove<PasswordResetRow, [Date]>(passwordResets, (now) => ({
  where: { expires_time: { [Op.lt]: now } },
  order: ['expires_time'],
  limit: 20,
  lock: true,
  skipLocked: true,
}))
