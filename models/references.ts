// The number or name by which people know a record, for the activity log.
import { DOCUMENT_KINDS, factsOf } from '../domain/documents.ts'
import { isId } from '../domain/ids.ts'
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

// A deleted journal stays in the ledger, beside its reversal.
const UNDELETED_JOURNAL: Statement = {
  name: 'lock reference of a journal',
  text: `SELECT journal_number AS reference FROM journals AS j WHERE org_id = $1 AND id = $2
           AND NOT (source = 'MANUAL' AND (reversal_of IS NOT NULL
             OR EXISTS (SELECT FROM journals AS r WHERE r.org_id = j.org_id AND r.reversal_of = j.id))) FOR SHARE`,
}
const locking = ({ name, text }: Statement): Statement => ({ name: `lock ${name}`, text: `${text} FOR SHARE` })
const LOCKING = new Map([
  ...[...STATEMENTS].map(([type, statement]) => [type, locking(statement)] as const),
  ['JOURNAL', UNDELETED_JOURNAL],
])

/** As referenceOf, and keeps the record from being deleted before the transaction ends; null where there is none. */
export async function lockedReferenceOf(scope: Scope, entityType: string, id: string): Promise<string | null> {
  const statement = LOCKING.get(entityType)
  if (!statement || !isId(id)) return null
  const [found] = await scope.connection.run<{ reference: string }>(statement, [scope.orgId, id])
  return found?.reference ?? null
}
