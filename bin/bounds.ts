// What every wait and every resource of the service is bounded by, for the table in docs/running.md.
import { BODY_LIMIT, BODY_MS, LARGE_BODY, UNREAD_BYTES, UNREAD_MS } from '../api/http/body.ts'
import * as edge from '../api/http/bounds.ts'
import { LONGEST_PACE_MS, UNPAID_PER_SECOND } from '../api/http/pace.ts'
import { MOST_PROBLEMS } from '../api/http/problems.ts'
import { REDIS_WAITS_MS } from '../api/http/rate-limit.ts'
import { shareSizes, writersOf } from '../api/http/shares.ts'
import { PORTION_MS, WHOLE_MS } from '../api/http/stream.ts'
import { PATIENCE_MS } from '../api/parts.ts'
import { CONVERSION_MS, CONVERSION_START_MS } from '../gateways/conversion.ts'
import { START_MS } from '../gateways/engine.ts'
import { MOST_PROBES, PROBE_SECONDS } from '../gateways/health-port.ts'
import { LOOKUPS } from '../gateways/resolver.ts'
import { MOST_WAITING_BYTES } from '../gateways/log-output.ts'
import { DATABASE_WAITS_MS } from '../models/database.ts'
import { CLOSE_SECONDS, type Settings } from '../settings.ts'
import { DEAF_PATIENCE_MS, FAILED_PROBES, PROBE_MS } from './machines/part.ts'
import { STOP_PATIENCE_MS } from './machines/service.ts'

const seconds = (ms: number) => `${ms / 1000} s`
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`
const kilobytes = (bytes: number) => `${bytes / 1024} KB`

/** Rows of: what, its bound, what happens beyond it, where the bound is set. */
export function boundRows(settings: Settings): string[][] {
  return [...connectionRows(settings), ...requestRows(), ...machineRows(settings), ...processRows(settings)]
}

function connectionRows({ maxConnections, maxConnectionsPerAddress }: Settings): string[][] {
  const EDGE = '`api/http/bounds.ts`'
  return [
    ['Connections to an API process', String(maxConnections), '`503`, closed', '`MAX_CONNECTIONS`'],
    ['of one client address', String(maxConnectionsPerAddress), '`503`, closed', '`MAX_CONNECTIONS_PER_ADDRESS`'],
    ['that are refused and still told so', `${edge.MOST_REFUSED}, ${edge.REFUSED_SECONDS} s each`, 'closed without an answer', EDGE],
    ['Connections to the health port of a process', `${MOST_PROBES}, ${PROBE_SECONDS} s each`, 'closed', '`gateways/health-port.ts`'],
    ['A connection between two requests', `${edge.KEEP_ALIVE_SECONDS} s`, 'closed', EDGE],
    ['Unanswered requests on a connection', String(edge.MOST_UNANSWERED), 'no more are taken; closed behind the last answer', EDGE],
    ['What comes behind the last request that is taken', megabytes(edge.MOST_DISCARDED_BYTES), 'broken off', EDGE],
  ]
}

function requestRows(): string[][] {
  const EDGE = '`api/http/bounds.ts`'
  const STREAM = '`api/http/stream.ts`'
  const BODY = '`api/http/body.ts`'
  return [
    ['The line and headers of a request', `${kilobytes(edge.MOST_HEAD_BYTES)}, fewer than ${edge.MOST_HEADERS} headers`, '`431`', EDGE],
    ['their arrival', `${edge.HEAD_SECONDS} s`, '`408`', EDGE],
    ['The arrival of a whole request', `${edge.REQUEST_SECONDS} s`, '`408`', EDGE],
    ['A body', megabytes(BODY_LIMIT), '`413`', BODY],
    ['its arrival', seconds(BODY_MS), '`408`', BODY],
    ['The rest of a body that was refused', `${seconds(UNREAD_MS)}, ${megabytes(UNREAD_BYTES)}`, 'broken off', BODY],
    ['Problems of a body that are listed', String(MOST_PROBLEMS), 'left out', '`api/http/problems.ts`'],
    ['Answers at once that use up no budget (`429`, `404`, `405`, what anyone may call)',
      `${UNPAID_PER_SECOND} a second`, `spread, by ${seconds(LONGEST_PACE_MS)} at the most`, '`api/http/pace.ts`'],
    ['An answer of which nothing is taken', `${edge.UNREAD_SECONDS} s`, 'broken off', EDGE],
    ['A portion of a stream of which nothing is taken', seconds(PORTION_MS), 'broken off', STREAM],
    ['A stream', seconds(WHOLE_MS), 'broken off', STREAM],
    ['Any request, from its headers to the end of its answer', `${edge.ANSWER_SECONDS} s`, 'broken off', EDGE],
  ]
}

function machineRows({ databasePool, webhookTimeoutSeconds }: Settings): string[][] {
  const DATABASE = '`models/database.ts`'
  return [
    ['Connections of a process to PostgreSQL', String(databasePool), 'wait', '`DATABASE_POOL`'],
    ['The wait for one of them', seconds(DATABASE_WAITS_MS.acquire), '`503`', DATABASE],
    ['The wait for a new one', seconds(DATABASE_WAITS_MS.connect), '`503`', DATABASE],
    ['A statement', seconds(DATABASE_WAITS_MS.statement), 'rolled back', DATABASE],
    ['A transaction between two statements', seconds(DATABASE_WAITS_MS.idleInTransaction), 'rolled back', DATABASE],
    ['The wait for an answer', seconds(DATABASE_WAITS_MS.answer), '`503`, and the connection is closed', DATABASE],
    ['The wait for a lock', seconds(DATABASE_WAITS_MS.lock), 'tried again, then `503`', DATABASE],
    ['A question to Redis', seconds(REDIS_WAITS_MS.command), 'counted in the process', '`api/http/rate-limit.ts`'],
    ['The look-up of a receiver\'s name', seconds(LOOKUPS.limitMs), 'the attempt fails', '`gateways/resolver.ts`'],
    ['Look-ups at once, in a process and of one organisation', `${LOOKUPS.atOnce}, ${LOOKUPS.atOnceOfOne}`, 'wait', '`gateways/resolver.ts`'],
    ['Names that are remembered', String(LOOKUPS.remembered), 'the oldest is forgotten', '`gateways/resolver.ts`'],
    ['A conversion: until Temporal has taken it, and in all', `${seconds(CONVERSION_START_MS)}, ${seconds(CONVERSION_MS)}`, '`503`', '`gateways/conversion.ts`'],
    ['Other calls to Temporal', seconds(START_MS), 'tried again', '`gateways/engine.ts`'],
    ['An attempt at a webhook', `${webhookTimeoutSeconds} s`, 'the next attempt', '`WEBHOOK_TIMEOUT_SECONDS`'],
    ['A part that `/health/ready` asks', seconds(PATIENCE_MS), '`away`', '`api/parts.ts`'],
  ]
}

function processRows({ shutdownSeconds }: Settings): string[][] {
  return [
    ['Lines that the log has not taken', megabytes(MOST_WAITING_BYTES), 'dropped and counted', '`gateways/log-output.ts`'],
    ['The stop of the API: answers under way', `${shutdownSeconds} s`, 'broken off', '`SHUTDOWN_SECONDS`'],
    ['The stop of the worker: attempts under way', `${shutdownSeconds} s`, 'done again by another', '`SHUTDOWN_SECONDS`'],
    ['and then the pools and clients of either', `${CLOSE_SECONDS} s`, 'left as they are', '`settings.ts`'],
    ['A part of the local run that is to stop', seconds(STOP_PATIENCE_MS), 'killed', '`bin/machines/service.ts`'],
    ['An API or a worker of the local run that does not answer',
      `${FAILED_PROBES} probes of ${seconds(PROBE_MS)}`, `ended, killed after ${seconds(DEAF_PATIENCE_MS)}`, '`bin/machines/part.ts`'],
  ]
}

/** Rows of: what is shared between organisations, how much there is, how much one may hold, and how long a wait lasts. */
export function shareRows({ databasePool }: Settings): string[][] {
  const { calls, writers, streams, lists, bodies, parsing } = shareSizes({ pool: databasePool, writers: writersOf(2) })
  const row = (what: string, { total, each, waitSeconds }: typeof calls, show: (amount: number) => string = String) => (
    [what, show(total), show(each), `${waitSeconds} s`]
  )
  return [
    row('Calls that use the database', calls),
    row('Calls that write, which are such calls too', writers),
    row('Streams, which are calls too', streams),
    row('Pages of lists above 1 MB, which keep no connection while they are taken', lists),
    row(`Bodies above ${kilobytes(LARGE_BODY)}`, bodies, megabytes),
    row('Turns to parse one of them; a pause of twice its time follows', parsing),
  ]
}
