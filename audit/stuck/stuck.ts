// What is stuck in PostgreSQL, for `npm run doctor`: each check is a query that returns what is wrong and what mends it.
import { DOCUMENTS, kindsThatHave } from '../../domain/documents.ts'
import type { SettledKind } from '../../domain/lifecycle.ts'
import { fallingDueStatuses } from '../../domain/overdue.ts'
import { housekeepingId } from '../../domain/housekeeping.ts'
import type { Connection } from '../../models/connection.ts'
import { WAITING_ENDPOINTS } from '../../models/operations.ts'
import {
  before,
  describeWorkflow,
  LISTED,
  PENDING_ERROR,
  RESTART,
  time,
  type Finding,
  type StuckCheck,
} from './check.ts'
import { STUCK_E_INVOICES } from './e-invoices.ts'
import { STUCK_MAILS } from './mails.ts'
import { STUCK_BULKS, STUCK_SCHEDULES } from './schedules.ts'

/** Runs every check. A new kind of process adds its own here. */
export async function findStuck(
  connection: Connection,
  now: Date,
  { retainIdempotencyDays, queueSuffix }: { retainIdempotencyDays: number; queueSuffix: string },
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { check, severity, text: given } of checksOf(retainIdempotencyDays)) {
    const text = typeof given === 'string' ? given : given(queueSuffix)
    const rows = await connection.run<Pick<Finding, 'problem' | 'mend' | 'note'>>(
      { name: `stuck: ${check}`, text },
      text.includes('$1') ? [now] : [],
    )
    found.push(...rows.map((row) => ({ check, severity, ...row })))
  }
  return found
}

// As deliveryProcessId in domain/delivery.ts.
const PROCESS_ID = `'webhook/' || d.id || CASE d.series WHEN 0 THEN '' ELSE '/r' || d.series END`

const WORKER: StuckCheck = {
  check: 'worker',
  severity: 'stuck',
  text: `SELECT coalesce('no worker has taken work from Temporal since ' || ${time('max(seen_at)')}, 'no worker has ever taken work from Temporal')
      AS problem, 'start a worker that serves the queue core: npm run worker' AS mend
    FROM process_heartbeats WHERE name = 'worker' HAVING coalesce(max(seen_at), '-infinity') < ${before('30 seconds')}`,
}

const QUEUE: StuckCheck = {
  check: 'queue',
  severity: 'stuck',
  text: `WITH RECURSIVE ${WAITING_ENDPOINTS}
  SELECT format('deliveries to endpoint %s of organisation %s are due since %s, and none is being attempted', v.endpoint_id, v.org_id,
      ${time('v.due_at')}) AS problem, '${RESTART}' AS mend
  FROM visited AS v JOIN organizations AS o ON o.id = v.org_id AND o.status = 'ACTIVE'
  WHERE v.due_at < ${before('5 minutes')} AND NOT EXISTS (SELECT FROM webhook_deliveries AS f
    WHERE f.org_id = v.org_id AND f.endpoint_id = v.endpoint_id AND f.held_by IN ('BATCH', 'ATTEMPT'))
  ORDER BY v.due_at LIMIT ${LISTED}`,
}

const OVERDUE: StuckCheck = {
  check: 'overdue deliveries',
  severity: 'stuck',
  text: `SELECT format('the next attempt at delivery %s of organisation %s was due at %s, and its workflow has not made it', d.id, d.org_id,
      ${time('d.next_attempt_at')}) AS problem,
      ${describeWorkflow(PROCESS_ID)} AS mend, '${PENDING_ERROR}; a worker restarts it within a minute' AS note
    FROM webhook_deliveries AS d JOIN organizations AS o ON o.id = d.org_id AND o.status = 'ACTIVE'
    WHERE d.held_by IN ('PROCESS', 'ATTEMPT') AND d.next_attempt_at < ${before('10 minutes')} ORDER BY d.next_attempt_at, d.id LIMIT ${LISTED}`,
}

// The id of a batch is a UUIDv7, and so begins with the time of its claim in milliseconds.
const BATCHES: StuckCheck = {
  check: 'unfinished batches',
  severity: 'stuck',
  text: `WITH bound AS (SELECT lpad(to_hex((extract(epoch FROM ${before('15 minutes')}) * 1000)::bigint), 12, '0') AS hex)
    SELECT format('a batch of %s deliveries was claimed 15 minutes ago or earlier and is not finished', count(*)) AS problem,
      ${describeWorkflow(`'dispatch/' || d.batch_id`)} AS mend, '${PENDING_ERROR}; a worker starts it again within a minute' AS note
    FROM bound, webhook_deliveries AS d
    WHERE d.held_by = 'BATCH' AND d.batch_id < (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7000-8000-000000000000')::uuid
    GROUP BY d.batch_id ORDER BY d.batch_id LIMIT ${LISTED}`,
}

const TRIALS: StuckCheck = {
  check: 'trials',
  severity: 'stuck',
  text: `SELECT format('the trial of the open circuit of endpoint %s of organisation %s was due at %s', c.id, c.org_id, ${time('c.next_try_at')})
      AS problem, '${RESTART}' AS mend
    FROM webhook_circuits AS c JOIN organizations AS o ON o.id = c.org_id AND o.status = 'ACTIVE'
    WHERE c.state <> 'CLOSED' AND c.next_try_at < ${before('10 minutes')} ORDER BY c.next_try_at LIMIT ${LISTED}`,
}

const CIRCUITS: StuckCheck = {
  check: 'open circuits',
  severity: 'notice',
  text: `SELECT format('the circuit of endpoint %s of organisation %s is open after %s failures; %s deliveries wait, the next trial is at %s',
      c.id, c.org_id, c.failures, (SELECT count(*) FROM (SELECT FROM webhook_deliveries AS d
        WHERE d.org_id = c.org_id AND d.endpoint_id = c.id AND d.held_by = 'CIRCUIT' LIMIT 10000) AS w), ${time('c.next_try_at')}) AS problem,
      format('npm run sql -- "UPDATE webhook_circuits SET next_try_at = now() WHERE id = %L AND state = ''OPEN''"', c.id) AS mend,
      'makes the trial now' AS note
    FROM webhook_circuits AS c WHERE c.state <> 'CLOSED' ORDER BY c.next_try_at LIMIT ${LISTED}`,
}

const SUSPENDED: StuckCheck = {
  check: 'suspended organisations',
  severity: 'notice',
  text: `SELECT format('organisation %s (%s) is suspended, and its deliveries and bulks wait', o.id, o.name) AS problem,
      format('POST /partner/organizations/%s/reactivate, with the key of its partner', o.id) AS mend
    FROM organizations AS o
    WHERE o.status <> 'ACTIVE' AND (
      EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.org_id = o.id AND d.held_by = 'QUEUE')
      OR EXISTS (SELECT FROM bulks AS b WHERE b.org_id = o.id AND b.status = 'RUNNING')
      OR EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.org_id = o.id AND d.held_by = 'CIRCUIT')
      OR EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.org_id = o.id AND d.held_by IN ('PROCESS', 'ATTEMPT')))
    ORDER BY o.id LIMIT ${LISTED}`,
}

// Claims of calls whose process died are free again after a minute; a worker removes them with the stored answers.
const oldAnswers = (days: number): StuckCheck[] =>
  days === 0
    ? []
    : [
        {
          check: 'old idempotency claims',
          severity: 'stuck',
          text: `SELECT format('stored answers and claims of idempotency keys since %s should have been deleted after ${days * 24} hours', ${time('min(a.created_time)')})
      AS problem, '${RESTART}; one that serves the queue core deletes them' AS mend
    FROM (SELECT created_time FROM idempotent_answers ORDER BY created_time LIMIT 1) AS a
    HAVING min(a.created_time) < ${before(`${days * 24 + 2} hours`)}`,
        },
      ]

// Changed before the last night, so that what was entered with a past date today has not missed its night yet.
const dueOf = (kind: SettledKind) => `SELECT FROM ${DOCUMENTS[kind].table} AS d
  WHERE d.org_id = o.id AND d.status IN (${fallingDueStatuses(kind)
    .map((status) => `'${status}'`)
    .join(', ')})
    AND d.due_date < ($1::timestamptz AT TIME ZONE o.time_zone)::date - 1 AND d.balance > 0
    AND d.last_modified_time < ${before('26 hours')} LIMIT 1`

const HOUSEKEEPING: StuckCheck = {
  check: 'housekeeping',
  severity: 'stuck',
  text: (
    queueSuffix,
  ) => `SELECT format('%s organisations in %s have documents that no night has made OVERDUE', count(*), o.time_zone) AS problem,
      'npm run temporal -- schedule trigger --schedule-id ' || format('${housekeepingId('%s', queueSuffix)}', o.time_zone) AS mend
    FROM organizations AS o
    CROSS JOIN LATERAL ((${kindsThatHave('settledBy').map(dueOf).join(') UNION ALL (')}) LIMIT 1) AS due
    WHERE o.status = 'ACTIVE' GROUP BY o.time_zone ORDER BY o.time_zone LIMIT ${LISTED}`,
}

const checksOf = (retainIdempotencyDays: number): StuckCheck[] => [
  WORKER,
  QUEUE,
  OVERDUE,
  BATCHES,
  TRIALS,
  ...STUCK_SCHEDULES,
  ...STUCK_BULKS,
  ...STUCK_E_INVOICES,
  ...STUCK_MAILS,
  HOUSEKEEPING,
  ...oldAnswers(retainIdempotencyDays),
  CIRCUITS,
  SUSPENDED,
]
