// What a customer was charged and what was received, day by day, as the receivable account has it.
import type { Database } from '../models/database.ts'
import type { JournalSource, LedgerEntry } from '../models/journal.ts'

export interface LedgerPeriod {
  contactId: string
  /** Both inclusive; null for everything before, or after. */
  from: string | null
  to: string | null
}

/** Rows fetched at a time: however long the ledger, no more of it than this is held. */
const ROWS_AT_ONCE = 2_000

/**
 * Reads the contact's ledger, the oldest entry first: `onOpening` is told the balance before the period, then
 * `onEntries` every entry in portions. Opening and entries are of one snapshot, by a cursor over one statement.
 */
export async function readCustomerLedger(
  { database, orgId }: { database: Database; orgId: string },
  { contactId, from, to }: LedgerPeriod,
  onOpening: (balance: bigint) => void,
  onEntries: (entries: LedgerEntry[]) => void,
): Promise<void> {
  await database.transaction(async (connection) => {
    await connection.run(OPEN, [orgId, contactId, from, to])
    const [first] = await connection.run<LedgerEntry>(FIRST, [])
    onOpening(first!.debit - first!.credit)
    for (let portion: LedgerEntry[]; (portion = await connection.run<LedgerEntry>(NEXT, [])).length > 0;) onEntries(portion)
  })
}

// The documents that move a receivable, and what each is called by.
const DOCUMENTS = [
  { source: 'INVOICE', table: 'invoices', number: 'invoice_number' },
  { source: 'PAYMENT', table: 'payments', number: 'payment_number' },
] as const satisfies { source: JournalSource; table: string; number: string }[]

const named = (column: (document: (typeof DOCUMENTS)[number]) => string) => DOCUMENTS.map((document) => `${document.table}.${column(document)}`).join(', ')

// A cursor cannot be prepared, so the statement has no name. The first row is the sum of what came before the period.
const OPEN = {
  name: '',
  text: `DECLARE customer_ledger NO SCROLL CURSOR FOR
WITH entry AS MATERIALIZED (
  SELECT j.id, j.date, j.created_time, j.source, j.source_id, j.journal_number, j.memo, sum(l.debit)::bigint AS debit, sum(l.credit)::bigint AS credit
  FROM journal_lines AS l
  JOIN accounts AS a ON a.org_id = l.org_id AND a.id = l.account_id AND a.account_type = 'ACCOUNTS_RECEIVABLE'
  JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id
  WHERE l.org_id = $1::uuid AND l.contact_id = $2::uuid AND ($4::date IS NULL OR j.date <= $4::date)
  GROUP BY j.org_id, j.id
)
SELECT journal_id, date, source, source_id, number, reference_number, memo, debit, credit FROM (
  SELECT 0 AS part, NULL::uuid AS journal_id, NULL::date AS date, NULL::timestamptz AS created_time, NULL AS source, NULL::uuid AS source_id,
    NULL AS number, NULL AS reference_number, NULL AS memo, coalesce(sum(debit), 0)::bigint AS debit, coalesce(sum(credit), 0)::bigint AS credit
  FROM entry WHERE date < $3::date
  UNION ALL
  SELECT 1, e.id, e.date, e.created_time, e.source, e.source_id, coalesce(${named(({ number }) => number)}, e.journal_number),
    coalesce(${named(() => 'reference_number')}), e.memo, e.debit, e.credit
  FROM entry AS e
  ${DOCUMENTS.map(({ source, table }) => `LEFT JOIN ${table} ON e.source = '${source}' AND ${table}.org_id = $1::uuid AND ${table}.id = e.source_id`).join('\n  ')}
  WHERE $3::date IS NULL OR e.date >= $3::date
) AS row ORDER BY part, date, created_time, journal_id`,
}
const FIRST = { name: '', text: 'FETCH 1 FROM customer_ledger' }
const NEXT = { name: '', text: `FETCH ${ROWS_AT_ONCE} FROM customer_ledger` }
