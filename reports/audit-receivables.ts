// Does what each customer owes in the ledger equal the open invoices?
import { toBase } from '../domain/money.ts'
import type { Connection } from '../models/database.ts'

interface Customer {
  org_id: string
  customer_id: string
  base_currency: string
  /** Minor units of the books' currency, as text. */
  owed: string
  open: string
  /** Open invoices in other currencies. */
  foreign: { currency: string; rate: string; balance: string }[]
}

/** Every customer whose receivable differs from the open invoices, in words. */
export async function receivablesOutOfLine(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const customer of await connection.run<Customer>(CUSTOMERS, [])) {
    const { org_id, customer_id, base_currency, owed, foreign } = customer
    // Rounding has one home: what a foreign invoice comes to is asked of the domain, not computed anew in SQL.
    const open = foreign.reduce(
      (sum, { currency, rate, balance }) => sum + toBase(BigInt(balance), currency, rate, base_currency), BigInt(customer.open),
    )
    if (open !== BigInt(owed)) wrong.push(`customer ${customer_id} of ${org_id} owes ${owed} in the ledger, open invoices come to ${open}`)
  }
  return wrong
}

const CUSTOMERS = {
  name: 'audit receivables',
  text: `WITH open_invoices AS (
           SELECT i.org_id, i.customer_id, o.currency_code AS base_currency,
             coalesce(sum(i.balance) FILTER (WHERE i.currency_code = o.currency_code), 0) AS open,
             coalesce(json_agg(json_build_object('currency', i.currency_code, 'rate', i.exchange_rate::text, 'balance', i.balance::text))
               FILTER (WHERE i.currency_code <> o.currency_code), '[]') AS foreign
           FROM invoices AS i JOIN organizations AS o ON o.id = i.org_id
           WHERE i.status NOT IN ('DRAFT', 'CANCELLED') GROUP BY i.org_id, i.customer_id, o.currency_code
         ), ledger AS (
           SELECT l.org_id, l.contact_id, sum(l.debit - l.credit) AS owed
           FROM journal_lines AS l
           JOIN accounts AS a ON a.org_id = l.org_id AND a.id = l.account_id AND a.role = 'ACCOUNTS_RECEIVABLE'
           GROUP BY l.org_id, l.contact_id
         )
         SELECT coalesce(d.org_id, g.org_id) AS org_id, coalesce(d.customer_id, g.contact_id) AS customer_id,
           coalesce(d.base_currency, '') AS base_currency, coalesce(g.owed, 0)::text AS owed, coalesce(d.open, 0)::text AS open,
           coalesce(d.foreign, '[]') AS foreign
         FROM open_invoices AS d FULL JOIN ledger AS g ON g.org_id = d.org_id AND g.contact_id = d.customer_id
         WHERE coalesce(d.open, 0) <> coalesce(g.owed, 0) OR json_array_length(d.foreign) > 0`,
}
