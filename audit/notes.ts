// Checks credit and debit notes: their lines, journals, events and applications.
import { DOCUMENTS, kindsThatHave, type KindThatHas } from '../domain/documents.ts'
import type { SettledKind } from '../domain/lifecycle.ts'
import { eventsOf, linesOf, numbersOf, settledOf, unreversedEntries, type AuditQuery } from './documents.ts'

type NoteKind = KindThatHas<'against'>

// An issued note has one unreversed entry, with the date of the note; other notes have none.
function entriesOf(kind: NoteKind): AuditQuery {
  const { noun, table, number } = DOCUMENTS[kind]
  return {
    name: `audit postings of ${noun}s`,
    text: `WITH ${unreversedEntries(kind)}, unreversed AS (
             SELECT org_id, source_id, count(*) AS entries, array_agg(date) AS dates FROM entry GROUP BY org_id, source_id
           )
           SELECT format('${noun} %s of %s is %s with %s unreversed entries', coalesce(n.${number}, s.source_id::text),
             coalesce(n.org_id, s.org_id), coalesce(n.status, 'gone'), coalesce(s.entries, 0)) AS wrong
           FROM ${table} AS n JOIN organizations AS o ON o.id = n.org_id
           FULL JOIN unreversed AS s ON s.org_id = n.org_id AND s.source_id = n.id
           WHERE CASE
             WHEN n.id IS NULL THEN true
             WHEN n.status IN ('DRAFT', 'CANCELLED') THEN s.entries IS NOT NULL
             WHEN n.total = 0 AND n.sub_total = 0 THEN s.entries IS NOT NULL
             -- Applications at another rate post differences, and what comes to nothing is not posted: the control accounts tell.
             WHEN n.currency_code <> o.currency_code THEN false
             ELSE s.entries IS DISTINCT FROM 1 OR NOT n.date = ANY (s.dates) END`,
  }
}

const queriesOf = (kind: NoteKind) => [
  linesOf(kind),
  entriesOf(kind),
  eventsOf(kind),
  numbersOf(kind, `numbers of ${DOCUMENTS[kind].noun}s`),
]

const creditsOn = (kind: SettledKind) =>
  settledOf(
    kind,
    'CREDIT_NOTE',
    { settled: 'credited', applied: 'applications' },
    (credited) => `d.status = 'CREDIT_APPLIED' AND (d.balance <> 0 OR d.${credited} = 0)`,
  )

export const NOTES: AuditQuery[] = [
  ...kindsThatHave('against').flatMap(queriesOf),
  ...kindsThatHave('settledBy').map(creditsOn),
  {
    name: 'audit applications of credit notes',
    text: `SELECT format('credit note %s of %s is %s with %s of %s applied, its applications sum to %s', n.credit_note_number, n.org_id,
             n.status, n.applied_amount, n.total, coalesce(sum(a.amount), 0)) AS wrong
           FROM credit_notes AS n LEFT JOIN credit_applications AS a ON a.org_id = n.org_id AND a.credit_note_id = n.id
           GROUP BY n.org_id, n.id
           HAVING n.applied_amount <> coalesce(sum(a.amount), 0)
             OR bool_or(a.id IS NOT NULL AND (n.type = 'customer') <> (a.invoice_id IS NOT NULL))
             OR n.status = 'ISSUED' AND n.applied_amount = n.total AND n.total > 0`,
  },
]
