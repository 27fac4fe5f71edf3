// Checks that the dates and branches of journal lines, and the balances of accounts by month, agree with the entries.
import { DOCUMENTS, kindsThatHave } from '../../domain/documents.ts'
import type { AuditQuery } from '../documents.ts'

const BRANCHED = kindsThatHave('hasBranch').filter((kind) => 'posts' in DOCUMENTS[kind])

export const LEDGER: AuditQuery[] = [
  {
    name: 'audit dates of lines',
    text: `SELECT format('journal %s of %s: line %s is dated %s, the journal %s', j.journal_number, l.org_id, l.line_no, coalesce(l.date::text, 'never'), j.date) AS wrong
           FROM journal_lines AS l JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id
           WHERE l.date IS DISTINCT FROM j.date`,
  },
  {
    name: 'audit branches of lines',
    text: `WITH document AS (
             ${BRANCHED.map((kind) => `SELECT org_id, id, branch_id, '${kind}' AS source FROM ${DOCUMENTS[kind].table}`).join(' UNION ALL ')}
           )
           SELECT format('journal %s of %s: line %s has branch %s, its document has %s', j.journal_number, l.org_id, l.line_no,
             coalesce(l.branch_id::text, 'none'), coalesce(d.branch_id::text, 'none')) AS wrong
           FROM journal_lines AS l
           JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id
           LEFT JOIN document AS d ON d.org_id = j.org_id AND d.id = j.source_id AND d.source = j.source
           -- Of a document that is gone another question tells.
           WHERE l.branch_id IS DISTINCT FROM d.branch_id
             AND (d.id IS NOT NULL OR j.source NOT IN (${BRANCHED.map((kind) => `'${kind}'`).join(', ')}))`,
  },
  {
    name: 'audit account balances',
    text: `WITH line AS (
             SELECT org_id, account_id, date_trunc('month', date::timestamp)::date AS month, sum(debit) AS debit, sum(credit) AS credit
             FROM journal_lines GROUP BY 1, 2, 3
           ), month AS (
             SELECT org_id, account_id, month, coalesce(b.debit, 0) AS debit, coalesce(b.credit, 0) AS credit,
               coalesce(l.debit, 0) AS line_debit, coalesce(l.credit, 0) AS line_credit
             FROM monthly_balances AS b FULL JOIN line AS l USING (org_id, account_id, month)
           )
           SELECT format('account %s %s of %s: balance %s in %s, debits %s and credits %s; its lines sum to %s, debits %s and credits %s',
             a.code, a.name, m.org_id, m.debit - m.credit, coalesce(to_char(m.month, 'YYYY-MM'), 'no month'), m.debit, m.credit,
             m.line_debit - m.line_credit, m.line_debit, m.line_credit) AS wrong
           FROM month AS m LEFT JOIN accounts AS a ON a.org_id = m.org_id AND a.id = m.account_id
           WHERE m.debit <> m.line_debit OR m.credit <> m.line_credit`,
  },
]
