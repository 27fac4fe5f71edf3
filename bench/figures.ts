// The figures of a run of many calls: rate, median, and 99th percentile.

export interface Figures {
  count: number
  /** Calls a second. */
  rate: number
  p50Ms: number
  p99Ms: number
}

export function figuresOf(latenciesMs: number[], seconds: number): Figures {
  const sorted = Float64Array.from(latenciesMs).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return { count: sorted.length, rate: sorted.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** The figures of several rounds of the same work: the count of all calls; the means of the rates, medians and 99th percentiles. */
export function overRounds(rounds: Figures[]): Figures {
  const mean = (of: (round: Figures) => number) => rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length
  return {
    count: rounds.reduce((sum, { count }) => sum + count, 0),
    rate: mean(({ rate }) => rate), p50Ms: mean(({ p50Ms }) => p50Ms), p99Ms: mean(({ p99Ms }) => p99Ms),
  }
}

/** Clients that each make one call after the other. */
export interface Throttle {
  clients: number
  seconds: number
  /** The warm-up before the measurement, whose calls do not count. */
  warmSeconds: number
}

/** Lets every client call again and again; only calls that begin after the warm-up count. */
export async function paced({ clients, seconds, warmSeconds }: Throttle, call: (client: number) => Promise<void>): Promise<Figures> {
  const begun = performance.now()
  const from = begun + warmSeconds * 1000
  const until = from + seconds * 1000
  const latencies: number[] = []
  await Promise.all(Array.from({ length: clients }, async (_, client) => {
    for (let start = performance.now(); start < until; start = performance.now()) {
      await call(client)
      if (start >= from) latencies.push(performance.now() - start)
    }
  }))
  return figuresOf(latencies, (performance.now() - from) / 1000)
}
