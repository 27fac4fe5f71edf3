// The audit: every rule of the books put as a question to the database; an answer is something wrong.
import type { Connection } from '../models/database.ts'
import { billsOutOfOrder } from './audit-bills.ts'
import { controlsOutOfLine } from './audit-control.ts'
import { conversionsOutOfOrder } from './audit-conversions.ts'
import { estimatesOutOfOrder } from './audit-estimates.ts'
import { expensesOutOfOrder } from './audit-expenses.ts'
import { notesOutOfOrder } from './audit-notes.ts'
import { missingNumbers } from './audit-numbers.ts'
import { ordersOutOfOrder } from './audit-orders.ts'
import { paymentsOutOfOrder } from './audit-payments.ts'
import { TRACES } from './audit-traces.ts'

interface Question {
  name: string
  /** Answers one text column, `wrong`, for every breach. */
  text: string
}

/** Asks every question of the whole database and answers what is wrong, in words; nothing when the books are in order. */
export async function audit(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const question of [...QUESTIONS, ...TRACES]) {
    for (const row of await connection.run<{ wrong: string }>(question, [])) wrong.push(row.wrong)
  }
  for (const ask of EXAMINERS) wrong.push(...await ask(connection))
  return wrong
}

// What one statement cannot ask.
const EXAMINERS = [
  controlsOutOfLine, paymentsOutOfOrder, notesOutOfOrder, billsOutOfOrder, expensesOutOfOrder, ordersOutOfOrder, estimatesOutOfOrder,
  conversionsOutOfOrder, missingNumbers,
]

const QUESTIONS: Question[] = [
  {
    name: 'audit journals balance',
    text: `SELECT format('journal %s of %s: %s of %s lines, debits %s, credits %s', j.journal_number, j.org_id, count(l.line_no),
             j.line_count, coalesce(sum(l.debit), 0), coalesce(sum(l.credit), 0)) AS wrong
           FROM journals AS j LEFT JOIN journal_lines AS l ON l.org_id = j.org_id AND l.journal_id = j.id
           GROUP BY j.org_id, j.id, j.journal_number, j.line_count
           HAVING count(l.line_no) <> j.line_count OR coalesce(sum(l.debit), 0) <> coalesce(sum(l.credit), 0)`,
  },
  {
    name: 'audit account balances',
    text: `SELECT format('account %s %s of %s: balance %s, its lines come to %s', a.code, a.name, a.org_id, coalesce(b.balance, 0), coalesce(l.total, 0)) AS wrong
           FROM accounts AS a
           LEFT JOIN account_balances AS b ON b.org_id = a.org_id AND b.account_id = a.id
           LEFT JOIN (SELECT org_id, account_id, sum(debit - credit) AS total FROM journal_lines GROUP BY org_id, account_id) AS l
             ON l.org_id = a.org_id AND l.account_id = a.id
           WHERE coalesce(b.balance, 0) <> coalesce(l.total, 0)`,
  },
  {
    name: 'audit invoice lines',
    text: `SELECT format('invoice %s of %s: sub_total %s, tax_total %s, round_off %s and total %s; its %s lines come to %s and %s',
             i.invoice_number, i.org_id, i.sub_total, i.tax_total, i.round_off, i.total, count(l.id),
             coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
           FROM invoices AS i LEFT JOIN invoice_lines AS l ON l.org_id = i.org_id AND l.invoice_id = i.id
           GROUP BY i.org_id, i.id
           HAVING count(l.id) = 0 OR i.sub_total + i.tax_total + i.round_off <> i.total
             OR i.sub_total <> coalesce(sum(l.item_total), 0) OR i.tax_total <> coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)
             OR i.cgst <> coalesce(sum(l.cgst), 0) OR i.sgst <> coalesce(sum(l.sgst), 0)
             OR i.igst <> coalesce(sum(l.igst), 0) OR i.cess <> coalesce(sum(l.cess), 0)`,
  },
  {
    name: 'audit invoice postings',
    text: `WITH entry AS (
             SELECT j.org_id, j.source_id, count(*) FILTER (WHERE j.reversal_of IS NULL) AS postings,
               count(*) FILTER (WHERE j.reversal_of IS NOT NULL) AS reversals
             FROM journals AS j WHERE j.source = 'INVOICE' GROUP BY j.org_id, j.source_id
           )
           SELECT format('invoice %s of %s is %s with %s postings and %s reversals', coalesce(i.invoice_number, e.source_id::text),
             coalesce(i.org_id, e.org_id), coalesce(i.status, 'gone'), coalesce(e.postings, 0), coalesce(e.reversals, 0)) AS wrong
           FROM invoices AS i JOIN organizations AS o ON o.id = i.org_id
           FULL JOIN entry AS e ON e.org_id = i.org_id AND e.source_id = i.id
           WHERE CASE
             WHEN i.id IS NULL THEN true
             WHEN i.status = 'DRAFT' THEN e.postings IS NOT NULL
             WHEN i.status = 'CANCELLED' THEN coalesce(e.postings, 0) <> coalesce(e.reversals, 0) OR e.postings > 1
             WHEN i.total = 0 AND i.sub_total = 0 THEN coalesce(e.postings, 0) > 1 OR coalesce(e.reversals, 0) > 0
             -- What comes to nothing in the books is not posted; if it comes to something, the receivables tell.
             WHEN i.currency_code <> o.currency_code AND e.postings IS NULL THEN false
             ELSE coalesce(e.postings, 0) <> 1 OR e.reversals <> 0 END`,
  },
  {
    name: 'audit reversals',
    text: `SELECT format('journal %s of %s does not mirror the entry that it reverses', r.journal_number, r.org_id) AS wrong
           FROM journals AS r
           WHERE r.reversal_of IS NOT NULL AND EXISTS (
             SELECT FROM (
               SELECT account_id, contact_id, sum(debit) AS debit, sum(credit) AS credit FROM journal_lines
               WHERE org_id = r.org_id AND journal_id = r.reversal_of GROUP BY account_id, contact_id) AS was
             FULL JOIN (
               SELECT account_id, contact_id, sum(debit) AS debit, sum(credit) AS credit FROM journal_lines
               WHERE org_id = r.org_id AND journal_id = r.id GROUP BY account_id, contact_id) AS now
               ON was.account_id = now.account_id AND was.contact_id IS NOT DISTINCT FROM now.contact_id
             WHERE was.debit IS DISTINCT FROM now.credit OR was.credit IS DISTINCT FROM now.debit)`,
  },
  {
    name: 'audit journal numbers',
    text: `SELECT format('organisation %s has given %s journal numbers, %s journals are found', c.org_id, c.next_number - 1, n.found) AS wrong
           FROM number_counters AS c
           CROSS JOIN LATERAL (SELECT count(*) AS found FROM journals AS j WHERE j.org_id = c.org_id) AS n
           WHERE c.sequence = 'journal' AND c.next_number - 1 <> n.found`,
  },
  {
    name: 'audit deliveries',
    text: `SELECT format('delivery %s of %s is %s after a successful attempt', d.id, d.org_id, d.status) AS wrong
           FROM webhook_deliveries AS d
           WHERE d.status <> 'DELIVERED' AND EXISTS (SELECT FROM webhook_attempts AS a
             WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.duration_ms IS NOT NULL AND a.error IS NULL AND a.status_code BETWEEN 200 AND 299)`,
  },
]
