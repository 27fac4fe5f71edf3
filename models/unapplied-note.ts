// Finds the issued notes that were given against an invoice or a bill and have a balance left to apply.
import { DOCUMENTS, kindsThatHave, type KindThatHas } from '../domain/documents.ts'
import type { Scope } from './find.ts'

export interface UnappliedNote {
  kind: KindThatHas<'against'>
  id: string
  number: string
  balance: bigint
  currency_code: string
}

/** The oldest `most` of them; found by credit_notes_by_invoice, credit_notes_by_bill and debit_notes_by_bill. */
export function findUnappliedNotes(
  { connection, orgId }: Scope,
  documentId: string,
  most: number,
): Promise<UnappliedNote[]> {
  return connection.run<UnappliedNote>(UNAPPLIED, [orgId, documentId, most])
}

// Each kind of note, once for each kind of document that it is given against.
const AGAINST = kindsThatHave('against').flatMap((kind) => {
  const { table, number, against } = DOCUMENTS[kind]
  return against.map((parent) => ({ kind, table, number, against: DOCUMENTS[parent].id }))
})

const unappliedOf = ({ kind, table, number, against }: (typeof AGAINST)[number]) =>
  `SELECT '${kind}' AS kind, id, ${number} AS number, balance_amount AS balance, currency_code FROM ${table}
   WHERE org_id = $1 AND ${against} = $2 AND status = 'ISSUED' AND balance_amount > 0`

const UNAPPLIED = {
  name: 'unapplied notes of a document',
  text: `SELECT * FROM (${AGAINST.map(unappliedOf).join(' UNION ALL ')}) AS notes ORDER BY id LIMIT $3`,
}
