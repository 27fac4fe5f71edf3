// For how long calls failed that were repeated with their key, and how many did.
import type { HeardCall } from '../kills/patient-caller.ts'

/** What became of the calls of a part of a test. Seconds count from the begin of a first try that failed to the answer of the call. */
export interface Figures {
  calls: number
  repeated: number
  /** The longest that one call was repeated. */
  longest: number
  /** The time during which any call was being repeated. */
  together: number
  /** By method and path, where any was repeated. */
  kinds: Record<string, { calls: number; repeated: number; longest: number; answers: string[] }>
}

export interface Outages {
  heard(call: HeardCall): void
  /** The figures of all calls answered since the last time. */
  take(): Figures
}

export function recordOutages(): Outages {
  let calls: HeardCall[] = []
  return {
    heard: (call) => void calls.push(call),
    take() {
      const [taken, repeated] = [calls, calls.filter(({ failedAt }) => failedAt !== null)]
      calls = []
      const kinds = Object.entries(Object.groupBy(taken, kindOf)).flatMap(([kind, those = []]) => {
        const again = those.filter(({ failedAt }) => failedAt !== null)
        const answers = [...new Set(again.flatMap(({ failures }) => failures))]
        return again.length === 0 ? [] : [[kind, { calls: those.length, repeated: again.length, longest: longestOf(again), answers }] as const]
      })
      return { calls: taken.length, repeated: repeated.length, longest: longestOf(repeated), together: togetherOf(repeated), kinds: Object.fromEntries(kinds) }
    },
  }
}

/** One line, and one for each kind of call that was repeated. */
export function figuresText(name: string, { calls, repeated, longest, together, kinds }: Figures): string {
  const whole = `${name}: ${calls} calls, ${repeated} repeated${repeated === 0 ? '' : `, one for ${longest} s at most, any for ${together} s`}`
  const lines = Object.entries(kinds).map(([kind, one]) => `    ${kind}: ${one.calls} calls, ${one.repeated} repeated, at most ${one.longest} s (${one.answers.join(', ')})`)
  return [whole, ...lines, ''].join('\n')
}

const kindOf = ({ method, path }: HeardCall) => `${method} ${path.split('?')[0]!.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')}`
const seconds = (ms: number) => Math.round(ms / 10) / 100
const longestOf = (calls: HeardCall[]) => seconds(Math.max(0, ...calls.map(({ failedAt, endedAt }) => endedAt - failedAt!)))

// The length of all their intervals, what overlaps counted once.
function togetherOf(calls: HeardCall[]): number {
  let [sum, reached] = [0, 0]
  for (const { failedAt, endedAt } of calls.toSorted((one, other) => one.failedAt! - other.failedAt!)) {
    sum += Math.max(0, endedAt - Math.max(failedAt!, reached))
    reached = Math.max(reached, endedAt)
  }
  return seconds(sum)
}
