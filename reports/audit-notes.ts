// Are the credit and debit notes in order: their lines, their journals, their events, what of them is applied?
import type { Connection } from '../models/database.ts'

/** Everything about the notes that is wrong, in words. */
export async function notesOutOfOrder(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const question of QUESTIONS) {
    for (const row of await connection.run<{ wrong: string }>(question, [])) wrong.push(row.wrong)
  }
  return wrong
}

interface Kind {
  noun: 'credit note' | 'debit note'
  one: 'credit_note' | 'debit_note'
  source: 'CREDIT_NOTE' | 'DEBIT_NOTE'
  /** The events that a note must have, each with when. */
  events: string
}

const KINDS: Kind[] = [
  {
    noun: 'credit note', one: 'credit_note', source: 'CREDIT_NOTE',
    events: "('CREDIT_NOTE_CREATED', true), ('CREDIT_NOTE_VOIDED', n.status = 'CANCELLED')",
  },
  { noun: 'debit note', one: 'debit_note', source: 'DEBIT_NOTE', events: "('DEBIT_NOTE_CREATED', true)" },
]

const linesOf = ({ noun, one }: Kind) => ({
  name: `audit lines of ${noun}s`,
  text: `SELECT format('${noun} %s of %s: sub_total %s and tax_total %s, its lines come to %s and %s', n.${one}_number, n.org_id, n.sub_total,
           n.tax_total, coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
         FROM ${one}s AS n LEFT JOIN ${one}_lines AS l ON l.org_id = n.org_id AND l.${one}_id = n.id
         GROUP BY n.org_id, n.id
         HAVING (n.sub_total, n.cgst, n.sgst, n.igst, n.cess) IS DISTINCT FROM (sum(l.item_total), sum(l.cgst), sum(l.sgst), sum(l.igst), sum(l.cess))
           OR count(DISTINCT l.line_no) <> count(*)`,
})

// A note that is issued stands in the ledger with one entry, of its own date; others with none.
const postingsOf = ({ noun, one, source }: Kind) => ({
  name: `audit postings of ${noun}s`,
  text: `WITH standing AS (
           SELECT j.org_id, j.source_id, count(*) AS entries, array_agg(j.date) AS dates FROM journals AS j
           WHERE j.source = '${source}' AND j.reversal_of IS NULL
             AND NOT EXISTS (SELECT FROM journals AS r WHERE r.org_id = j.org_id AND r.reversal_of = j.id)
           GROUP BY j.org_id, j.source_id
         )
         SELECT format('${noun} %s of %s is %s with %s standing entries', coalesce(n.${one}_number, s.source_id::text),
           coalesce(n.org_id, s.org_id), coalesce(n.status, 'gone'), coalesce(s.entries, 0)) AS wrong
         FROM ${one}s AS n JOIN organizations AS o ON o.id = n.org_id
         FULL JOIN standing AS s ON s.org_id = n.org_id AND s.source_id = n.id
         WHERE CASE
           WHEN n.id IS NULL THEN true
           WHEN n.status IN ('DRAFT', 'CANCELLED') THEN s.entries IS NOT NULL
           WHEN n.total = 0 AND n.sub_total = 0 THEN s.entries IS NOT NULL
           -- Applications at another rate post differences, and what comes to nothing is not posted: the control accounts tell.
           WHEN n.currency_code <> o.currency_code THEN false
           ELSE s.entries IS DISTINCT FROM 1 OR NOT n.date = ANY (s.dates) END`,
})

const eventsOf = ({ noun, one, events }: Kind) => ({
  name: `audit events of ${noun}s`,
  text: `SELECT format('${noun} %s of %s is %s and has no event %s', n.${one}_number, n.org_id, n.status, needed.type) AS wrong
         FROM ${one}s AS n JOIN LATERAL (VALUES ${events}) AS needed(type, is_needed) ON is_needed
         WHERE NOT EXISTS (SELECT FROM webhook_events AS e
           WHERE e.org_id = n.org_id AND e.entity_id = n.id AND e.event_type = needed.type)`,
})

const numbersOf = ({ noun, one }: Kind) => ({
  name: `audit numbers of ${noun}s`,
  text: `SELECT format('organisation %s has given %s numbers of ${noun}s, %s are found', c.org_id, c.next_number - 1, n.found) AS wrong
         FROM number_counters AS c
         CROSS JOIN LATERAL (SELECT count(*) AS found FROM ${one}s AS n WHERE n.org_id = c.org_id) AS n
         WHERE c.sequence = '${noun}' AND c.next_number - 1 <> n.found`,
})

const creditsOn = (documents: string, number: string, target: string, party: string, credited: string, standing: string) => ({
  name: `audit credits on ${documents}`,
  text: `SELECT format('%s of %s is %s with %s credited and %s open, its applications come to %s', d.${number}, d.org_id, d.status,
           d.${credited}, d.balance, coalesce(sum(a.amount), 0)) AS wrong
         FROM ${documents} AS d
         LEFT JOIN credit_applications AS a ON a.org_id = d.org_id AND a.${target} = d.id
         LEFT JOIN credit_notes AS n ON n.org_id = a.org_id AND n.id = a.credit_note_id
         GROUP BY d.org_id, d.id
         HAVING d.${credited} <> coalesce(sum(a.amount), 0)
           OR bool_or(n.customer_id <> d.${party} OR n.currency_code <> d.currency_code)
           OR d.status IN ('DRAFT', 'CANCELLED', '${standing}') AND d.${credited} <> 0
           OR d.status = 'CREDIT_APPLIED' AND (d.balance <> 0 OR d.${credited} = 0)`,
})

const QUESTIONS = [
  ...KINDS.flatMap((kind) => [linesOf(kind), postingsOf(kind), eventsOf(kind), numbersOf(kind)]),
  creditsOn('invoices', 'invoice_number', 'invoice_id', 'customer_id', 'credits_applied', 'SENT'),
  creditsOn('bills', 'bill_number', 'bill_id', 'vendor_id', 'vendor_credits_applied', 'OPEN'),
  {
    name: 'audit applications of credit notes',
    text: `SELECT format('credit note %s of %s is %s with %s of %s applied, its applications come to %s', n.credit_note_number, n.org_id,
             n.status, n.applied_amount, n.total, coalesce(sum(a.amount), 0)) AS wrong
           FROM credit_notes AS n LEFT JOIN credit_applications AS a ON a.org_id = n.org_id AND a.credit_note_id = n.id
           GROUP BY n.org_id, n.id
           HAVING n.applied_amount <> coalesce(sum(a.amount), 0)
             OR bool_or(a.id IS NOT NULL AND (n.type = 'customer') <> (a.invoice_id IS NOT NULL))
             OR n.status = 'ISSUED' AND n.applied_amount = n.total AND n.total > 0`,
  },
]
