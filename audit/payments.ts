// Checks payments: their allocations, journals and events.
import { kindsThatHave } from '../domain/documents.ts'
import type { SettledKind } from '../domain/lifecycle.ts'
import { creationOf, settledOf, unreversedEntries, type AuditQuery } from './documents.ts'

const paidOf = (kind: SettledKind) =>
  settledOf(
    kind,
    'PAYMENT',
    { settled: 'paid', applied: 'allocations' },
    () =>
      "d.status = 'PAID' AND d.balance <> 0 OR d.status = 'PARTIALLY_PAID' AND (d.balance = 0 OR d.balance = d.total)",
  )

export const PAYMENTS: AuditQuery[] = [
  ...kindsThatHave('settledBy').map(paidOf),
  {
    name: 'audit allocations of payments',
    text: `SELECT format('payment %s of %s has %s of %s allocated, its allocations sum to %s', p.payment_number, p.org_id, p.allocated,
             p.amount, coalesce(sum(a.amount), 0)) AS wrong
           FROM payments AS p LEFT JOIN payment_allocations AS a ON a.org_id = p.org_id AND a.payment_id = p.id
           GROUP BY p.org_id, p.id
           HAVING p.allocated <> coalesce(sum(a.amount), 0) OR p.allocated > p.amount
             OR bool_or(a.id IS NOT NULL AND (p.flow = 'INCOMING') <> (a.invoice_id IS NOT NULL))`,
  },
  // A payment has one unreversed entry; a deleted payment has none.
  {
    name: 'audit payment postings',
    text: `WITH ${unreversedEntries('PAYMENT')}, unreversed AS (SELECT org_id, source_id, count(*) AS entries FROM entry GROUP BY org_id, source_id)
           SELECT format('payment %s of %s has %s unreversed entries', coalesce(p.payment_number, s.source_id::text),
             coalesce(p.org_id, s.org_id), coalesce(s.entries, 0)) AS wrong
           FROM payments AS p JOIN organizations AS o ON o.id = p.org_id
           FULL JOIN unreversed AS s ON s.org_id = p.org_id AND s.source_id = p.id
           WHERE p.id IS NULL OR p.currency_code = o.currency_code AND s.entries IS DISTINCT FROM 1`,
  },
  creationOf('PAYMENT'),
]
