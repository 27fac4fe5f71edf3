// Checks expenses: their lines, journals and events.
import { creationOf, unreversedEntries, type AuditQuery } from './documents.ts'

const LINES = {
  name: 'audit expense lines',
  text: `SELECT format('expense %s of %s: amount %s, sub_total %s, tax_total %s, reverse charge %s; its lines sum to %s, %s, %s, %s', e.expense_number,
           e.org_id, e.amount, e.sub_total, e.tax_total, e.rcm_tax_total, sum(l.amount), sum(l.item_total), sum(l.cgst + l.sgst + l.igst + l.cess),
           sum(l.rcm_cgst + l.rcm_sgst + l.rcm_igst + l.rcm_cess)) AS wrong
         FROM expenses AS e LEFT JOIN expense_lines AS l ON l.org_id = e.org_id AND l.expense_id = e.id
         GROUP BY e.org_id, e.id
         HAVING (e.amount, e.sub_total, e.tax_total, e.rcm_tax_total) IS DISTINCT FROM (sum(l.amount), sum(l.item_total),
             sum(l.cgst + l.sgst + l.igst + l.cess), sum(l.rcm_cgst + l.rcm_sgst + l.rcm_igst + l.rcm_cess))
           OR (NOT e.itemized AND count(*) <> 1) OR count(DISTINCT l.line_no) <> count(*)`,
}

// An expense has one unreversed entry; a deleted expense has none.
const POSTINGS = {
  name: 'audit expense postings',
  text: `WITH ${unreversedEntries('EXPENSE')}
         SELECT format('expense %s of %s has %s unreversed entries', coalesce(e.expense_number, n.source_id::text), coalesce(e.org_id, n.org_id),
             coalesce(n.entries, 0)) AS wrong
         FROM expenses AS e
         FULL JOIN (SELECT org_id, source_id, count(*) AS entries FROM entry GROUP BY org_id, source_id) AS n ON n.org_id = e.org_id AND n.source_id = e.id
         WHERE e.id IS NULL OR n.entries IS DISTINCT FROM 1`,
}

const PAID = {
  name: 'audit expense payments',
  text: `WITH ${unreversedEntries('EXPENSE')}
         SELECT format('expense %s of %s has the total %s, but its journal pays %s on %s', e.expense_number, e.org_id, e.total,
             coalesce(sum(l.credit - l.debit), 0), j.date) AS wrong
         FROM expenses AS e
         JOIN entry AS n ON n.org_id = e.org_id AND n.source_id = e.id
         JOIN journals AS j ON j.org_id = n.org_id AND j.id = n.id
         LEFT JOIN journal_lines AS l ON l.org_id = n.org_id AND l.journal_id = n.id AND l.account_id = e.paid_through_account_id
         GROUP BY e.org_id, e.id, j.date
         HAVING coalesce(sum(l.credit - l.debit), 0) <> e.total OR j.date <> e.date`,
}

export const EXPENSES: AuditQuery[] = [LINES, POSTINGS, PAID, creationOf('EXPENSE')]
