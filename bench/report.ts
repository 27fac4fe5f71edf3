// Prints the results of the bench: a line for each measurement at once, the ratios to the floors at the end.
import type { Consumption } from './consumption.ts'
import type { Figures } from './figures.ts'

export interface Line {
  measure: string
  clients: number | null
  figures: Figures
  consumption: Consumption | null
  /** How many calls the CPU time was spent on, where it is not the count of the figures. */
  operations?: number
  /** Round trips to PostgreSQL for each request. */
  roundTrips?: number
}

/** A ratio; without a bound it is only printed. */
interface Aim {
  name: string
  value: number
  atLeast?: number
  atMost?: number
}

const COLUMNS = [
  ['measure', 46], ['clients', 7], ['rate/s', 9], ['p50 ms', 8], ['p99 ms', 8], ['trips', 6],
  ['CPU ms: API', 11], ['worker', 6], ['PG', 6], ['client', 6], ['MB: API', 7], ['worker', 6], ['PG', 6],
] as const

/** Collects aims, and prints lines as they come. */
export class Report {
  readonly aims: Aim[] = []
  readonly faults: string[] = []

  section(title: string): void {
    console.log(`\n${title}`)
    print(COLUMNS.map(([name]) => name))
  }

  line({ measure, clients, figures, consumption, operations = figures.count, roundTrips }: Line): void {
    const { cpu, memory } = consumption ?? {}
    // CPU time of a process for one call.
    const cpuMs = (seconds: number | undefined) => fixed(seconds === undefined ? undefined : (seconds * 1000) / operations, 2)
    print([
      measure, clients ?? '', fixed(figures.rate, figures.rate < 100 ? 1 : 0), fixed(figures.p50Ms, 2), fixed(figures.p99Ms, 2),
      fixed(roundTrips, 2), cpuMs(cpu?.api), cpuMs(cpu?.worker), cpuMs(cpu?.postgres), cpuMs(cpu?.client),
      fixed(memory?.api, 0), fixed(memory?.worker, 0), fixed(memory?.postgres, 0),
    ])
  }

  aim(aim: Aim): void {
    this.aims.push(aim)
  }

  /** A condition that must hold on every machine; the bench fails where it does not. */
  must(holds: boolean, otherwise: string): void {
    if (!holds) this.faults.push(otherwise)
  }

  ratios(): void {
    console.log('\nRatios to the floors of this machine, measured in this run')
    for (const { name, value, atLeast, atMost } of this.aims) {
      const met = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
      const bound = atLeast !== undefined ? `at least ${atLeast}` : atMost !== undefined ? `at most ${atMost}` : 'no aim'
      console.log([name.padEnd(66), value.toFixed(2).padStart(7), bound.padEnd(13), bound === 'no aim' ? '' : met ? 'OK' : 'MISSED'].join('  ').trimEnd())
    }
    for (const fault of this.faults) console.log(`\nWRONG: ${fault}`)
  }
}

const fixed = (value: number | undefined, digits: number) => (value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits))

function print(cells: readonly (string | number)[]): void {
  const padded = COLUMNS.map(([, width], place) => {
    const cell = String(cells[place])
    return place === 0 ? cell.padEnd(width) : cell.padStart(width)
  })
  console.log(padded.join('  '))
}
