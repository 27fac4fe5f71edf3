// How a deed is measured over HTTP, and how the floor beneath it; and that both write the same rows.
import type { LoadJob, LoadResult } from './children/load.ts'
import { runChild } from './children/parent.ts'
import type { PreparedJob } from './children/prepared.ts'
import { connected } from './connected.ts'
import { consumed } from './consumption.ts'
import type { Deed } from './deeds.ts'
import type { Figures, Pace } from './figures.ts'
import type { Report } from './report.ts'
import { countRows } from './specimens.ts'
import type { Stage } from './stage.ts'

export async function loaded(
  stage: Stage, job: LoadJob, report: Report, measure: string,
): Promise<{ figures: LoadResult; roundTrips: number }> {
  stage.stopping.throwIfAborted()
  const before = await countTrips(stage)
  const load = () => runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping)
  const [figures, consumption] = await consumed(stage.pids, load)
  const roundTrips = ((await countTrips(stage)) - before) / figures.sent
  report.line({ measure, clients: job.pace.clients, figures, consumption, roundTrips })
  return { figures, roundTrips }
}

export async function measured(
  stage: Stage, report: Report, measure: string, clients: number, work: () => Promise<Figures>,
): Promise<Figures> {
  stage.stopping.throwIfAborted()
  const [figures, consumption] = await consumed(stage.pids, work)
  report.line({ measure, clients, figures, consumption })
  return figures
}

/** The same rows by prepared statements of the bare driver. */
export const prepared = ({ databaseUrl, stopping }: Stage, { name }: Deed, specimens: number, pace: Pace) =>
  runChild<PreparedJob, Figures>('prepared.ts', { databaseUrl, deed: name, specimens, pace }, stopping)

/** The service's own count of its round trips to PostgreSQL so far. */
async function countTrips({ metricsUrl }: Stage): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const count = Number(/^bahi_database_round_trips_total (\d+)/m.exec(text)?.[1])
  if (Number.isNaN(count)) throw new Error(`${metricsUrl} does not tell bahi_database_round_trips_total`)
  return count
}

/** A floor that writes less than the service does would prove nothing: throws where the ways differ in their rows. */
export async function checkSameRows(stage: Stage, deed: Deed, ways: Record<string, () => Promise<unknown>>): Promise<void> {
  const rows: Record<string, string> = {}
  await connected(stage.databaseUrl, async (client) => {
    for (const [way, work] of Object.entries(ways)) {
      const before = await countRows(client, deed)
      await work()
      const after = await countRows(client, deed)
      const made = after[deed.document.name]! - before[deed.document.name]!
      rows[way] = Object.keys(after).map((name) => `${name} ${(after[name]! - before[name]!) / made}`).join(', ')
    }
  })
  console.log(`\nRows of one ${deed.name}: ${rows.service}`)
  const other = Object.keys(rows).find((way) => rows[way] !== rows.service)
  if (other) throw new Error(`${other} writes other rows than the service: ${rows[other]}`)
}
