// The customer ledger: the entries of one contact in the receivable accounts, in the order of their dates.
import { DOCUMENTS, kindsThatHave } from '../domain/documents.ts'
import type { Database } from '../models/database.ts'
import type { Ledger, LedgerEntry } from '../models/journal.ts'

export interface LedgerPeriod {
  contactId: string
  /** Both inclusive; null for everything before, or after. */
  from: string | null
  to: string | null
}

// The most rows that are held in memory, however long the ledger is.
const ROWS_AT_ONCE = 500

/**
 * Opens the contact's ledger: opening balance, totals and entries are from one snapshot, read by a cursor over one
 * statement. The cursor stays open until the last entry is read, the reader stops, or `over` is aborted.
 */
export async function openCustomerLedger(
  { database, orgId }: { database: Database; orgId: string },
  { contactId, from, to }: LedgerPeriod,
  over: AbortSignal,
): Promise<Ledger> {
  const rows = database.portions<LedgerRow>([LEDGER, [orgId, contactId, from, to]], ROWS_AT_ONCE, over)
  const [sums, ...first] = (await rows.next()).value as LedgerRow[]
  async function* entries() {
    try {
      yield first.map(entryOf)
      for await (const portion of rows) yield portion.map(entryOf)
    } finally {
      await rows.return()
    }
  }
  return { opening: sums!.opening!, debit: sums!.debit, credit: sums!.credit, entries: entries() }
}

interface LedgerRow extends Omit<LedgerEntry, 'number' | 'reference_number'> {
  opening: bigint | null
  journal_number: string
  /** The document's number and reference; null where it was deleted or there is none. */
  called: [number: string, reference: string | null] | null
}

function entryOf({ opening: _none, journal_number, called, ...row }: LedgerRow): LedgerEntry {
  return { ...row, number: called?.[0] ?? journal_number, reference_number: called?.[1] ?? null }
}

// Looks up the number of each document that may post to a receivable: every kind that is not with vendors alone.
const called = kindsThatHave('posts')
  .filter((kind) => DOCUMENTS[kind].party !== 'vendor_id')
  .map((kind) => {
    const { table, number } = DOCUMENTS[kind]
    return `WHEN '${kind}' THEN (SELECT ARRAY[d.${number}, d.reference_number] FROM ${table} AS d WHERE d.org_id = $1::uuid AND d.id = e.source_id)`
  })

// The first row has the sums: `opening` before the period, `debit` and `credit` of the period. The number of a document is
// looked up when its row is fetched, so that the first portion does not wait for the last.
const LEDGER = {
  name: '',
  text: `WITH entry AS MATERIALIZED (
  SELECT j.id, j.date, j.created_time, j.source, j.source_id, j.journal_number, j.memo, l.debit, l.credit
  FROM (
    SELECT journal_id, sum(debit)::bigint AS debit, sum(credit)::bigint AS credit FROM journal_lines
    WHERE org_id = $1::uuid AND contact_id = $2::uuid
      AND account_id = ANY (ARRAY(SELECT a.id FROM accounts AS a WHERE a.org_id = $1::uuid AND a.account_type = 'ACCOUNTS_RECEIVABLE'))
    GROUP BY journal_id
  ) AS l JOIN journals AS j ON j.org_id = $1::uuid AND j.id = l.journal_id
  WHERE $4::date IS NULL OR j.date <= $4::date
), row AS (
  SELECT 0 AS part, coalesce(sum(debit - credit) FILTER (WHERE date < $3::date), 0)::bigint AS opening,
    coalesce(sum(debit) FILTER (WHERE $3::date IS NULL OR date >= $3::date), 0)::bigint AS debit,
    coalesce(sum(credit) FILTER (WHERE $3::date IS NULL OR date >= $3::date), 0)::bigint AS credit,
    NULL::uuid AS id, NULL::date AS date, NULL::timestamptz AS created_time, NULL AS source, NULL::uuid AS source_id, NULL AS journal_number, NULL AS memo
  FROM entry
  UNION ALL
  SELECT 1, NULL, debit, credit, id, date, created_time, source, source_id, journal_number, memo FROM entry
  WHERE $3::date IS NULL OR date >= $3::date
)
SELECT e.opening, e.debit, e.credit, e.id AS journal_id, e.date, e.source, e.source_id, e.journal_number, e.memo,
  CASE e.source ${called.join(' ')} END AS called
FROM row AS e ORDER BY e.part, e.date, e.created_time, e.id`,
}
