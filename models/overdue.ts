// Finds overdue documents, for lists, and for the nightly sweep by time zone and organisation.
import { Op } from 'sequelize'
import { DOCUMENTS, kindsThatHave } from '../domain/documents.ts'
import type { SettledKind } from '../domain/lifecycle.ts'
import { fallingDueStatuses, owedStatuses } from '../domain/overdue.ts'
import { condition, type Condition } from './condition.ts'
import type { Connection } from './connection.ts'
import type { Scope } from './find.ts'
import type { OrganizationFacts } from './token.ts'

/** The invoices, or bills, with a balance whose due date is before the day `today`; found by invoices_overdue and bills_overdue. */
export const overdueOn = (kind: SettledKind, today: string): Condition =>
  condition(
    {
      status: { [Op.in]: [...owedStatuses(kind)] },
      due_date: { [Op.lt]: today },
      balance: { [Op.gt]: 0 },
    },
    { ranges: ['due_date'] },
  )

/** Every time zone that an organisation is in. */
export async function zonesInUse(connection: Connection): Promise<string[]> {
  const zones = await connection.run<{ time_zone: string }>(ZONES, [])
  return zones.map(({ time_zone }) => time_zone)
}

/** Whether an organisation has been in this zone since then. */
export async function isZoneSettled(connection: Connection, timeZone: string, since: Date): Promise<boolean> {
  return (await connection.run(SETTLED, [timeZone, since])).length > 0
}

/**
 * The next active organisations of the zone, by id, in which a document has yet to become OVERDUE. `today` is the date
 * in the zone; `after` the id of the last organisation of the page before, null for the first page.
 */
export function organizationsWithDue(
  connection: Connection,
  timeZone: string,
  today: string,
  after: string | null,
): Promise<OrganizationFacts[]> {
  return connection.run<OrganizationFacts>(WITH_DUE, [timeZone, today, after ?? FIRST_ID])
}

/** The documents that have yet to become OVERDUE, by kind and id; at most `limit` in all. */
export function findDue(
  { connection, orgId }: Scope,
  today: string,
  limit: number,
): Promise<{ kind: SettledKind; id: string }[]> {
  return connection.run<{ kind: SettledKind; id: string }>(DUE, [orgId, today, limit])
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

// Goes from one zone to the next by the index, however many organisations each zone has.
const SETTLED = {
  name: 'zone in use since',
  text: 'SELECT FROM organizations WHERE time_zone = $1 AND last_modified_time < $2 LIMIT 1',
}
const ZONES = {
  name: 'zones in use',
  text: `WITH RECURSIVE zone AS (
    (SELECT time_zone FROM organizations ORDER BY time_zone LIMIT 1)
    UNION ALL
    SELECT (SELECT o.time_zone FROM organizations AS o WHERE o.time_zone > zone.time_zone ORDER BY o.time_zone LIMIT 1)
    FROM zone WHERE zone.time_zone IS NOT NULL
  ) SELECT time_zone FROM zone WHERE time_zone IS NOT NULL`,
}

const KINDS = kindsThatHave('settledBy')

// Of a document `d`, on the day $2, as fallsDue in domain/overdue.ts; by the indexes invoices_falling_due and bills_falling_due.
const fallsDue = (kind: SettledKind) =>
  `d.status IN (${fallingDueStatuses(kind)
    .map((status) => `'${status}'`)
    .join(', ')}) AND d.due_date < $2 AND d.balance > 0`

// With LIMIT PostgreSQL looks into an index once for each organisation; with EXISTS it may read all invoices.
const anyDueOf = (kind: SettledKind) => `SELECT FROM ${DOCUMENTS[kind].table} AS d
  WHERE d.org_id = o.id AND ${fallsDue(kind)} LIMIT 1`
const WITH_DUE = {
  name: 'organizations with something due',
  text: `SELECT o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
    FROM organizations AS o CROSS JOIN LATERAL ((${KINDS.map(anyDueOf).join(') UNION ALL (')}) LIMIT 1) AS due
    WHERE o.time_zone = $1 AND o.status = 'ACTIVE' AND o.id > $3
    ORDER BY o.id LIMIT 100`,
}

// Reads no other documents, however many are OVERDUE already or not due yet.
const dueOf = (kind: SettledKind) => `SELECT '${kind}' AS kind, d.id FROM ${DOCUMENTS[kind].table} AS d
  WHERE d.org_id = $1 AND ${fallsDue(kind)} LIMIT $3`
const DUE = { name: 'documents due', text: `(${KINDS.map(dueOf).join(') UNION ALL (')}) LIMIT $3` }
