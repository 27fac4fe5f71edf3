// A caller that repeats whatever is not answered, or answered with "try again", until it has an answer to keep.
import { callAt, type Answered, type CallOptions } from '../fixtures/client.ts'

const REPEAT_AFTER_MS = 50
const PATIENCE_MS = 90_000

export interface PatientCaller {
  /** Calls without an answer, or answered with a 5xx. */
  unheard: number
  /** One call; null where no answer came. */
  once(method: string, path: string, options?: CallOptions): Promise<Answered | null>
  /** The answer to a call, sent again under the same key, if it has one, until there is one; null where patience has run out. */
  untilAnswered(method: string, path: string, options?: CallOptions): Promise<Answered | null>
}

export function patientCallerAt(baseUrl: string, token: string): PatientCaller {
  const call = callAt(baseUrl)
  const caller: PatientCaller = {
    unheard: 0,
    async once(method, path, options = {}) {
      try {
        return await call(method, path, { token, ...options })
      } catch {
        return null
      }
    },
    async untilAnswered(method, path, options) {
      const last = Date.now() + PATIENCE_MS
      while (Date.now() < last) {
        const answer = await caller.once(method, path, options)
        if (answer && !isToBeRepeated(answer)) return answer
        if (!answer || answer.status >= 500) caller.unheard += 1
        await pause(REPEAT_AFTER_MS)
      }
      return null
    },
  }
  return caller
}

// A request that died with its process may still hold its key for a moment, until PostgreSQL notices.
function isToBeRepeated({ status, body }: Answered): boolean {
  return status >= 500 || (status === 409 && body?.code === 'idempotency.in_progress')
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
