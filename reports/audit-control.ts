// Does what each contact owes, or is owed, in the ledger equal its open documents less its unapplied payments and notes?
import type { CreditSide } from '../domain/credit.ts'
import { toBase } from '../domain/money.ts'
import type { Connection } from '../models/database.ts'

interface Party {
  org_id: string
  contact_id: string
  base_currency: string
  /** Minor units of the books' currency, as text. */
  owed: string
  open: string
  /** What is in other currencies: `off` is what was taken off it in the ledger, in the books' currency. */
  foreign: { sign: number; currency: string; rate: string; amount: string; off: string }[]
}

/** Every contact whose receivable or payable differs from its documents, payments and notes, in words. */
export async function controlsOutOfLine(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const [name, question] of [['receivable', RECEIVABLES], ['payable', PAYABLES]] as const) {
    for (const party of await connection.run<Party>(question, [])) {
      const { org_id, contact_id, base_currency, owed, foreign } = party
      // Rounding has one home: what foreign money comes to is asked of the domain, not computed anew in SQL.
      const open = foreign.reduce((sum, { sign, currency, rate, amount, off }) => (
        sum + BigInt(sign) * (toBase(BigInt(amount), currency, rate, base_currency) - BigInt(off))
      ), BigInt(party.open))
      if (open !== BigInt(owed)) wrong.push(`the ${name} of contact ${contact_id} of ${org_id} is ${owed} in the ledger, its documents come to ${open}`)
    }
  }
  return wrong
}

interface Side {
  role: 'ACCOUNTS_RECEIVABLE' | 'ACCOUNTS_PAYABLE'
  source: 'INVOICE' | 'BILL'
  documents: 'invoices' | 'bills'
  party: 'customer_id' | 'vendor_id'
  target: 'invoice_id' | 'bill_id'
  /** The flow of payments that settle; a refund goes the other way and is owed again. */
  flow: 'INCOMING' | 'OUTGOING'
  /** The type of the credit notes that do. */
  side: CreditSide
  /** What else is owed less, as rows of the same columns. */
  besides?: string
  owed: string
}

// Of documents that stand, their totals less what payments and credits settled; of these, what they have not yet settled.
const textOf = ({ role, source, documents, party, target, flow, side, besides = '', owed }: Side) => `
WITH item AS (
  SELECT d.org_id, d.${party} AS contact_id, 1 AS sign, d.currency_code, d.exchange_rate, d.total AS amount,
    (SELECT coalesce(sum(a.settled_base), 0) FROM payment_allocations AS a WHERE a.org_id = d.org_id AND a.${target} = d.id)
    + (SELECT coalesce(sum(a.settled_base), 0) FROM credit_applications AS a WHERE a.org_id = d.org_id AND a.${target} = d.id) AS off
  FROM ${documents} AS d WHERE d.status NOT IN ('DRAFT', 'CANCELLED')
  UNION ALL
  SELECT p.org_id, p.contact_id, CASE p.payment_type WHEN 'REFUND' THEN 1 ELSE -1 END, p.currency_code, p.exchange_rate, p.amount,
    (SELECT coalesce(sum(a.relieved_base), 0) FROM payment_allocations AS a WHERE a.org_id = p.org_id AND a.payment_id = p.id)
  FROM payments AS p WHERE (p.flow = '${flow}') = (p.payment_type <> 'REFUND')
  UNION ALL
  SELECT n.org_id, n.customer_id, -1, n.currency_code, n.exchange_rate, n.total,
    (SELECT coalesce(sum(a.relieved_base), 0) FROM credit_applications AS a WHERE a.org_id = n.org_id AND a.credit_note_id = n.id)
  FROM credit_notes AS n WHERE n.type = '${side}' AND n.status NOT IN ('DRAFT', 'CANCELLED')${besides}
), expected AS (
  SELECT i.org_id, i.contact_id, o.currency_code AS base_currency,
    coalesce(sum(i.sign * (i.amount - i.off)) FILTER (WHERE i.currency_code = o.currency_code), 0) AS open,
    json_agg(json_build_object('sign', i.sign, 'currency', i.currency_code, 'rate', i.exchange_rate::text,
      'amount', i.amount::text, 'off', i.off::text)) FILTER (WHERE i.currency_code <> o.currency_code) AS foreign
  FROM item AS i JOIN organizations AS o ON o.id = i.org_id GROUP BY i.org_id, i.contact_id, o.currency_code
), ledger AS (
  SELECT l.org_id, l.contact_id, sum(${owed}) AS owed
  FROM journal_lines AS l
  JOIN accounts AS a ON a.org_id = l.org_id AND a.id = l.account_id AND a.role = '${role}'
  JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id AND j.source IN ('${source}', 'PAYMENT', 'CREDIT_NOTE', 'DEBIT_NOTE')
  GROUP BY l.org_id, l.contact_id
)
SELECT coalesce(e.org_id, g.org_id) AS org_id, coalesce(e.contact_id, g.contact_id) AS contact_id,
  coalesce(e.base_currency, '') AS base_currency, coalesce(g.owed, 0)::text AS owed, coalesce(e.open, 0)::text AS open,
  coalesce(e.foreign, '[]') AS foreign
FROM expected AS e FULL JOIN ledger AS g ON g.org_id = e.org_id AND g.contact_id = e.contact_id
WHERE coalesce(e.open, 0) <> coalesce(g.owed, 0) OR e.foreign IS NOT NULL`

const DEBIT_NOTES = `
  UNION ALL
  SELECT n.org_id, n.vendor_id, -1, n.currency_code, n.exchange_rate, n.total, 0 FROM debit_notes AS n WHERE n.status NOT IN ('DRAFT', 'CANCELLED')`

const RECEIVABLES = {
  name: 'audit receivables',
  text: textOf({
    role: 'ACCOUNTS_RECEIVABLE', source: 'INVOICE', documents: 'invoices', party: 'customer_id', target: 'invoice_id', flow: 'INCOMING',
    side: 'customer', owed: 'l.debit - l.credit',
  }),
}

const PAYABLES = {
  name: 'audit payables',
  text: textOf({
    role: 'ACCOUNTS_PAYABLE', source: 'BILL', documents: 'bills', party: 'vendor_id', target: 'bill_id', flow: 'OUTGOING',
    side: 'vendor', besides: DEBIT_NOTES, owed: 'l.credit - l.debit',
  }),
}
