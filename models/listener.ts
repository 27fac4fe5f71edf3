// Listens to the notifications of a PostgreSQL channel, on a connection of its own that is opened again when it is lost.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface Subscription {
  close(): Promise<void>
}

const RETRY_MS = 2_000
/** How often a connection is checked, and how long the server has to answer. */
const PROBE_MS = { every: 15_000, answer: 10_000 }

/**
 * Calls `heard` with the payload of every notification, and with an empty one after each connecting, because notifications
 * may have been missed before. Calls `hearing` whenever the connection is made or lost. The connection is checked at
 * intervals, because a server that has disappeared is as silent as one without notifications.
 */
export function listen(
  databaseUrl: string,
  channel: string,
  heard: (payload: string) => void,
  hearing: (now: boolean) => void = () => undefined,
  probe = PROBE_MS,
): Subscription {
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  function lost(gone: pg.Client): void {
    if (gone !== client) return
    client = undefined
    hearing(false)
    gone.end().catch(() => undefined)
    if (!closed) timer = setTimeout(() => void connect(), RETRY_MS)
  }

  async function connect(): Promise<void> {
    const mine = new pg.Client({
      connectionString: databaseUrl,
      application_name: `bahi listens to ${channel}`,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: probe.answer,
    })
    client = mine
    mine.on('error', () => lost(mine))
    mine.on('end', () => lost(mine))
    mine.on('notification', ({ payload }) => heard(payload ?? ''))
    try {
      await mine.connect()
      await mine.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      if (client === mine) hearing(true)
      heard('')
      while (mine === client && !closed) {
        await delay(probe.every, undefined, { ref: false })
        if (mine === client && !closed) await mine.query('SELECT 1')
      }
    } catch {
      lost(mine)
    }
  }

  void connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
