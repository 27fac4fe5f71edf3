// A caller that repeats whatever is not answered, or answered with "try again", until it has an answer to keep.
import { callAt, type Answered, type CallOptions } from '../fixtures/client.ts'

const REPEAT_AFTER_MS = 50
const PATIENCE_MS = 90_000
const REST_MS = 1_000

export interface PatientCaller {
  /** Calls without an answer, or answered with a 5xx. */
  unheard: number
  /** One call; null where no answer came. */
  once(method: string, path: string, options?: CallOptions): Promise<Answered | null>
  /** The answer to a call, sent again under the same key, if it has one, until there is one; null where patience has run out. */
  untilAnswered(method: string, path: string, options?: CallOptions): Promise<Answered | null>
}

/** A call that has its answer: when its first try that failed began, if one did, how each failed, and when the answer came. */
export interface HeardCall {
  method: string
  path: string
  failedAt: number | null
  failures: string[]
  endedAt: number
}

export interface Listeners {
  /** Is told of every call that got its answer. */
  heard?(call: HeardCall): void
  /** Is told of a key that a call has whose answer never came: it keeps the key for a while. */
  keptBy?(key: string): Promise<void>
}

/**
 * With several addresses, each call begins at the next of them, and is repeated at the one after that. As behind a proxy, one
 * that refuses connections is left out for a moment.
 */
export function patientCallerAt(addresses: string | readonly string[], token: string, { heard, keptBy }: Listeners = {}): PatientCaller {
  const targets = [addresses].flat().map((address) => ({ call: callAt(address), restsUntil: 0 }))
  let turn = 0
  const next = () => {
    const inOrder = targets.map((_, place) => targets[(turn + place) % targets.length]!)
    turn += 1
    return inOrder.find(({ restsUntil }) => restsUntil < Date.now()) ?? inOrder[0]!
  }
  const send = async (method: string, path: string, options: CallOptions): Promise<Answered | { failure: string }> => {
    const target = next()
    try {
      return await target.call(method, path, { token, ...options })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ECONNREFUSED') target.restsUntil = Date.now() + REST_MS
      return { failure: code ?? 'no answer' }
    }
  }
  const caller: PatientCaller = {
    unheard: 0,
    async once(method, path, options = {}) {
      const answer = await send(method, path, options)
      return 'failure' in answer ? null : answer
    },
    async untilAnswered(method, path, options = {}) {
      const last = Date.now() + PATIENCE_MS
      let failedAt: number | null = null
      const failures: string[] = []
      while (Date.now() < last) {
        const begunAt = Date.now()
        const answer = await send(method, path, options)
        if (!('failure' in answer) && !isToBeRepeated(answer)) {
          heard?.({ method, path, failedAt, failures, endedAt: Date.now() })
          return answer
        }
        failedAt ??= begunAt
        failures.push('failure' in answer ? answer.failure : `${answer.status} ${answer.body?.code}`)
        if ('failure' in answer || answer.status >= 500) caller.unheard += 1
        else await keptBy?.(options.key!)
        await pause(REPEAT_AFTER_MS)
      }
      return null
    },
  }
  return caller
}

// A request that died with its process may still hold its key for a moment, until PostgreSQL notices. What a provider of mail
// has refused, or may have done, stays so.
function isToBeRepeated({ status, body }: Answered): boolean {
  if (body?.code === 'email.send_failed') return false
  return status >= 500 || (status === 409 && body?.code === 'idempotency.in_progress')
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
