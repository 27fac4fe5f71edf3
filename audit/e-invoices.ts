// Checks e-invoices: their IRNs, that documents show what is registered, and that both agree with the state of the document.
import type { AuditQuery } from './documents.ts'

const query = (name: string, text: string): AuditQuery => ({ name: `audit: ${name}`, text })

const DOCUMENTS = `(
    SELECT 'INVOICE' AS kind, 'INV' AS type, org_id, id, invoice_number AS number, date, status, e_invoice FROM invoices
    UNION ALL
    SELECT 'CREDIT_NOTE', 'CRN', org_id, id, credit_note_number, date, status, e_invoice FROM credit_notes WHERE type = 'customer')`

// As irnText in domain/e-invoice/irn.ts: the year is that of April.
const YEAR = `(extract(year FROM d.date - interval '3 months')::integer)`
const IRN = `encode(sha256(convert_to(e.gstin || ${YEAR} || '-' || right((${YEAR} + 1)::text, 2) || d.type || upper(d.number), 'UTF8')), 'hex')`

export const E_INVOICES: AuditQuery[] = [
  query(
    'IRNs',
    `SELECT format('%s %s of %s has the IRN %s, which is not that of its number', d.kind, d.number, e.org_id, e.irn) AS wrong
     FROM e_invoices AS e JOIN ${DOCUMENTS} AS d ON d.org_id = e.org_id AND d.id = e.id WHERE e.irn IS NOT NULL AND e.irn <> ${IRN}`,
  ),
  query(
    'shown e-invoices',
    `SELECT format('%s %s of %s shows another e-invoice than it has', coalesce(d.kind, e.kind), coalesce(d.number, e.id::text), coalesce(d.org_id, e.org_id)) AS wrong
     FROM e_invoices AS e FULL JOIN (SELECT * FROM ${DOCUMENTS} AS a WHERE a.e_invoice IS NOT NULL) AS d ON d.org_id = e.org_id AND d.id = e.id
     WHERE d.kind IS DISTINCT FROM e.kind OR d.e_invoice ->> 'status' IS DISTINCT FROM e.status OR d.e_invoice ->> 'irn' IS DISTINCT FROM e.irn
       OR d.e_invoice ->> 'ack_no' IS DISTINCT FROM e.ack_no OR (d.e_invoice ->> 'ack_date')::timestamptz IS DISTINCT FROM e.ack_date
       OR d.e_invoice ->> 'signed_qr' IS DISTINCT FROM e.signed_qr`,
  ),
  query(
    'e-invoices of void documents',
    `SELECT format('%s %s of %s is %s, but its e-invoice is %s', d.kind, d.number, d.org_id, d.status, e.status) AS wrong
     FROM e_invoices AS e JOIN ${DOCUMENTS} AS d ON d.org_id = e.org_id AND d.id = e.id
     WHERE d.status = 'DRAFT' OR CASE d.status WHEN 'CANCELLED' THEN e.status = 'PENDING' OR e.status = 'GENERATED' AND e.errors = '[]'
       ELSE e.status IN ('CANCELLING', 'CANCELLED') END`,
  ),
]
