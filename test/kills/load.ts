// Callers that create invoices without a pause, and repeat under the same key whatever was not acknowledged.
import { randomUUID } from 'node:crypto'
import { callAt, type Answered, type Call } from '../api/client.ts'

/** A call that was acknowledged: what was sent under its key, and the answer. */
export interface Acknowledged {
  key: string
  body: Record<string, unknown>
  answer: Answered
}

export interface Load {
  acknowledged: Acknowledged[]
  /** Calls that were answered by nobody, or with a 5xx. */
  unheard: number
  /** Answers that no caller deserves: neither 201 nor "try again". */
  surprises: string[]
  /** Resolves once so many more calls are acknowledged; throws when that takes too long. */
  acknowledges(more: number, withinMs: number): Promise<void>
  /** No new keys from now on. Resolves when each caller has its last one acknowledged, or has given up. */
  stop(): Promise<void>
}

const CALLERS = 6
const PAUSE_MS = 15
const REPEAT_AFTER_MS = 50
const PATIENCE_MS = 60_000

/** Starts the callers. `bodyOf` draws up the invoice of a key. */
export function startLoad(baseUrl: string, token: string, bodyOf: (key: string) => Record<string, unknown>): Load {
  const call = callAt(baseUrl)
  let stopped = false

  async function caller(): Promise<void> {
    while (!stopped) {
      const key = randomUUID()
      const body = bodyOf(key)
      const answer = await untilAnswered(() => attempt(call, token, key, body))
      if (answer?.status === 201) load.acknowledged.push({ key, body, answer })
      else load.surprises.push(answer ? `${answer.status} ${answer.text}` : `${key} was not acknowledged within ${PATIENCE_MS} ms`)
      await pause(PAUSE_MS)
    }
  }

  async function untilAnswered(tryOnce: () => Promise<Answered | null>): Promise<Answered | null> {
    const last = Date.now() + PATIENCE_MS
    while (Date.now() < last) {
      const answer = await tryOnce()
      if (answer && !isToBeRepeated(answer)) return answer
      if (!answer || answer.status >= 500) load.unheard += 1
      await pause(REPEAT_AFTER_MS)
    }
    return null
  }

  const load: Load = {
    acknowledged: [],
    unheard: 0,
    surprises: [],
    async acknowledges(more, withinMs) {
      const wanted = load.acknowledged.length + more
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
  const callers = Array.from({ length: CALLERS }, caller)
  return load
}

/** One call; null where no answer came. */
export async function attempt(call: Call, token: string, key: string, body: Record<string, unknown>): Promise<Answered | null> {
  try {
    return await call('POST', '/invoices', { token, key, body })
  } catch {
    return null
  }
}

// A request that died with its process may still hold its key for a moment, until PostgreSQL notices.
function isToBeRepeated({ status, body }: Answered): boolean {
  return status >= 500 || (status === 409 && body?.code === 'idempotency.in_progress')
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
