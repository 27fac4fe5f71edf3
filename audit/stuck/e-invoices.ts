// What is stuck of e-invoices, for `npm run doctor`.
import { before, LISTED, time, type StuckCheck } from './check.ts'

const WAITS = `e.status IN ('PENDING', 'CANCELLING')`
const WORKFLOW = `format('temporal workflow describe --workflow-id e-invoice/%s; to try now: temporal workflow signal --workflow-id e-invoice/%1$s --name changed', e.id)`

export const STUCK_E_INVOICES: StuckCheck[] = [
  {
    check: 'e-invoices that were not looked at',
    severity: 'stuck',
    text: `SELECT format('the e-invoice of %s %s of organisation %s waits since %s, and its workflow has not looked at it', e.kind, e.id, e.org_id,
        ${time('e.last_modified_time')}) AS problem, ${WORKFLOW} AS mend
      FROM e_invoices AS e WHERE ${WAITS} AND e.last_modified_time < ${before('15 minutes')}
        AND coalesce(e.attended_at, e.last_modified_time) < ${before('75 minutes')} ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
  {
    check: 'e-invoices whose portal is unavailable',
    severity: 'notice',
    text: `SELECT format('the e-invoice of %s %s of organisation %s waits since %s: %s tries, the last: %s', e.kind, e.id, e.org_id,
        ${time('e.last_modified_time')}, e.attempts, e.last_error) AS problem, ${WORKFLOW} AS mend
      FROM e_invoices AS e WHERE ${WAITS} AND e.last_modified_time < ${before('15 minutes')} AND e.last_error IS NOT NULL
      ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
]
