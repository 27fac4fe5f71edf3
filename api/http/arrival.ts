// The arrival of a large body in chunks, at the pace of whoever takes them, within its time.
import type { IncomingMessage } from 'node:http'
import { fault } from '../../domain/faults.ts'

/** The time for a whole upload to arrive, and for its next bytes. */
export const UPLOAD_MS = 150_000
export const UPLOAD_IDLE_MS = 10_000

const timedOut = () => fault('request.timeout', { message: 'The body did not arrive in time.' })
const cutOff = () => fault('request.malformed', { message: 'The body was cut off.' })

/**
 * Hands every chunk of the body to `take`, and waits where it returns a promise, which must not reject. Throws what `take` throws,
 * request.timeout, and request.malformed for a body that is cut off. By events and not by iteration, which would keep the rest of
 * a refused body from being read.
 */
export function receiveChunks(
  request: IncomingMessage,
  late: AbortSignal,
  take: (chunk: Buffer) => Promise<void> | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    const settle = (settled: () => void) => {
      isSettled = true
      clearTimeout(idle)
      late.removeEventListener('abort', refuse)
      request.off('data', receive).off('end', end).off('close', close).off('error', close)
      settled()
    }
    const fail = (reason: unknown) => settle(() => reject(reason))
    const refuse = () => fail(timedOut())
    const close = () => fail(cutOff())
    const end = () => settle(resolve)
    // What waits for the one who takes is not idle.
    const idle = setTimeout(() => (request.isPaused() ? idle.refresh() : refuse()), UPLOAD_IDLE_MS)
    const goOn = () => {
      if (isSettled) return
      idle.refresh()
      request.resume()
    }
    const receive = (chunk: Buffer) => {
      idle.refresh()
      try {
        const taken = take(chunk)
        if (taken === null) return
        request.pause()
        void taken.then(goOn)
      } catch (error) {
        fail(error)
      }
    }
    // A connection that was closed earlier emits no further event.
    if (request.destroyed) return close()
    late.addEventListener('abort', refuse)
    request.on('data', receive).on('end', end).on('close', close).on('error', close)
  })
}

/** What arrives, unless it is too late before. Throws request.timeout. */
export async function unless<T>(late: AbortSignal, arrival: Promise<T>): Promise<T> {
  if (late.aborted) throw timedOut()
  const { promise, reject } = Promise.withResolvers<never>()
  const refuse = () => reject(timedOut())
  late.addEventListener('abort', refuse)
  try {
    return await Promise.race([arrival, promise])
  } finally {
    late.removeEventListener('abort', refuse)
  }
}
