// The limits of the service's waits and resources, for the tables in docs/running.md.
import { BODY_LIMIT, BODY_MS, LARGE_BODY, UNREAD_BYTES, UNREAD_MS } from '../api/http/body.ts'
import * as edge from '../api/http/bounds.ts'
import { LONGEST_DELAY_MS, UNPAID_PER_SECOND } from '../api/http/throttle.ts'
import { UPLOAD_IDLE_MS, UPLOAD_MS } from '../api/http/arrival.ts'
import { MAX_PROBLEMS } from '../api/http/problems.ts'
import { REDIS_WAITS_MS } from '../api/http/rate-limit.ts'
import { LATE_MS, PROBE_EVERY_MS } from '../api/http/redis-circuit.ts'
import { shareSizes, writersOf } from '../api/http/concurrency-shares.ts'
import { PORTION_MS, WHOLE_MS } from '../api/http/stream.ts'
import { CLOCK_SKEW_MS, PROBE_TIMEOUT_MS } from '../api/readiness.ts'
import { CONVERSION_MS, CONVERSION_START_MS } from '../gateways/temporal/conversion.ts'
import { START_MS } from '../gateways/temporal/engine.ts'
import { MAX_PROBES, PROBE_SECONDS } from '../gateways/health-port.ts'
import { LOOKUPS } from '../gateways/webhook/resolver.ts'
import { CALL_MS, READ_MS } from '../gateways/storage/azure-blobs.ts'
import { KEEP_MS } from '../gateways/storage/security-log.ts'
import { MAX_WAITING_BYTES } from '../gateways/log-output.ts'
import { DATABASE_WAITS_MS } from '../models/database.ts'
import { SERVED_MS } from '../models/heartbeat.ts'
import { CLOSE_SECONDS, type Settings } from '../settings.ts'
import { DEAF_PATIENCE_MS, FAILED_PROBES, LONGEST_PAUSE_MS, PROBE_MS } from './services/keep-alive.ts'
import { STOP_PATIENCE_MS } from './services/bahi.ts'

const seconds = (ms: number) => `${ms / 1000} s`
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`
const kilobytes = (bytes: number) => `${bytes / 1024} KB`

/** Rows of: resource or wait, its limit, what happens beyond it, where the limit is set. */
export function boundRows(settings: Settings): string[][] {
  return [
    ...connectionRows(settings),
    ...requestRows(),
    ...serverRows(settings),
    ...storeRows(),
    ...healthRows(),
    ...processRows(settings),
  ]
}

function connectionRows({ maxConnections, maxConnectionsPerAddress }: Settings): string[][] {
  const EDGE = '`api/http/bounds.ts`'
  return [
    ['Connections to an API process', String(maxConnections), '`503`, closed', '`MAX_CONNECTIONS`'],
    [
      'Connections of one client address',
      String(maxConnectionsPerAddress),
      '`503`, closed',
      '`MAX_CONNECTIONS_PER_ADDRESS`',
    ],
    [
      'Refused connections that still get a response',
      `${edge.MAX_REFUSED}, ${edge.REFUSED_SECONDS} s each`,
      'closed without an answer',
      EDGE,
    ],
    [
      'Connections to the health port of a process',
      `${MAX_PROBES}, ${PROBE_SECONDS} s each`,
      'closed',
      '`gateways/health-port.ts`',
    ],
    ['A connection between two requests', `${edge.KEEP_ALIVE_SECONDS} s`, 'closed', EDGE],
    [
      'Unanswered requests on a connection',
      String(edge.MAX_UNANSWERED),
      'no more are read; closed after the last answer',
      EDGE,
    ],
    ['Data after the last request that is read', megabytes(edge.MAX_DISCARDED_BYTES), 'closed', EDGE],
  ]
}

function requestRows(): string[][] {
  const EDGE = '`api/http/bounds.ts`'
  const STREAM = '`api/http/stream.ts`'
  const BODY = '`api/http/body.ts`'
  return [
    [
      'Request line and headers',
      `${kilobytes(edge.MAX_HEAD_BYTES)}, fewer than ${edge.MAX_HEADERS} headers`,
      '`431`',
      EDGE,
    ],
    ['Arrival of the headers', `${edge.HEAD_SECONDS} s`, '`408`', EDGE],
    ['Arrival of a whole request', `${edge.REQUEST_SECONDS} s`, '`408`', EDGE],
    ['A body', megabytes(BODY_LIMIT), '`413`', BODY],
    ['Arrival of a body', seconds(BODY_MS), '`408`', BODY],
    [
      'Arrival of an upload, and of its next bytes',
      `${seconds(UPLOAD_MS)}, ${seconds(UPLOAD_IDLE_MS)}`,
      '`408`',
      '`api/http/arrival.ts`',
    ],
    ['The rest of a refused body', `${seconds(UNREAD_MS)}, ${megabytes(UNREAD_BYTES)}`, 'closed', BODY],
    ['Listed problems of a body', String(MAX_PROBLEMS), 'left out', '`api/http/problems.ts`'],
    [
      'Immediate answers that use up no budget (`429`, `404`, `405`, calls without a token)',
      `${UNPAID_PER_SECOND} per second`,
      `delayed, by at most ${seconds(LONGEST_DELAY_MS)}`,
      '`api/http/throttle.ts`',
    ],
    ['An answer that the client does not read', `${edge.UNREAD_SECONDS} s`, 'closed', EDGE],
    ['A portion of a stream that the client does not read', seconds(PORTION_MS), 'closed', STREAM],
    ['A stream', seconds(WHOLE_MS), 'closed', STREAM],
    ['Any request, from its headers to the end of its answer', `${edge.ANSWER_SECONDS} s`, 'closed', EDGE],
  ]
}

function serverRows({ databasePool, rowMemoryMb, webhookTimeoutSeconds }: Settings): string[][] {
  const DATABASE = '`models/database.ts`'
  return [
    [
      'Documents that an API process remembers as JSON',
      `${rowMemoryMb} MB`,
      'those not asked for longest are forgotten',
      '`ROW_MEMORY_MB`',
    ],
    ['Connections of a process to PostgreSQL', String(databasePool), 'wait', '`DATABASE_POOL`'],
    ['The wait for a free connection', seconds(DATABASE_WAITS_MS.acquire), '`503`', DATABASE],
    ['Opening a new connection', seconds(DATABASE_WAITS_MS.connect), '`503`', DATABASE],
    ['A statement', seconds(DATABASE_WAITS_MS.statement), 'rolled back', DATABASE],
    [
      'A transaction idle between two statements',
      seconds(DATABASE_WAITS_MS.idleInTransaction),
      'rolled back',
      DATABASE,
    ],
    [
      'The wait for an answer of PostgreSQL',
      seconds(DATABASE_WAITS_MS.answer),
      '`503`, and the connection is closed',
      DATABASE,
    ],
    ['The wait for a lock', seconds(DATABASE_WAITS_MS.lock), 'retried, then `503`', DATABASE],
    ['A command to Redis', seconds(REDIS_WAITS_MS.command), 'counted in the process', '`api/http/rate-limit.ts`'],
    [
      'An answer of Redis, three times in a row',
      seconds(LATE_MS),
      `counted in the process, until it counts a probe, every ${seconds(PROBE_EVERY_MS)}`,
      '`api/http/redis-circuit.ts`',
    ],
    ['A DNS look-up of a receiver', seconds(LOOKUPS.limitMs), 'the attempt fails', '`gateways/webhook/resolver.ts`'],
    [
      'Concurrent look-ups of a process, and of one organisation',
      `${LOOKUPS.atOnce}, ${LOOKUPS.atOnceOfOne}`,
      'wait',
      '`gateways/webhook/resolver.ts`',
    ],
    ['Cached names', String(LOOKUPS.remembered), 'the oldest is dropped', '`gateways/webhook/resolver.ts`'],
    [
      'A conversion: until Temporal has started it, and in total',
      `${seconds(CONVERSION_START_MS)}, ${seconds(CONVERSION_MS)}`,
      '`503`',
      '`gateways/temporal/conversion.ts`',
    ],
    ['Other calls to Temporal', seconds(START_MS), 'retried', '`gateways/temporal/engine.ts`'],
    ['An attempt at a webhook', `${webhookTimeoutSeconds} s`, 'the next attempt', '`WEBHOOK_TIMEOUT_SECONDS`'],
  ]
}

const storeRows = (): string[][] => [
  [
    'A call to the blob store, its retries included; reading a blob to its end',
    `${seconds(CALL_MS)}, ${seconds(READ_MS)}`,
    'the upload fails',
    '`gateways/storage/azure-blobs.ts`',
  ],
  [
    'Writing a change of access to the security log, before it is made',
    seconds(KEEP_MS),
    'it is made, and written later',
    '`gateways/storage/security-log.ts`',
  ],
]

const healthRows = (): string[][] => [
  ['A check of `/health/ready`', seconds(PROBE_TIMEOUT_MS), '`away`', '`api/readiness.ts`'],
  ['A queue that no worker has served since', seconds(SERVED_MS), '`away`', '`models/heartbeat.ts`'],
  ['The clocks of PostgreSQL and of the API apart', seconds(CLOCK_SKEW_MS), '`skewed`', '`api/readiness.ts`'],
]

function processRows({ shutdownSeconds }: Settings): string[][] {
  return [
    ['Log lines not yet written', megabytes(MAX_WAITING_BYTES), 'dropped and counted', '`gateways/log-output.ts`'],
    ['Stopping the API: requests in progress', `${shutdownSeconds} s`, 'closed', '`SHUTDOWN_SECONDS`'],
    [
      'Stopping the worker: attempts in progress',
      `${shutdownSeconds} s`,
      'repeated by another worker',
      '`SHUTDOWN_SECONDS`',
    ],
    ['After that: closing pools and clients of either', `${CLOSE_SECONDS} s`, 'abandoned', '`settings.ts`'],
    ['Stopping a process of the local run', seconds(STOP_PATIENCE_MS), 'killed', '`bin/services/bahi.ts`'],
    [
      'An API or a worker of the local run that does not respond',
      `${FAILED_PROBES} probes of ${seconds(PROBE_MS)}`,
      `stopped, killed after ${seconds(DEAF_PATIENCE_MS)}`,
      '`bin/services/keep-alive.ts`',
    ],
    [
      'The pause before a part of the local run that ends again and again starts',
      seconds(LONGEST_PAUSE_MS),
      'starts again',
      '`bin/services/keep-alive.ts`',
    ],
  ]
}

/** Rows of: shared resource, total, how much one organisation may hold, how long a call waits for it. */
export function shareRows({ databasePool }: Settings): string[][] {
  const { calls, writers, streams, lists, bodies, uploads, parsing } = shareSizes({
    pool: databasePool,
    writers: writersOf(2),
  })
  const row = (what: string, { total, each, waitSeconds }: typeof calls, show: (amount: number) => string = String) => [
    what,
    show(total),
    show(each),
    `${waitSeconds} s`,
  ]
  return [
    row('Calls that use the database', calls),
    row('Calls that write (they count as calls too)', writers),
    row('Streams (they count as calls too)', streams),
    row('List pages above 1 MB (they hold no connection while they are sent)', lists),
    row(`Bodies above ${kilobytes(LARGE_BODY)}`, bodies, megabytes),
    row('Files that are uploaded (they hold no connection meanwhile)', uploads),
    row('Concurrent parsing of such bodies; each is followed by a pause of twice its time', parsing),
  ]
}
