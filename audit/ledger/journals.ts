// Checks that every journal balances, that reversals mirror what they reverse, and that no journal is missing.
import type { AuditQuery } from '../documents.ts'

export const JOURNALS: AuditQuery[] = [
  {
    name: 'audit journals balance',
    text: `SELECT format('journal %s of %s: %s of %s lines, debits %s, credits %s', j.journal_number, j.org_id, count(l.line_no),
             j.line_count, coalesce(sum(l.debit), 0), coalesce(sum(l.credit), 0)) AS wrong
           FROM journals AS j LEFT JOIN journal_lines AS l ON l.org_id = j.org_id AND l.journal_id = j.id
           GROUP BY j.org_id, j.id, j.journal_number, j.line_count
           HAVING count(l.line_no) <> j.line_count OR coalesce(sum(l.debit), 0) <> coalesce(sum(l.credit), 0)`,
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
    text: `SELECT format('organisation %s has assigned %s journal numbers, but %s journals exist', c.org_id, c.next_number - 1, n.found) AS wrong
           FROM number_counters AS c
           CROSS JOIN LATERAL (
             SELECT (SELECT count(*) FROM journals AS j WHERE j.org_id = c.org_id)
               + (SELECT count(*) FROM number_gaps AS g WHERE g.org_id = c.org_id AND g.document = 'journal') AS found) AS n
           WHERE c.sequence = 'journal' AND c.next_number - 1 <> n.found`,
  },
]
