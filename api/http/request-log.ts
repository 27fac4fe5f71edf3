// Keeps the log of calls that an organisation's people read: in memory first, and written in batches, so that no call waits for it.
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../models/database.ts'
import { writeRequests, type RequestRow } from '../../models/request.ts'
import type { RequestRecord } from './access-log.ts'

export interface RequestLog {
  /**
   * Notes a call, unless it is of no organisation, or the rate limit has refused it: such calls cost their caller nothing. One that
   * finds no room is dropped, and counted.
   */
  note(record: RequestRecord & { time: Date; tokenId: string | null; isOverLimit: boolean }): void
  /** Writes what is left. */
  close(): Promise<void>
}

const WRITE_MS = 1_000
/** Written by one statement. */
const BATCH = 1_000
/** Kept while PostgreSQL is away or slow; about 300 bytes each. One organisation has as many at most as there is room left. */
const MOST = 40_000

export function createRequestLog(database: Pick<Database, 'observe'>, registry: Registry): RequestLog {
  let waiting: RequestRow[] = []
  const waitingOf = new Map<string, number>()
  let dropped = 0
  let writing: Promise<void> | null = null
  new Gauge({
    name: 'bahi_request_log_dropped_total',
    help: 'Calls that the request log lacks since the start, because PostgreSQL took them too slowly.',
    registers: [registry],
    collect() {
      this.set(dropped)
    },
  })

  // A batch that fails stays, and is written with the next.
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      await writeRequests(database, batch)
      waiting = waiting.slice(batch.length)
      for (const { org_id } of batch) {
        const left = waitingOf.get(org_id)! - 1
        if (left > 0) waitingOf.set(org_id, left)
        else waitingOf.delete(org_id)
      }
    }
  }
  const writeOnce = (): Promise<void> =>
    (writing ??= write()
      .catch(() => undefined)
      .finally(() => {
        writing = null
      }))

  const timer = setInterval(() => void writeOnce(), WRITE_MS)
  timer.unref()

  return {
    note({ orgId, requestId, time, method, route, status, durationMs, tokenId, isOverLimit }) {
      if (orgId === null || isOverLimit) return
      const mine = waitingOf.get(orgId) ?? 0
      if (mine >= MOST - waiting.length) return void (dropped += 1)
      waitingOf.set(orgId, mine + 1)
      const duration = Math.round(durationMs * 100) / 100
      waiting.push({
        org_id: orgId,
        id: requestId,
        time,
        method,
        route,
        status,
        duration_ms: duration,
        token_id: tokenId,
      })
    },
    async close() {
      clearInterval(timer)
      await writing
      await writeOnce()
    },
  }
}
