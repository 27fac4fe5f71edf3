// What is stuck of recurring schedules and bulks, for `npm run doctor`.
import { before, describeWorkflow, LISTED, PENDING_ERROR, RESTART, time, type StuckCheck } from './check.ts'

const DUE = 'greatest(s.next_run_at, s.not_before)'

export const STUCK_SCHEDULES: StuckCheck[] = [
  {
    // A worker signals them after ten minutes, so these have not run in spite of that.
    check: 'overdue schedules',
    severity: 'stuck',
    text: `SELECT format('the recurring schedule %s (%s) of organisation %s should have run at %s', s.id, s.name, s.org_id, ${time(DUE)}) AS problem,
        'npm run reconcile' AS mend, 'if it stays, ${PENDING_ERROR}: ' || ${describeWorkflow(`'recurring/' || s.id`)} AS note
      FROM recurring_schedules AS s JOIN organizations AS o ON o.id = s.org_id AND o.status = 'ACTIVE'
      WHERE s.status = 'ACTIVE' AND ${DUE} < ${before('15 minutes')} ORDER BY ${DUE}, s.id LIMIT ${LISTED}`,
  },
  {
    check: 'signals of schedules',
    severity: 'stuck',
    text: `SELECT format('%s changes of recurring schedules, the first of %s, have not been signalled to their workflows', count(*),
        ${time('min(s.created_time)')}) AS problem, '${RESTART}' AS mend
      FROM (SELECT created_time FROM recurring_signals WHERE created_time < ${before('5 minutes')} ORDER BY created_time, id LIMIT 10000) AS s
      HAVING count(*) > 0`,
  },
  {
    check: 'schedules paused by failures',
    severity: 'notice',
    text: `SELECT format('the recurring schedule %s (%s) of organisation %s is paused after %s failures: %s', s.id, s.name, s.org_id, s.failures,
        s.last_error) AS problem,
        format('its owner corrects the template or the payload (PUT /recurring/%1$s), then POST /recurring/%1$s/resume', s.id) AS mend
      FROM recurring_schedules AS s WHERE s.status = 'PAUSED' AND s.failures > 0 ORDER BY s.org_id, s.id LIMIT ${LISTED}`,
  },
]

export const STUCK_BULKS: StuckCheck[] = [
  {
    check: 'bulks',
    severity: 'stuck',
    text: `SELECT format('no row of the bulk %s of organisation %s has been decided for ten minutes', b.id, b.org_id) AS problem,
        ${describeWorkflow(`'bulk/' || b.id`)} AS mend, '${PENDING_ERROR}; a worker starts it again within a minute' AS note
      FROM bulks AS b JOIN organizations AS o ON o.id = b.org_id AND o.status = 'ACTIVE'
      WHERE b.status = 'RUNNING' AND b.created_time < ${before('10 minutes')} AND NOT EXISTS (SELECT FROM bulk_items AS i
        WHERE i.org_id = b.org_id AND i.bulk_id = b.id AND i.completed_time > ${before('10 minutes')})
      ORDER BY b.created_time, b.id LIMIT ${LISTED}`,
  },
]
