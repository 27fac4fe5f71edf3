// Callers that create invoices without a pause, and repeat under the same key whatever was not acknowledged.
import { randomUUID } from 'node:crypto'
import type { Answered } from '../fixtures/client.ts'
import { patientCallerAt, pause, type Listeners } from './patient-caller.ts'

/** A call that was acknowledged: what was sent under its key, and the answer. */
export interface Acknowledged {
  key: string
  body: Record<string, unknown>
  answer: Answered
}

export interface Load {
  acknowledged: Acknowledged[]
  /** Calls without an answer, or answered with a 5xx. */
  readonly unheard: number
  /** Answers that no caller deserves: neither 201 nor "try again". */
  surprises: string[]
  /** Resolves once so many more calls are acknowledged; throws when that takes too long. */
  acknowledges(more: number, withinMs: number): Promise<void>
  /** No new keys from now on. Resolves when each caller has its last one acknowledged, or has given up. */
  stop(): Promise<void>
}

const MANY = { callers: 6, pauseMs: 15 }
const AHEAD_PAUSE_MS = 250

interface LoadOptions extends Listeners {
  callers?: number
  /** Between two calls of a caller. */
  pauseMs?: number
  /** So many more than are waited for are made at that pace; then the callers only keep going, and leave the processor to the rest. */
  ahead?: number
}

/** Starts the callers, at one address or in turn at several. `bodyOf` draws up the invoice of a key. */
export function startLoad(
  addresses: string | readonly string[], token: string, bodyOf: (key: string) => Record<string, unknown>,
  { callers: many = MANY.callers, pauseMs = MANY.pauseMs, ahead = Infinity, ...listeners }: LoadOptions = {},
): Load {
  const patient = patientCallerAt(addresses, token, listeners)
  let stopped = false
  let wanted = 0

  async function caller(): Promise<void> {
    while (!stopped) {
      const key = randomUUID()
      const body = bodyOf(key)
      const answer = await patient.untilAnswered('POST', '/invoices', { key, body })
      if (answer?.status === 201) load.acknowledged.push({ key, body, answer })
      else load.surprises.push(answer ? `${answer.status} ${answer.text}` : `${key} was not acknowledged in time`)
      await pause(load.acknowledged.length > wanted + ahead ? AHEAD_PAUSE_MS : pauseMs)
    }
  }

  const load: Load = {
    acknowledged: [],
    get unheard() { return patient.unheard },
    surprises: [],
    async acknowledges(more, withinMs) {
      wanted = load.acknowledged.length + more
      const last = Date.now() + withinMs
      while (load.acknowledged.length < wanted) {
        if (Date.now() > last) throw new Error(`${load.acknowledged.length} of ${wanted} acknowledged; ${load.surprises.join('; ')}`)
        await pause(10)
      }
    },
    async stop() {
      stopped = true
      await Promise.all(callers)
    },
  }
  const callers = Array.from({ length: many }, caller)
  return load
}
