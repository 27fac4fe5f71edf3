// What the nightly sweep looks for: the zones, their organisations with something due, and what is due there.
import type { Connection } from './database.ts'
import type { Scope } from './find.ts'
import type { OrganizationFacts } from './token.ts'

/** Every time zone that an organisation is in. */
export async function zonesInUse(connection: Connection): Promise<string[]> {
  const zones = await connection.run<{ time_zone: string }>(ZONES, [])
  return zones.map(({ time_zone }) => time_zone)
}

/**
 * The next active organisations of the zone, by id, in which a document has yet to become OVERDUE. `today` is the date
 * in the zone; `after` the id of the last organisation of the page before, null for the first page.
 */
export function organizationsWithDue(
  connection: Connection, timeZone: string, today: string, after: string | null,
): Promise<OrganizationFacts[]> {
  return connection.run<OrganizationFacts>(WITH_DUE, [timeZone, today, after ?? FIRST_ID])
}

/** The ids of documents that have yet to become OVERDUE; at most `limit` in all. */
export async function findDue({ connection, orgId }: Scope, today: string, limit: number): Promise<{ invoices: string[]; bills: string[] }> {
  const due = await connection.run<{ kind: 'INVOICE' | 'BILL'; id: string }>(DUE, [orgId, today, limit])
  const idsOf = (wanted: 'INVOICE' | 'BILL') => due.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return { invoices: idsOf('INVOICE'), bills: idsOf('BILL') }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

// From one zone to the next by the index, however many organisations each of them has.
const ZONES = {
  name: 'zones in use',
  text: `WITH RECURSIVE zone AS (
    (SELECT time_zone FROM organizations ORDER BY time_zone LIMIT 1)
    UNION ALL
    SELECT (SELECT o.time_zone FROM organizations AS o WHERE o.time_zone > zone.time_zone ORDER BY o.time_zone LIMIT 1)
    FROM zone WHERE zone.time_zone IS NOT NULL
  ) SELECT time_zone FROM zone WHERE time_zone IS NOT NULL`,
}

// LIMIT keeps each organisation's question one look into an index; as EXISTS it may become a reading of all invoices.
const WITH_DUE = {
  name: 'organizations with something due',
  text: `SELECT o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
    FROM organizations AS o CROSS JOIN LATERAL (
      (SELECT FROM invoices AS i
       WHERE i.org_id = o.id AND i.status IN ('SENT', 'PARTIALLY_PAID') AND i.due_date < $2 AND i.balance > 0 LIMIT 1)
      UNION ALL
      (SELECT FROM bills AS b
       WHERE b.org_id = o.id AND b.status IN ('OPEN', 'PARTIALLY_PAID') AND b.due_date < $2 AND b.balance > 0 LIMIT 1)
      LIMIT 1
    ) AS due
    WHERE o.time_zone = $1 AND o.status = 'ACTIVE' AND o.id > $3
    ORDER BY o.id LIMIT 100`,
}

// By the indexes invoices_owed and bills_owed: nothing else is read, however much is OVERDUE or not due yet.
const DUE = {
  name: 'documents due',
  text: `(SELECT 'INVOICE' AS kind, id FROM invoices
     WHERE org_id = $1 AND status IN ('SENT', 'PARTIALLY_PAID') AND due_date < $2 AND balance > 0
     LIMIT $3)
    UNION ALL
    (SELECT 'BILL', id FROM bills
     WHERE org_id = $1 AND status IN ('OPEN', 'PARTIALLY_PAID') AND due_date < $2 AND balance > 0
     LIMIT $3)
    LIMIT $3`,
}
