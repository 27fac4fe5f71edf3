// Journals and their lines: the ledger, only ever added to.
import type { Scope } from './find.ts'
import { table } from './table.ts'

export type JournalSource = 'MANUAL' | 'INVOICE' | 'BILL' | 'PAYMENT' | 'CREDIT_NOTE' | 'DEBIT_NOTE' | 'EXPENSE'

export interface JournalRow {
  org_id: string
  id: string
  journal_number: string
  date: string
  source: JournalSource
  source_id: string | null
  memo: string | null
  contact_id: string | null
  reversal_of: string | null
  line_count: number
  created_time: Date
}

export const journals = table<JournalRow>('journals', {
  org_id: 'uuid', id: 'uuid', journal_number: 'text', date: 'date', source: 'text', source_id: 'uuid', memo: 'text',
  contact_id: 'uuid', reversal_of: 'uuid', line_count: 'integer', created_time: 'time',
})

/** Amounts are minor units of the organisation's currency. */
export interface JournalLineRow {
  org_id: string
  journal_id: string
  line_no: number
  line_count: number
  account_id: string
  contact_id: string | null
  debit: bigint
  credit: bigint
  description: string | null
  created_time: Date
}

export const journalLines = table<JournalLineRow>(
  'journal_lines',
  {
    org_id: 'uuid', journal_id: 'uuid', line_no: 'integer', line_count: 'integer', account_id: 'uuid', contact_id: 'uuid',
    debit: 'minor', credit: 'minor', description: 'text', created_time: 'time',
  },
  { key: ['org_id', 'journal_id', 'line_no'] },
)

/** An entry with its lines in their order. */
export interface Journal extends JournalRow {
  lines: JournalLineRow[]
}

/** The entry of a document that stands: neither a reversal nor reversed. */
export async function findPosting(scope: Scope, source: JournalSource, sourceId: string): Promise<Journal | null> {
  const [row] = await scope.connection.run<JournalRow>(POSTING, [scope.orgId, source, sourceId])
  if (!row) return null
  return { ...row, lines: await scope.connection.run<JournalLineRow>(LINES, [scope.orgId, row.id]) }
}

const POSTING = {
  name: 'standing posting',
  text: `SELECT j.* FROM journals AS j
         WHERE j.org_id = $1 AND j.source = $2 AND j.source_id = $3 AND j.reversal_of IS NULL
           AND NOT EXISTS (SELECT FROM journals AS r WHERE r.org_id = j.org_id AND r.reversal_of = j.id)`,
}
const LINES = {
  name: 'lines of journal',
  text: 'SELECT * FROM journal_lines WHERE org_id = $1 AND journal_id = $2 ORDER BY line_no',
}
