// Every number in the sentences of docs/operating.md and docs/running.md is that of the code, or is known to stand for itself.
// A new number is added below: with the line of code that it speaks of, or to those that stand for themselves.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ROOT, textOf } from './examples.ts'

/** A part of a sentence, and the line of code that it speaks of: whoever changes one is told of the other. */
type Said = [words: string, file: string, ...code: string[]]

const OPERATING: Said[] = [
  ['added to the batch, for five seconds', 'activities/batch.ts', 'TAKES_IN_MS = 5_000'],
  ['30 seconds, 5 minutes, 30 minutes, 2 hours, 6 hours, 24 hours', 'settings.ts', "'WEBHOOK_LADDER_SECONDS', '30,300,1800,7200,21600,86400'"],
  ['After seven attempts', 'settings.ts', "'30,300,1800,7200,21600,86400'"],
  ['one of the seven attempts', 'settings.ts', "'30,300,1800,7200,21600,86400'"],
  ['the first 4 KB of the answer', 'gateways/webhook/http-post.ts', 'KEPT_BYTES = 4_096'],
  ['does not answer within 10 seconds', 'settings.ts', "'WEBHOOK_TIMEOUT_SECONDS', 10"],
  ['has only failed for five days', 'commands/webhooks/deliveries.ts', 'FAILING_TOO_LONG_MS = 5 * 24 * 60 * 60 * 1_000'],
  ['the first after 30 seconds', 'settings.ts', "'WEBHOOK_CIRCUIT_FIRST_SECONDS', 30"],
  ['continue, 100 a second', 'domain/webhook-caps.ts', 'releasedInSecond: 100'],
  ['two to three minutes after the next attempt was due', 'worker/relay.ts', 'OVERDUE_MS = 2 * 60 * 1_000'],
  ['two to three minutes after its next attempt was due', 'worker/background-jobs.ts', 'UNFINISHED_MS = 60_000'],
  ['tries a batch again after 4 seconds at most', 'worker/relay.ts', 'LONGEST_BACKOFF_AWAY_MS = 4_000'],
  ['starts without it after two minutes', 'worker/starting.ts', 'STORE_MS = 120_000'],
  ['which comes after 4 seconds at most', 'worker/relay.ts', 'LONGEST_BACKOFF_AWAY_MS = 4_000'],
  ['AES-256-GCM', 'gateways/temporal/payload-codec.ts', "CIPHER = 'AES-256-GCM'"],
  ['2 seconds for the start, 10 in all', 'gateways/temporal/conversion.ts', 'CONVERSION_START_MS = 2_000', 'CONVERSION_MS = 10_000'],
  ['does not end within ten seconds', 'gateways/temporal/conversion.ts', 'CONVERSION_MS = 10_000'],
  ['no worker polls it within ten seconds', 'gateways/temporal/conversion.ts', 'CONVERSION_MS = 10_000'],
  ['After 60 seconds the key is free again', 'api/http/idempotency.ts', 'CLAIMED_MS = 60_000'],
  ['takes over what it had in hand after three seconds', 'workflows/convert-document.ts', "heartbeatTimeout: '3 seconds'"],
  ['takes over what it had in hand after three seconds', 'gateways/temporal/conversion.ts', 'TASK_MS = 3_000'],
  ['that it had in memory after two,', 'worker/temporal-workers.ts', "stickyQueueScheduleToStartTimeout: '2 seconds'"],
  [
    'after 0.1 seconds at first and every 5 seconds later, for up to an hour', 'workflows/convert-document.ts',
    "initialInterval: '100 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds'", "scheduleToCloseTimeout: '1 hour'",
  ],
  ['up to 20 of them in a transaction', 'domain/bulk.ts', 'BATCH = { rows: 20,'],
  ['It runs ten seconds at a time', 'activities/bulk.ts', 'WORKS_MS = 10_000'],
  ['tried four times within three seconds', 'activities/bulk-batch.ts', 'UNEXPECTED_PAUSES_MS = [100, 500, 2_000]'],
  ['at most 4 such transactions at a time, 2 of one organisation', 'domain/bulk.ts', 'BULK_PLACES = { total: 4, each: 2 }'],
  ['looks again every 50 seconds', 'workflows/bulk-create.ts', 'SUSPENDED_MS = 50_000'],
  ['Every 20 seconds the worker starts', 'worker/background-jobs.ts', 'BULKS_MS = 20_000'],
  ['wait up to 30 seconds for its end', 'gateways/temporal/email.ts', 'MAIL_MS = 30_000'],
  ['for an hour and a half', 'workflows/send-document-email.ts', 'WAITS_SECONDS = [1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1200, 3000]'],
  ['at most 50 invoices of each in a transaction', 'commands/mail/reminder-sweep.ts', 'REMINDER_PAGE = 50'],
  ['at most 50 of an organisation in workflows', 'worker/mails.ts', 'OF_ONE = 50'],
  ['is 09:00 of the next day', 'domain/reminders.ts', "from: '09:00'"],
  ['tried again after ten minutes and holds up no other', 'activities/sweeps/reminders.ts', 'PUT_OFF_MS = 10 * 60 * 1_000'],
  ['kept for seven days more', 'models/email.ts', "interval '7 days'"],
  ['Every night at 00:30', 'domain/housekeeping.ts', 'NIGHTLY = { hour: 0, minute: 30 }'],
  ['unavailable at 00:30', 'domain/housekeeping.ts', 'NIGHTLY = { hour: 0, minute: 30 }'],
  ['there is no 00:30 that night', 'domain/housekeeping.ts', 'NIGHTLY = { hour: 0, minute: 30 }'],
  ['at most 100 documents in a transaction', 'commands/documents/overdue.ts', 'OVERDUE_PAGE = 100'],
  ['another one continues after 15 seconds', 'workflows/housekeeping.ts', "heartbeatTimeout: '15 seconds'"],
  ['waits of up to five minutes', 'workflows/housekeeping.ts', "maximumInterval: '5 minutes'"],
  ['created again within ten minutes', 'worker/scheduling.ts', 'ALL_AGAIN = 10'],
  ['started again within two minutes', 'worker/background-jobs.ts', 'RECOVER_MS = 30_000', 'UNFINISHED_MS = 60_000'],
  ['a hundred a second at most', 'worker/namespace/taking-up.ts', 'SIGNALS = 100', 'SIGNALS_REST_MS = 1_000'],
  ['at most fifteen a second of one', 'worker/schedule-signals.ts', 'OF_ONE = 15'],
  ['should have run ten minutes ago. Organisations', 'worker/schedule-signals.ts', 'OVERDUE_MS = 10 * 60 * 1_000'],
  ['at most 4 at a time, 2 of one organisation), and in the tasks', 'domain/tick.ts', 'TICK_PLACES = { total: 4, each: 2 }'],
  ['ten minutes after the tick, at 09:10 in India', 'domain/tick.ts', 'RECONCILE_MINUTES = 10'],
  ['missed it by five minutes', 'worker/schedule-signals.ts', 'MISSED_TICK_MS = 5 * 60 * 1_000'],
  ['again, thirty a second', 'worker/schedule-signals.ts', 'RECONCILED_IN_SECOND = 30'],
  ['up to an hour, for three days', 'domain/e-invoice/state.ts', 'GIVE_UP_MS = 3 * 24 * 60 * 60 * 1_000'],
  ['started again after two hours', 'worker/e-invoices.ts', 'LOST_MS = 2 * 60 * 60 * 1_000'],
  ['At most 30 documents are at their portals from one worker at a time, 4 of one organisation', 'activities/e-invoices.ts', 'PLACES = { places: 30, placesPerKey: 4 }'],
  ['Temporal for 30 seconds |', 'audit/stuck/stuck.ts', `\${before('30 seconds')}`],
  ['no worker has served for 30 seconds', 'models/heartbeat.ts', 'SERVED_MS = 30_000'],
  ['have been due for five minutes', 'audit/stuck/stuck.ts', `v.due_at < \${before('5 minutes')}`],
  ['made its attempt ten minutes ago', 'audit/stuck/stuck.ts', `d.next_attempt_at < \${before('10 minutes')}`],
  ['claimed more than fifteen minutes ago', 'audit/stuck/stuck.ts', `\${before('15 minutes')}`],
  ['trial is ten minutes late', 'audit/stuck/stuck.ts', `c.next_try_at < \${before('10 minutes')}`],
  ['should have run fifteen minutes ago', 'audit/stuck/schedules.ts', `\${DUE} < \${before('15 minutes')}`],
  ['not been told of for five minutes', 'audit/stuck/schedules.ts', `created_time < \${before('5 minutes')}`],
  ['not looked at for 75 minutes', 'audit/stuck/e-invoices.ts', `\${before('75 minutes')}`],
  ['have waited for fifteen minutes', 'audit/stuck/e-invoices.ts', `\${before('15 minutes')}`],
  ['those of the last 30 days', 'audit/stuck/e-invoices.ts', `\${before('30 days')}`],
  ['Within the first five minutes after a worker has come back', 'bin/doctor/starting.ts', 'GRACE_MS = 5 * 60_000'],
  ['open for five minutes, with the error', 'bin/doctor/pdfs.ts', "`WorkflowType = 'renderDocument'`, 5, LISTED"],
  ['no row was decided for ten minutes', 'audit/stuck/schedules.ts', `i.completed_time > \${before('10 minutes')}`],
  ['not sent after fifteen minutes, reminders after two hours', 'audit/stuck/mails.ts', `THEN \${before('2 hours')} ELSE \${before('15 minutes')}`],
  ['have been so for ten minutes', 'audit/stuck/mails.ts', `e.last_modified_time < \${before('10 minutes')}`],
  ['looked through for reminders two hours ago', 'audit/stuck/mails.ts', `s.next_at < \${before('2 hours')}`],
  ['have been running for ten minutes; as a notice, those of the last twelve hours', 'bin/doctor/temporal.ts', "`WorkflowType = 'convertDocument'`, 10, LISTED", 'ago(720)'],
  ['has made 31 documents in its last tick', 'domain/tick.ts', 'MAX_IN_TICK = 31'],
  ['after five minutes without a document, starts again with the next, is replaced after 200 documents', 'gateways/pdf/engine.ts', 'idleMs: 300_000, renewAfter: 200'],
  ['has more than 256 KB', 'gateways/pdf/engine.ts', 'SHORT_BYTES = 256 * 1024'],
  ['ends half a minute after the last', 'gateways/pdf/engine.ts', 'idleMs: 30_000'],
  ['At most 100 short and 40 long documents wait, 20 and 10 of one organisation', 'gateways/pdf/engine.ts', 'mostWaiting: 100, mostOfOwner: 20', 'mostWaiting: 40, mostOfOwner: 10'],
  ['takes more than 60 seconds is repeated', 'activities/render.ts', 'DOCUMENT_MS = 60_000'],
  ['not tried again for ten minutes', 'activities/render.ts', 'REFUSED_MS = 600_000'],
  ['open for five minutes with the error', 'bin/doctor/pdfs.ts', "`WorkflowType = 'renderDocument'`, 5, LISTED"],
  ['recurring schedule ten minutes after it was due', 'worker/schedule-signals.ts', 'OVERDUE_MS = 10 * 60 * 1_000'],
  ['answering together; at most 240', 'settings.ts', 'webhookTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 240 })'],
  ['looked up within 5 seconds, at most 64 names at a time in a process and 4 of one organisation', 'gateways/webhook/resolver.ts', 'limitMs: 5_000', 'atOnce: 64', 'atOnceOfOne: 4'],
  ['TTL of its record, 5 seconds to 5 minutes; a failure for 5 seconds', 'gateways/webhook/resolver.ts', 'longestSeconds: 300', 'shortestSeconds: 5', 'failureSeconds: 5'],
]

/** What stands for itself: exit codes and statuses, versions, measured figures, and numbers of nouns. */
const OPERATING_ITSELF = [
  'exits with 1', 'so it exits with 1', 'counted up to 10,000', 'versions before 0.2', 'There are two ways', '(no connection, 429)',
  '60 bulks of 5 MB, rows of 500 lines, were worked on by a worker with 200 MB of heap', 'which took 446 MB in all',
  'A bulk of 30 rows, of which three were refused', 'Five days of only failures', 'three failures in a row', 'three ticks in a row',
  'After five failures in a row, in one to two minutes', 'servers before 1.30', 'is 0): start', 'takes 0.3 GB', 'or 1.4 GB (embedded)', '0.6 or 2.8 GB',
  'within a second or two', 'polled Temporal for half a minute', 'so that two installations', 'tested with all three', 'from 1.29.1 on, and SDK 1.24', 'workers of two versions',
  'Two deliveries that go through',
]

const RUNNING: Said[] = [
  ['five files of 20 MB each', 'docker-compose.yml', 'max-size: 20m, max-file: "5"'],
  ['The image has Node 24', 'Dockerfile', 'FROM node:24.'],
  ['on a Node 24 of your own', 'Dockerfile', 'FROM node:24.'],
  ['answer probes at `HEALTH_PORT`, 8081', 'Dockerfile', 'HEALTH_PORT=8081'],
  ['API goes before its worker and Temporal (nice 5)', 'bin/services/process.ts', 'BACKGROUND_PRIORITY = 5'],
  ['a file above 20 MB is renamed', 'bin/services/local-run.ts', 'LONG_LOG_BYTES = 20_000_000'],
  ['32 bytes in base64', 'settings.ts', '[A-Za-z0-9+/]{43}='],
  ['take a mail, at most 25', 'settings.ts', 'mailTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 25 })'],
  ['has to answer, at most 120', 'settings.ts', 'eInvoiceTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 120 })'],
  ['at least 16 characters', 'settings.ts', 'paymentLinkSecret: Type.Union([Type.String({ minLength: 16 })'],
  ['waits for a lock at most 2 seconds', 'models/migrate.ts', 'LOCK_MS = 2_000'],
  ['up to 8, less than the 10 that the service waits', 'bin/migrate.ts', 'MOST_LOCK_SECONDS = 8'],
  ['after 1, 2, 4 and at last 30 seconds', 'models/locks-awaited.ts', 'FIRST_PAUSE_MS = 1_000', 'LONGEST_PAUSE_MS = 30_000'],
  ['gives up after 10 minutes', 'models/migrate.ts', 'IN_ALL_MS = 600_000'],
  ['the local run kills after 15 seconds', 'bin/services/bahi.ts', 'STOP_PATIENCE_MS = 15_000'],
  ['in the last 30 seconds', 'models/heartbeat.ts', 'SERVED_MS = 30_000'],
  ['more than 3 seconds ahead', 'api/readiness.ts', 'CLOCK_SKEW_MS = 3_000'],
  ['is read at most every ten seconds', 'worker/metrics/metrics.ts', 'READ_EVERY_MS = 10_000'],
  ['asked of Temporal at most every ten seconds', 'gateways/process-metrics.ts', 'READ_EVERY_MS = 10_000'],
  ['at most 20 by their ids', 'worker/metrics/receiver-times.ts', 'SHOWN = 20'],
  ['about their last ten attempts', 'worker/metrics/receiver-times.ts', 'WEIGHT = 0.2'],
  ['made its attempt ten minutes ago, up to 10,000', 'worker/metrics/metrics.ts', 'LATE_MS = 600_000'],
  ['should have run ten minutes ago, up to 10,000', 'worker/metrics/metrics.ts', 'LATE_MS = 600_000'],
  ['logged once in ten seconds', 'api/http/access-log.ts', 'REFUSED_EVERY_MS = 10_000'],
  ['read nothing for 10 seconds, or had not finished after 5 minutes', 'api/http/stream.ts', 'PORTION_MS = 10_000', 'WHOLE_MS = 300_000'],
  ['after ten seconds; webhooks wait', 'gateways/temporal/conversion.ts', 'CONVERSION_MS = 10_000'],
  ['three minutes after their next attempt was due', 'worker/relay.ts', 'OVERDUE_MS = 2 * 60 * 1_000'],
  ['(for 24 hours)', 'models/idempotency.ts', 'REPEATED_MS = 24 * 60 * 60 * 1000'],
  ['They are repeated for 24 hours', 'models/idempotency.ts', 'REPEATED_MS = 24 * 60 * 60 * 1000'],
  ['at least 8 characters', 'models/service-role.ts', 'must be at least 8 printable'],
  ['after their end, up to 20 each', 'models/session.ts', 'LIMIT 20 FOR UPDATE SKIP LOCKED'],
  ['steps of at most 1,000 small rows', 'worker/retention.ts', 'ROWS = 1_000'],
  ['every minute, the others every five', 'worker/background-jobs.ts', 'RETENTION_MS = 5 * 60 * 1_000'],
  ['must be five seconds longer', 'bin/services/bahi.ts', 'STOP_PATIENCE_MS = 15_000'],
  ['under way by `held_by` (up to 10,000 each', 'models/operations.ts', 'COUNTED_AT_MOST = 10_000'],
  ['deliveries again after 4 seconds at most', 'worker/relay.ts', 'LONGEST_BACKOFF_AWAY_MS = 4_000'],
  ['at the latest after 5 seconds', 'models/token-cache.ts', 'REMEMBERED_MS = 5_000'],
  ['serves other books](operating.md#a-namespace-that-is-refused); asked at most every 30 seconds', 'api/own-namespace.ts', 'ASK_EVERY_MS = 30_000'],
  ['after three failures in a row', 'api/http/redis-circuit.ts', 'FAILURES = 3'],
  ['up to 10,000, and', 'models/operations.ts', 'COUNTED_AT_MOST = 10_000'],
  ['ends and starts each of them, thirty a second', 'worker/schedule-signals.ts', 'RECONCILED_IN_SECOND = 30'],
  ['stay for seven days after', 'domain/restoration.ts', 'SETTLED_MS = 7 * 86_400_000'],
  ['for seven days after a restore', 'domain/restoration.ts', 'SETTLED_MS = 7 * 86_400_000'],
  ['after two seconds the change is made', 'gateways/storage/security-log.ts', 'KEEP_MS = 2_000'],
  ['that they gave (for a minute or two)', 'worker/retention.ts', 'USED_DAYS = 1 / 24 / 60'],
  ['for a minute or two after they were given', 'worker/retention.ts', 'USED_DAYS = 1 / 24 / 60'],
  ['proofs in forms of consent (30 minutes)', 'api/oauth/proof.ts', 'VALID_MS = 30 * 60_000'],
  ['(codes 2 minutes, access tokens an hour, refresh tokens 90 days)', 'commands/oauth/library.ts', 'CODE_MS = 2 *', 'ACCESS_MS = 60 * 60_000', 'REFRESH_MS = 90 *'],
  ['a crash between the two loses none', 'commands/books/open-books.ts', 'await keepAccess(books.accessChanges)'],
  ['has not run on the books for five minutes', 'domain/restoration.ts', 'APART_MS = 300_000'],
  ['up to two minutes, and says so', 'worker/starting.ts', 'STORE_MS = 120_000'],
  ['set a password (30 minutes) or accept an invitation (7 days)', 'domain/mail-link.ts', 'PASSWORD_RESET: 30 * MINUTE_MS', 'INVITATION: 7 * 24 * 60 * MINUTE_MS'],
  ['links of invitations for seven,', 'domain/mail-link.ts', 'INVITATION: 7 * 24 * 60 * MINUTE_MS'],
  ['a copy of the database of the last seven days', 'domain/mail-link.ts', 'INVITATION: 7 * 24 * 60 * MINUTE_MS'],
  ['one of the last 30 minutes', 'domain/mail-link.ts', 'PASSWORD_RESET: 30 * MINUTE_MS'],
  ['two to three minutes after the attempt was due', 'worker/relay.ts', 'OVERDUE_MS = 2 * 60 * 1_000'],
  ['what fell due in the two days after it', 'domain/reminders.ts', 'LATEST_DAYS = 2'],
]
const RUNNING_ITSELF = [
  '(1 while the processes count', '0 while each counts', '(1 where the [namespace', '; 0 where none ever was |',
  'the Node 24', 'is 24, as in the image', 'the data of these three', 'Two runs side by side', 'in about two seconds', 'an IPv6 /64 network', '; 0 for ever',
  'With PostgreSQL 18', 'three times as many as its busiest stretch', 'as long as the lost time, and 10; or', 'GSTR-1', 'grows by 1,000 more',
  'with exit code 1', 'exit with 1', 'exits with 1', 'between two requests', 'load balancers do with their 60 seconds',
  '| 200 while the process', '| 200 if every part', 'otherwise 503', 'calls get 503 meanwhile',
  'The last two may be', 'the answer is 200', 'All three are at the origin', 'every status but 200', 'is 200 while it polls',
  '| 1 while the worker', '0 where none ever has', 'two processors:', 'Back up two things', 'Steps 3 and 5, and what', 'time for step 6', 'steps 1 to 3 and 5 above', 'the retries of deliveries for two',
]

const NUMBER = /\b(\d[\d.,:]*|two|three|four|five|six|seven|eight|ten|twelve|fifteen|twenty|thirty|half an? (?:hour|minute))\b/gi

describe.each([
  ['docs/operating.md', OPERATING, OPERATING_ITSELF],
  ['docs/running.md', RUNNING, RUNNING_ITSELF],
] as const)('%s', (document, said, itself) => {
  // What invoices add to the tables was measured; how and when is said there.
  const prose = textOf(document).replace(/^What 1,000 approved invoices[\s\S]*?^## /m, '## ').replaceAll(/<!-- from the code[\s\S]*?<!-- until here -->|^```[\s\S]*?^```$/gm, '')

  test.each(said.map(([words, file, ...code]) => [words, file, code] as const))('%s', (words, file, code) => {
    expect(prose).toContain(words)
    const source = readFileSync(join(ROOT, file), 'utf8')
    for (const part of code) expect(source).toContain(part)
  })

  test('has no other numbers', () => {
    const rest = [...said.map(([words]) => words), ...itself].toSorted((one, other) => other.length - one.length).reduce((text, words) => text.replaceAll(words, '*'), prose)
    const lines = rest.replaceAll(/`[^`\n]*`|\]\([^)]*\)|^\d+\. |<!--.*?-->/gm, '*').split('\n')
    expect(lines.flatMap((line) => [...line.matchAll(NUMBER)].map(({ index, 0: number }) => line.slice(Math.max(0, index - 40), index + number.length + 25)))).toEqual([])
    for (const words of itself) expect(prose).toContain(words)
  })
})
