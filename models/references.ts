// The number or name by which people know a record, for the activity log.
import { DOCUMENT_KINDS, factsOf } from '../domain/documents.ts'
import type { Statement } from './connection.ts'
import type { Scope } from './find.ts'

const numberIn = (table: string, column: string): Statement => ({
  name: `reference in ${table}`,
  text: `SELECT ${column} AS reference FROM ${table} WHERE org_id = $1 AND id = $2`,
})
const STATEMENTS = new Map<string, Statement>([
  ...DOCUMENT_KINDS.map((kind) => [kind, numberIn(factsOf(kind).table, factsOf(kind).number)] as const),
  ['RECEIPT', numberIn('payments', 'payment_number')],
  ['CONTACT', numberIn('contacts', 'contact_name')],
])

/** The number or name of the record; null where the organisation has no such record. */
export async function referenceOf(scope: Scope, entityType: string, id: string): Promise<string | null> {
  const statement = STATEMENTS.get(entityType)
  if (!statement) return null
  const [found] = await scope.connection.run<{ reference: string }>(statement, [scope.orgId, id])
  return found?.reference ?? null
}
