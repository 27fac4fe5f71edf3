// What is stuck of mails, for `npm run doctor`.
import { remindersId } from '../../domain/reminders.ts'
import { before, describeWorkflow, LISTED, time, type StuckCheck } from './check.ts'

const WORKFLOW = describeWorkflow(`'email/' || e.id`)

export const STUCK_MAILS: StuckCheck[] = [
  {
    check: 'mails that wait',
    severity: 'stuck',
    text: `SELECT format('mail %s of organisation %s waits since %s: %s', e.id, e.org_id, ${time('e.created_time')},
        coalesce(e.reason, 'nobody has tried to send it')) AS problem,
        ${WORKFLOW} AS mend, 'is mail on, and does the provider answer?' AS note
      FROM emails AS e JOIN organizations AS o ON o.id = e.org_id AND o.status = 'ACTIVE'
      WHERE e.state = 'READY'
        AND e.created_time < CASE e.purpose WHEN 'REMINDER' THEN ${before('2 hours')} ELSE ${before('15 minutes')} END
      ORDER BY e.created_time, e.id LIMIT ${LISTED}`,
  },
  {
    check: 'mails that are being sent',
    severity: 'stuck',
    text: `SELECT format('mail %s of organisation %s is being sent since %s', e.id, e.org_id, ${time('e.last_modified_time')}) AS problem,
        ${WORKFLOW} AS mend, 'a worker that serves the queue documents makes it UNKNOWN' AS note
      FROM emails AS e WHERE e.state = 'SENDING' AND e.last_modified_time < ${before('10 minutes')}
      ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
  {
    check: 'reminders',
    severity: 'stuck',
    text: (
      queueSuffix,
    ) => `SELECT format('the reminders of organisation %s should have been looked for at %s; the last time was %s', s.org_id, ${time('s.next_at')},
        coalesce(${time('s.swept_at')}, 'never')) AS problem,
        'npm run temporal -- schedule describe --schedule-id ${remindersId(queueSuffix)}' AS mend, 'is it paused, and is mail on?' AS note
      FROM reminder_sweeps AS s WHERE s.next_at < ${before('2 hours')} ORDER BY s.next_at, s.org_id LIMIT ${LISTED}`,
  },
  {
    check: 'mails that nobody knows of',
    severity: 'notice',
    text: `SELECT format('whether mail %s of organisation %s was sent at %s is not known: %s', e.id, e.org_id, ${time('e.last_modified_time')},
        e.reason) AS problem, 'look into the log of the mail provider (docs/operating.md, "Mail")' AS mend
      FROM emails AS e WHERE e.state = 'UNKNOWN' AND e.last_modified_time > ${before('24 hours')}
      ORDER BY e.last_modified_time, e.id LIMIT ${LISTED}`,
  },
]
