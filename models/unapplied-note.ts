// The issued notes with something left to apply that name an invoice or a bill.
import type { Scope } from './find.ts'

export interface UnappliedNote {
  kind: 'credit_note' | 'debit_note'
  id: string
  number: string
  balance: bigint
  currency_code: string
}

/** The oldest `most` of them; found by credit_notes_by_invoice, credit_notes_by_bill and debit_notes_by_bill. */
export function findUnappliedNotes({ connection, orgId }: Scope, documentId: string, most: number): Promise<UnappliedNote[]> {
  return connection.run<UnappliedNote>(UNAPPLIED, [orgId, documentId, most])
}

const UNAPPLIED = {
  name: 'unapplied notes of a document',
  text: `SELECT * FROM (
           SELECT 'credit_note' AS kind, id, credit_note_number AS number, balance_amount AS balance, currency_code
             FROM credit_notes WHERE org_id = $1 AND invoice_id = $2 AND status = 'ISSUED' AND balance_amount > 0
           UNION ALL
           SELECT 'credit_note', id, credit_note_number, balance_amount, currency_code
             FROM credit_notes WHERE org_id = $1 AND bill_id = $2 AND status = 'ISSUED' AND balance_amount > 0
           UNION ALL
           SELECT 'debit_note', id, debit_note_number, balance_amount, currency_code
             FROM debit_notes WHERE org_id = $1 AND bill_id = $2 AND status = 'ISSUED' AND balance_amount > 0
         ) AS notes ORDER BY id LIMIT $3`,
}
