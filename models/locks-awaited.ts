// Takes the locks of a migration without stopping the service: waits briefly, lets the others on, and tries again.
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

/** How a migration waits for locks, and whom it tells. */
export interface Patience {
  /**
   * How long one lock is waited for, in ms. Every statement that wants the table afterwards waits behind it, so writes wait no
   * longer than this for each table that a step locks.
   */
  lockMs: number
  /** How long a step is tried in all, in ms. */
  inAllMs: number
  /** Gets a line when a lock is waited for, and now and then while a step runs. */
  tell(line: string): void
}

/** A migration that could not be applied, for a reason that its message says in full. */
export class MigrationFailed extends Error {}

// A lock that was not given in time, and a deadlock that PostgreSQL has ended.
const CONTENTION = ['55P03', '40P01']
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
const LOOK_MS = 500
/** After how much waiting it is told first; then after twice as much each time. */
const TELL_MS = 4_000

/**
 * Runs `work` on the connection, once more after each lock that was not given in time. `work` is rolled back meanwhile. It
 * waits for its locks as long as it takes where `blocksNobody`.
 */
export async function withLocks(
  { client, watching }: { client: pg.Client; watching: pg.Client },
  { name, blocksNobody }: { name: string; blocksNobody: boolean },
  { lockMs, inAllMs, tell }: Patience,
  work: () => Promise<unknown>,
): Promise<void> {
  let waitedMs = 0
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const watch = watchWaits({ client, watching }, { name, everyMs: Math.min(LOOK_MS, lockMs / 4) }, tell)
    try {
      await client.query(`SET lock_timeout = ${blocksNobody ? 0 : Math.ceil(lockMs)}`)
      await work()
      return
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined)
      if (!CONTENTION.includes((error as pg.DatabaseError).code ?? '')) throw error
      const why = watch.holders() ?? 'the tables are in use'
      waitedMs += lockMs + pauseMs
      if (waitedMs > inAllMs)
        throw new MigrationFailed(
          `${name}: no lock for ${inSeconds(waitedMs)}: ${why}. Nothing of this step was applied`,
          {
            cause: error,
          },
        )
      tell(`${name}: ${why}; trying again in ${inSeconds(pauseMs)}`)
      await setTimeout(pauseMs)
    } finally {
      await watch.end()
    }
  }
}

const inSeconds = (ms: number) => `${Math.round(ms / 1_000)} s`

interface Holder {
  pid: number
  program: string
  state: string | null
  seconds: number
  wanted: string | null
}

// What the connection waits for is asked on another one.
function watchWaits(
  { client, watching }: { client: pg.Client; watching: pg.Client },
  { name, everyMs }: { name: string; everyMs: number },
  tell: (line: string) => void,
) {
  const over = new AbortController()
  let holders: string | null = null
  let [ranMs, tellAtMs] = [0, TELL_MS]
  const watch = async () => {
    while (!over.signal.aborted) {
      await setTimeout(everyMs, undefined, { signal: over.signal }).catch(() => undefined)
      if (over.signal.aborted) return
      const { rows } = await watching.query<Holder>(HOLDERS, [processOf(client)])
      if (rows.length > 0) holders = rows.map(textOf).join('; ')
      ranMs += everyMs
      if (ranMs < tellAtMs) continue
      tellAtMs *= 2
      tell(`${name}: ${rows.length > 0 ? holders : `running for ${inSeconds(ranMs)}`}`)
    }
  }
  // Without its lines the migration goes on.
  const watched = watch().catch(() => undefined)
  return {
    holders: () => holders,
    end: async () => {
      over.abort()
      await watched
    },
  }
}

// Not part of the driver's types.
const processOf = (client: pg.Client) => (client as unknown as { processID: number }).processID

const textOf = ({ pid, program, state, seconds, wanted }: Holder) =>
  `waiting for ${wanted ?? 'a lock'}, which process ${pid} (${[program, state].filter(Boolean).join(', ')}) holds, in its transaction for ${seconds} s`

const HOLDERS = `SELECT b.pid, a.application_name AS program, a.state,
    coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::integer AS seconds,
    (SELECT l.mode || ' on ' || coalesce(l.relation::regclass::text, l.locktype) FROM pg_locks AS l
      WHERE l.pid = $1 AND NOT l.granted LIMIT 1) AS wanted
  FROM unnest(pg_blocking_pids($1)) AS b(pid) JOIN pg_stat_activity AS a ON a.pid = b.pid ORDER BY a.xact_start LIMIT 3`
