// Measures a write over HTTP and by its floors, and checks that all of them write the same rows.
import type { Call, LoadJob, LoadResult } from './children/load.ts'
import { runChild, startChild } from './children/parent.ts'
import type { PreparedJob } from './children/prepared.ts'
import { connected } from './connected.ts'
import { consumed } from './consumption.ts'
import type { BookedWrite } from './writes.ts'
import type { Figures, Throttle } from './figures.ts'
import { runPgbench } from './pgbench.ts'
import type { Report } from './report.ts'
import type { Way } from './rounds.ts'
import { countRows } from './specimens.ts'
import type { Stage } from './stage.ts'

export async function loaded(stage: Stage, job: LoadJob, report: Report, measure: string): Promise<{ roundTrips: number }> {
  stage.stopping.throwIfAborted()
  const before = await countTrips(stage)
  const load = () => runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping)
  const [figures, consumption] = await consumed(stage.pids, load)
  const roundTrips = ((await countTrips(stage)) - before) / figures.sent
  report.line({ measure, clients: job.pace.clients, figures, consumption, operations: figures.sent, roundTrips })
  return { roundTrips }
}

/** Makes these calls of the service again and again. */
export function byService(stage: Stage, measure: string, calls: Call[], { clients, seconds, warmSeconds }: Throttle): Way {
  const { load, ...way } = serviceWay(stage, measure)
  return {
    ...way,
    warmUp: () => load(calls, { clients, seconds: warmSeconds, warmSeconds: 0 }),
    round: () => load(calls, { clients, seconds, warmSeconds: 0 }),
  }
}

/** Makes each of these calls of the service once, an equal part of them in every round. */
export function byServiceOnce(stage: Stage, measure: string, calls: Call[], clients: number, rounds: number): Way {
  const { load, ...way } = serviceWay(stage, measure)
  const from = (place: number) => Math.floor((place * calls.length) / rounds)
  return {
    ...way,
    round(place) {
      const some = calls.slice(from(place), from(place + 1))
      return load(some, { clients, count: some.length })
    },
  }
}

function serviceWay(stage: Stage, measure: string) {
  const child = startChild('load.ts', stage.stopping)
  return {
    measure, pids: { ...stage.pids, client: child.pid },
    load: (calls: Call[], pace: LoadJob['pace']) => child.ask<LoadJob, LoadResult>({ port: stage.port, calls, pace }),
    roundTrips: () => countTrips(stage),
    close: () => child.stop(),
  }
}

/** The floor of the bare driver: writes the same rows by prepared statements, over connections that stay open. */
export function byPrepared({ databaseUrl, pids, stopping }: Stage, measure: string, write: BookedWrite, specimens: number, pace: Throttle): Way {
  const child = startChild('prepared.ts', stopping)
  const book = (seconds: number) => child.ask<PreparedJob, Figures>({
    databaseUrl, write: write.name, specimens, pace: { clients: pace.clients, seconds, warmSeconds: 0 },
  })
  return {
    measure, pids: { ...pids, client: child.pid },
    warmUp: () => book(pace.warmSeconds), round: () => book(pace.seconds), close: () => child.stop(),
  }
}

/** The floor within PostgreSQL: pgbench writes the same rows. */
export function byPgbench(stage: Stage, measure: string, program: string, specimens: number, { clients, seconds, warmSeconds }: Throttle): Way {
  const book = (seconds: number) => runPgbench(stage, { program, specimens, pace: { clients, seconds, warmSeconds: 0 } })
  return { measure, pids: stage.pids, warmUp: () => book(warmSeconds), round: () => book(seconds) }
}

/** Writes the same rows for a time, by prepared statements of the bare driver. */
export const prepared = ({ databaseUrl, stopping }: Stage, { name }: BookedWrite, specimens: number, pace: Throttle) =>
  runChild<PreparedJob, Figures>('prepared.ts', { databaseUrl, write: name, specimens, pace }, stopping)

/** The number of round trips to PostgreSQL so far, as the service counts them. */
async function countTrips({ metricsUrl }: Stage): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const count = Number(/^bahi_database_round_trips_total (\d+)/m.exec(text)?.[1])
  if (Number.isNaN(count)) throw new Error(`${metricsUrl} does not tell bahi_database_round_trips_total`)
  return count
}

/** Throws where the ways write different rows: a floor that writes less than the service would prove nothing. */
export async function checkSameRows(stage: Stage, write: BookedWrite, ways: Record<string, () => Promise<unknown>>): Promise<void> {
  const rows: Record<string, string> = {}
  await connected(stage.databaseUrl, async (client) => {
    for (const [way, work] of Object.entries(ways)) {
      const before = await countRows(client, write)
      await work()
      const after = await countRows(client, write)
      const made = after[write.document.name]! - before[write.document.name]!
      rows[way] = Object.keys(after).map((name) => `${name} ${(after[name]! - before[name]!) / made}`).join(', ')
    }
  })
  console.log(`\nRows of one ${write.name}: ${rows.service}`)
  const other = Object.keys(rows).find((way) => rows[way] !== rows.service)
  if (other) throw new Error(`${other} writes other rows than the service: ${rows[other]}`)
}
