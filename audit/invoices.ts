// Checks invoices: their lines, journals, events, entries in the activity log, and numbers.
import { eventsOf, postingsOf, type AuditQuery } from './documents.ts'

export const INVOICES: AuditQuery[] = [
  {
    name: 'audit invoice lines',
    text: `SELECT format('invoice %s of %s: sub_total %s, tax_total %s, round_off %s and total %s; its %s lines sum to %s and %s',
             i.invoice_number, i.org_id, i.sub_total, i.tax_total, i.round_off, i.total, count(l.id),
             coalesce(sum(l.item_total), 0), coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)) AS wrong
           FROM invoices AS i LEFT JOIN invoice_lines AS l ON l.org_id = i.org_id AND l.invoice_id = i.id
           GROUP BY i.org_id, i.id
           HAVING count(l.id) = 0 OR i.sub_total + i.tax_total + i.round_off <> i.total
             OR i.sub_total <> coalesce(sum(l.item_total), 0) OR i.tax_total <> coalesce(sum(l.cgst + l.sgst + l.igst + l.cess), 0)
             OR i.cgst <> coalesce(sum(l.cgst), 0) OR i.sgst <> coalesce(sum(l.sgst), 0)
             OR i.igst <> coalesce(sum(l.igst), 0) OR i.cess <> coalesce(sum(l.cess), 0)`,
  },
  postingsOf('INVOICE'),
  eventsOf('INVOICE'),
  {
    name: 'audit log of invoices',
    text: `SELECT format('invoice %s of %s is %s and has no entry %s in the log', i.invoice_number, i.org_id, i.status, needed.action) AS wrong
           FROM invoices AS i
           JOIN LATERAL (VALUES ('INVOICE_CREATED', true), ('INVOICE_VOIDED', i.status = 'CANCELLED'),
             ('INVOICE_SENT', i.status NOT IN ('DRAFT', 'CANCELLED'))) AS needed(action, is_needed) ON is_needed
           WHERE NOT EXISTS (SELECT FROM activity AS a
             WHERE a.org_id = i.org_id AND a.entity_id = i.id AND a.action = needed.action)`,
  },
  {
    name: 'audit invoice numbers',
    text: `SELECT format('number %s of branch %s of %s is on %s invoices', invoice_number, branch_id, org_id, count(*)) AS wrong
           FROM invoices GROUP BY org_id, branch_id, invoice_number HAVING count(*) > 1`,
  },
]
