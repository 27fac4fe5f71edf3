// The circuit of an endpoint: opens after failures in a row, tries one delivery at a time, closes with a success.

export type CircuitState = 'CLOSED' | 'OPEN' | 'HALF_OPEN'
export const CIRCUIT_STATES: readonly CircuitState[] = ['CLOSED', 'OPEN', 'HALF_OPEN']

export interface Circuit {
  state: CircuitState
  /** Failures in a row. */
  failures: number
  /** How often it has opened since it was last closed. */
  opened: number
  /** When one delivery is tried; of a HALF_OPEN circuit, when its trial counts as lost. Null while it is CLOSED. */
  nextTryAt: Date | null
  /** Whether the last answers took long. */
  slow: boolean
  /** Whether deliveries that have waited for it have yet to be released. */
  releasing: boolean
}

export interface CircuitRules {
  /** Opens after so many failures in a row. */
  failures: number
  firstWaitMs: number
  longestWaitMs: number
}

/** What some attempts at an endpoint, which ended together, have come to. */
export interface Verdict {
  /** Whether one of them was answered with success. */
  answered: boolean
  /** The failures after the last success. */
  failures: number
  slow: boolean
  at: Date
}

export const CLOSED: Circuit = { state: 'CLOSED', failures: 0, opened: 0, nextTryAt: null, slow: false, releasing: false }

// Failures are only counted to be compared: beyond this the count stands still.
const MOST_COUNTED = 1_000_000
const JITTER_PART = 10

/** The circuit after some attempts have ended. `random01` is a random number from 0 up to 1. */
export function circuitAfter(circuit: Circuit, verdict: Verdict, rules: CircuitRules, random01: number): Circuit {
  const { answered, slow, at } = verdict
  const before = answered ? closed(circuit) : circuit
  const failures = Math.min(before.failures + verdict.failures, MOST_COUNTED)
  const now = { ...before, failures, slow }
  if (verdict.failures === 0) return now
  const opens = before.state === 'HALF_OPEN' || (before.state === 'CLOSED' && failures >= rules.failures)
  // Attempts that were under way when it opened do not push the trial away.
  if (!opens) return now
  const opened = before.opened + 1
  return { ...now, state: 'OPEN', opened, nextTryAt: new Date(at.getTime() + waitOf(opened, rules, random01)) }
}

/** The circuit once it is closed: by a success, or because somebody has changed the endpoint. */
export function closed(circuit: Circuit): Circuit {
  return { ...CLOSED, slow: circuit.slow, releasing: circuit.releasing || circuit.state !== 'CLOSED' }
}

/** The wait in ms before the trial, doubled each time; up to a tenth is added at random, never taken off. */
export function waitOf(opened: number, { firstWaitMs, longestWaitMs }: CircuitRules, random01: number): number {
  const waitMs = Math.min(firstWaitMs * 2 ** Math.min(opened - 1, 40), longestWaitMs)
  return waitMs + Math.floor((waitMs * random01) / JITTER_PART)
}
