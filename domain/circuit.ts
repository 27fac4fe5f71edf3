// The circuit breaker of an endpoint: opens after failures in a row, tries one delivery at a time, closes after a success.

export type CircuitState = 'CLOSED' | 'OPEN' | 'HALF_OPEN'
export const CIRCUIT_STATES: readonly CircuitState[] = ['CLOSED', 'OPEN', 'HALF_OPEN']

export interface Circuit {
  state: CircuitState
  /** Failures in a row. */
  failures: number
  /** How many times it has opened since it was last closed. */
  opened: number
  /** When the next delivery is tried; of a HALF_OPEN circuit, when its trial counts as lost. Null while it is CLOSED. */
  nextTryAt: Date | null
  /** Whether the last responses were slow. */
  slow: boolean
  /** Whether deliveries that waited for it are still to be released. */
  releasing: boolean
}

export interface CircuitRules {
  /** The circuit opens after this many failures in a row. */
  failures: number
  firstWaitMs: number
  longestWaitMs: number
}

/** The results of attempts at one endpoint that are recorded together. */
export interface Verdict {
  /** Whether one of them succeeded. */
  answered: boolean
  /** The failures after the last success. */
  failures: number
  slow: boolean
  at: Date
}

export const CLOSED: Circuit = {
  state: 'CLOSED',
  failures: 0,
  opened: 0,
  nextTryAt: null,
  slow: false,
  releasing: false,
}

// The count stops here, because it is only compared with the threshold.
const MAX_COUNTED = 1_000_000
const JITTER_PART = 10

/** The circuit after attempts have ended. `random01` is a random number from 0 up to 1. */
export function circuitAfter(circuit: Circuit, verdict: Verdict, rules: CircuitRules, random01: number): Circuit {
  const { answered, slow, at } = verdict
  const before = answered ? closed(circuit) : circuit
  const failures = Math.min(before.failures + verdict.failures, MAX_COUNTED)
  const now = { ...before, failures, slow }
  if (verdict.failures === 0) return now
  const opens = before.state === 'HALF_OPEN' || (before.state === 'CLOSED' && failures >= rules.failures)
  // Failures of attempts that were under way when it opened do not postpone the trial.
  if (!opens) return now
  const opened = before.opened + 1
  return { ...now, state: 'OPEN', opened, nextTryAt: new Date(at.getTime() + waitOf(opened, rules, random01)) }
}

/** The circuit after it is closed: by a success, or by a change of the endpoint. */
export function closed(circuit: Circuit): Circuit {
  return { ...CLOSED, slow: circuit.slow, releasing: circuit.releasing || circuit.state !== 'CLOSED' }
}

/** The wait in ms before the trial after opening for the `opened`-th time: doubled each time, plus a random 0 to 10 %. */
export function waitOf(opened: number, { firstWaitMs, longestWaitMs }: CircuitRules, random01: number): number {
  const waitMs = Math.min(firstWaitMs * 2 ** Math.min(opened - 1, 40), longestWaitMs)
  return waitMs + Math.floor((waitMs * random01) / JITTER_PART)
}
