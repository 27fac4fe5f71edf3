// Measures several ways of doing the same work in turn within one run, so that other load of the machine affects all of them.
import { consumed, sumOf, type Consumption, type Pids } from './consumption.ts'
import { overRounds, type Figures } from './figures.ts'
import type { Report } from './report.ts'

/** The calls that were made; `sent` also counts those of a warm-up. */
export type Done = Figures & { sent?: number }

export interface Way {
  measure: string
  /** The processes whose CPU time it takes. */
  pids: Pids
  warmUp?(): Promise<unknown>
  round(place: number): Promise<Done>
  /** The count of round trips to PostgreSQL so far. */
  roundTrips?(): Promise<number>
  close?(): Promise<unknown>
}

interface Measured {
  done: Done[]
  consumptions: (Consumption | null)[]
  roundTrips: number
}

/**
 * Lets every way work for a round, then each for another, every second time in the opposite order. Prints a line for each
 * way, returns their figures in the order of the ways, and closes the ways.
 */
export async function inRounds(
  ways: Way[], { rounds, clients, report, stopping }: { rounds: number; clients: number; report: Report; stopping: AbortSignal },
): Promise<Figures[]> {
  const all = ways.map((way) => ({ way, measured: { done: [], consumptions: [], roundTrips: 0 } as Measured }))
  try {
    for (const way of ways) await way.warmUp?.()
    for (let place = 0; place < rounds; place += 1) {
      for (const { way, measured } of place % 2 === 0 ? all : all.toReversed()) {
        stopping.throwIfAborted()
        const before = (await way.roundTrips?.()) ?? NaN
        const [done, consumption] = await consumed(way.pids, () => way.round(place))
        measured.roundTrips += ((await way.roundTrips?.()) ?? NaN) - before
        measured.done.push(done)
        measured.consumptions.push(consumption)
      }
    }
  } finally {
    for (const way of ways) await way.close?.()
  }
  return all.map(({ way, measured }) => reportOf(report, way.measure, clients, measured))
}

function reportOf(report: Report, measure: string, clients: number, { done, consumptions, roundTrips }: Measured): Figures {
  const figures = overRounds(done)
  const operations = done.reduce((sum, { count, sent = count }) => sum + sent, 0)
  report.line({ measure, clients, figures, consumption: sumOf(consumptions), operations, roundTrips: roundTrips / operations })
  return figures
}
