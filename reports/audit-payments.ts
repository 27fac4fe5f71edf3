// Are the payments in order: what they are allocated to, their journals, their events?
import type { Connection } from '../models/database.ts'

/** Everything about the payments that is wrong, in words. */
export async function paymentsOutOfOrder(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const question of QUESTIONS) {
    for (const row of await connection.run<{ wrong: string }>(question, [])) wrong.push(row.wrong)
  }
  return wrong
}

const paidOf = (documents: string, number: string, target: string, party: string, open: string) => ({
  name: `audit payments on ${documents}`,
  text: `SELECT format('%s of %s is %s with %s paid and %s open, its allocations come to %s', d.${number}, d.org_id, d.status,
           d.payment_made, d.balance, coalesce(sum(a.amount), 0)) AS wrong
         FROM ${documents} AS d
         LEFT JOIN payment_allocations AS a ON a.org_id = d.org_id AND a.${target} = d.id
         LEFT JOIN payments AS p ON p.org_id = a.org_id AND p.id = a.payment_id
         GROUP BY d.org_id, d.id
         HAVING d.payment_made <> coalesce(sum(a.amount), 0)
           OR bool_or(p.contact_id <> d.${party} OR p.currency_code <> d.currency_code)
           OR d.status IN ('DRAFT', 'CANCELLED', '${open}') AND d.payment_made <> 0
           OR d.status = 'PAID' AND d.balance <> 0
           OR d.status = 'PARTIALLY_PAID' AND (d.balance = 0 OR d.balance = d.total)`,
})

const QUESTIONS = [
  paidOf('invoices', 'invoice_number', 'invoice_id', 'customer_id', 'SENT'),
  paidOf('bills', 'bill_number', 'bill_id', 'vendor_id', 'OPEN'),
  {
    name: 'audit allocations of payments',
    text: `SELECT format('payment %s of %s has %s of %s allocated, its allocations come to %s', p.payment_number, p.org_id, p.allocated,
             p.amount, coalesce(sum(a.amount), 0)) AS wrong
           FROM payments AS p LEFT JOIN payment_allocations AS a ON a.org_id = p.org_id AND a.payment_id = p.id
           GROUP BY p.org_id, p.id
           HAVING p.allocated <> coalesce(sum(a.amount), 0) OR p.allocated > p.amount
             OR bool_or(a.id IS NOT NULL AND (p.flow = 'INCOMING') <> (a.invoice_id IS NOT NULL))`,
  },
  // A payment stands in the ledger with one entry that moves its account; a deleted one with none.
  {
    name: 'audit payment postings',
    text: `WITH standing AS (
             SELECT j.org_id, j.source_id, count(*) AS entries FROM journals AS j
             WHERE j.source = 'PAYMENT' AND j.reversal_of IS NULL
               AND NOT EXISTS (SELECT FROM journals AS r WHERE r.org_id = j.org_id AND r.reversal_of = j.id)
             GROUP BY j.org_id, j.source_id
           )
           SELECT format('payment %s of %s has %s standing entries', coalesce(p.payment_number, s.source_id::text),
             coalesce(p.org_id, s.org_id), coalesce(s.entries, 0)) AS wrong
           FROM payments AS p JOIN organizations AS o ON o.id = p.org_id
           FULL JOIN standing AS s ON s.org_id = p.org_id AND s.source_id = p.id
           WHERE p.id IS NULL OR p.currency_code = o.currency_code AND s.entries IS DISTINCT FROM 1`,
  },
  {
    name: 'audit events of payments',
    text: `SELECT format('payment %s of %s has no event of its creation', p.payment_number, p.org_id) AS wrong FROM payments AS p
           WHERE NOT EXISTS (SELECT FROM webhook_events AS e
             WHERE e.org_id = p.org_id AND e.entity_id = p.id AND e.event_type IN ('PAYMENT_RECEIVED', 'PAYMENT_MADE'))`,
  },
]
