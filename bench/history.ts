// Writes two years of business into the books of one organisation, by a few statements.
import type { Client } from 'pg'
import { contacts } from '../models/contact.ts'
import { invoiceLines, invoices } from '../models/invoice.ts'
import { journalLines, journals } from '../models/journal.ts'
import { connected } from './connected.ts'
import { copyOf } from './booking.ts'
import type { Party } from './parties.ts'
import type { Stage } from './stage.ts'

export interface Business {
  invoices: number
  customers: number
}

/**
 * Adds this many invoices to the organisation, copies of its specimen: of the old ones nine in ten are paid, one in fifty is
 * a draft, the others are owed. Each has its lines and its journal, and a paid one the journal of its receipt.
 */
export async function writeHistory(stage: Stage, { orgId }: Party, { invoices: count, customers }: Business): Promise<void> {
  await connected(stage.databaseUrl, async (client) => {
    // Turns off foreign keys and row triggers; `check` checks at the end what they would enforce.
    await client.query('SET session_replication_role = replica')
    await client.query(TABLES)
    await client.query('INSERT INTO customers SELECT generate_series(0, $1::integer - 1)', [customers])
    await client.query(PLAN, [orgId, count, customers])
    for (const statement of STATEMENTS) {
      stage.stopping.throwIfAborted()
      await client.query(statement, [orgId])
    }
    await client.query('VACUUM (ANALYZE)')
    await check(client, orgId, count)
  })
}

const TABLES = `
CREATE TEMPORARY TABLE customers (no integer PRIMARY KEY, id uuid NOT NULL DEFAULT uuidv7());
CREATE TEMPORARY TABLE plan (
  org_id uuid, n integer, invoice uuid, journal uuid, receipt uuid, customer uuid,
  created timestamptz, date date, due date, status text)`

// n counts from the oldest to the newest invoice; ids grow with time, like those of the service.
const PLAN = `
INSERT INTO plan
SELECT $1, n, uuidv7(age), uuidv7(age), uuidv7(age), customers.id, now() + age, (now() + age)::date, (now() + age)::date + 30,
       CASE WHEN n % 50 = 7 THEN 'DRAFT' WHEN n % 10 > 0 AND age < interval '-45 days' THEN 'PAID' ELSE 'SENT' END
FROM generate_series(1, $2::integer) AS n
  CROSS JOIN LATERAL (SELECT interval '-730 days' * (($2 - n)::double precision / $2) - interval '1 minute' AS age) AS a
  JOIN customers ON customers.no = (n * 7919) % $3::integer`

const FROM = (table: string) => `plan AS p JOIN bench.invoice AS s USING (org_id), unnest(s.${table}) AS r WHERE s.org_id = $1`
const POSTED = `AND p.status <> 'DRAFT'`
const PAID = `AND p.status = 'PAID'`

const INVOICE = {
  invoices: {
    id: 'p.invoice', invoice_number: `'H-' || p.n`, customer_id: 'p.customer', date: 'p.date', due_date: 'p.due', status: 'p.status',
    reference_number: `'PO-' || p.n / 20`,
    payment_made: `CASE p.status WHEN 'PAID' THEN r.total ELSE 0 END`,
    created_time: 'p.created', last_modified_time: 'p.created',
  },
  invoice_lines: { id: 'uuidv7(p.created - now())', invoice_id: 'p.invoice' },
  journals: {
    id: 'p.journal', journal_number: `'H-' || p.n`, date: 'p.date', source_id: 'p.invoice', contact_id: 'p.customer',
    created_time: 'p.created',
  },
  journal_lines: {
    journal_id: 'p.journal', date: 'p.date', contact_id: 'CASE WHEN r.contact_id IS NOT NULL THEN p.customer END', created_time: 'p.created',
  },
}

//   Dr Bank                   what the customer has paid
//      Cr Accounts Receivable
const RECEIPT = {
  journals: {
    id: 'p.receipt', journal_number: `'R-' || p.n`, date: 'p.date', source: `'MANUAL'`, source_id: 'NULL', memo: `'Receipt'`,
    contact_id: 'p.customer', line_count: '2', created_time: 'p.created',
  },
}
const RECEIPT_LINES = `
INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, date, account_id, contact_id, debit, credit, created_time)
SELECT $1, p.receipt, side.no, 2, p.date, a.id, CASE side.no WHEN 2 THEN p.customer END,
       CASE side.no WHEN 1 THEN r.total ELSE 0 END, CASE side.no WHEN 2 THEN r.total ELSE 0 END, p.created
FROM (VALUES (1, 'BANK'), (2, 'ACCOUNTS_RECEIVABLE')) AS side (no, role)
  JOIN accounts AS a ON a.org_id = $1 AND a.role = side.role, ${FROM('invoices')} ${PAID}`

const BALANCES = `
INSERT INTO monthly_balances (org_id, account_id, month, debit, credit)
SELECT org_id, account_id, date_trunc('month', date::timestamp)::date, sum(debit), sum(credit) FROM journal_lines WHERE org_id = $1 GROUP BY 1, 2, 3
ON CONFLICT (org_id, account_id, month) DO UPDATE SET debit = excluded.debit, credit = excluded.credit`

const STATEMENTS = [
  copyOf(contacts, '(SELECT * FROM contacts WHERE org_id = $1 LIMIT 1) AS r, customers AS c', {
    contacts: { id: 'c.id', contact_name: `'Customer ' || c.no` },
  }),
  copyOf(invoices, FROM('invoices'), INVOICE),
  copyOf(invoiceLines, FROM('invoice_lines'), INVOICE),
  copyOf(journals, `${FROM('journals')} ${POSTED}`, INVOICE),
  copyOf(journalLines, `${FROM('journal_lines')} ${POSTED}`, INVOICE),
  copyOf(journals, `${FROM('journals')} ${PAID}`, RECEIPT),
  RECEIPT_LINES,
  BALANCES,
]

// The books must be like those of the service: every entry balances, and the receivable equals what is owed.
async function check(client: Client, orgId: string, count: number): Promise<void> {
  const { rows: [found] } = await client.query(CHECK, [orgId])
  if (found.invoices <= count || found.unbalanced !== 0 || found.receivable !== found.owed) {
    throw new Error(`the history of the large organisation is wrong: ${JSON.stringify(found)}`)
  }
}

const CHECK = `
SELECT (SELECT count(*)::integer FROM invoices WHERE org_id = $1) AS invoices,
       (SELECT count(*)::integer FROM (
          SELECT FROM journals AS j LEFT JOIN journal_lines AS l ON l.org_id = j.org_id AND l.journal_id = j.id WHERE j.org_id = $1
          GROUP BY j.id, j.line_count HAVING count(l.line_no) <> j.line_count OR sum(l.debit) <> sum(l.credit)) AS u) AS unbalanced,
       (SELECT sum(b.debit - b.credit)::bigint FROM monthly_balances AS b JOIN accounts AS a ON a.org_id = b.org_id AND a.id = b.account_id
        WHERE b.org_id = $1 AND a.role = 'ACCOUNTS_RECEIVABLE') AS receivable,
       (SELECT sum(balance)::bigint FROM invoices WHERE org_id = $1 AND status <> 'DRAFT') AS owed`
