// What is stuck of e-invoices, for `npm run doctor`.
import { before, describeWorkflow, LISTED, time, type StuckCheck } from './check.ts'

const WAITS = `e.status IN ('PENDING', 'CANCELLING')`
// Queued, its workflow is started or told to look again.
const AGAIN = `format('npm run sql -- "UPDATE e_invoices SET start_at = now() WHERE id = ''%s''"', e.id) AS mend,
        'a worker looks at it again now; what stands in the way: ' || ${describeWorkflow(`'e-invoice/' || e.id`)} AS note`

export const STUCK_E_INVOICES = [
  {
    check: 'e-invoices that were not looked at',
    severity: 'stuck',
    text: `SELECT format('the e-invoice of %s %s of organisation %s waits since %s, and its workflow has not looked at it', e.kind, e.id, e.org_id,
        ${time('e.last_modified_time')}) AS problem, ${AGAIN}
      FROM e_invoices AS e WHERE ${WAITS} AND e.last_modified_time < ${before('15 minutes')}
        AND coalesce(e.attended_at, e.last_modified_time) < ${before('75 minutes')} ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
  {
    check: 'e-invoices whose portal is unavailable',
    severity: 'notice',
    text: `SELECT format('the e-invoice of %s %s of organisation %s waits since %s: %s tries, the last: %s', e.kind, e.id, e.org_id,
        ${time('e.last_modified_time')}, e.attempts, e.last_error) AS problem, ${AGAIN}
      FROM e_invoices AS e WHERE ${WAITS} AND e.last_modified_time < ${before('15 minutes')} AND e.last_error IS NOT NULL
      ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
  {
    check: 'e-invoices that could not be registered',
    severity: 'notice',
    text: `SELECT format('the e-invoice of %s of organisation %s could not be registered at %s: %s %s', d.number, e.org_id,
        ${time('e.last_modified_time')}, e.errors -> 0 ->> 'code', e.errors -> 0 ->> 'message') AS problem,
        CASE WHEN e.errors -> 0 ->> 'code' = 'CREDENTIALS'
          THEN format('npm run einvoice -- --org %s --branch %s --credentials FILE', e.org_id, e.branch_id)
          ELSE 'the organisation corrects the contact or its own data if the error names these, or voids the document and issues another' END AS mend,
        format('once corrected, POST /%s/%s/e_invoice/retry', CASE e.kind WHEN 'INVOICE' THEN 'invoices' ELSE 'credit_notes' END, e.id) AS note
      FROM e_invoices AS e JOIN organizations AS o ON o.id = e.org_id AND o.status = 'ACTIVE'
        JOIN (SELECT org_id, id, invoice_number AS number, status FROM invoices
          UNION ALL SELECT org_id, id, credit_note_number, status FROM credit_notes) AS d ON d.org_id = e.org_id AND d.id = e.id
      WHERE e.status = 'FAILED' AND d.status <> 'CANCELLED' AND e.last_modified_time > ${before('30 days')}
      ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
] satisfies StuckCheck[]
