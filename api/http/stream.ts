// An answer that is told while it is read: written at the reader's pace, and broken off where it cannot be ended well.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fault } from '../../domain/faults.ts'
import { opened, type Reply, type Rest } from './envelope.ts'
import type { Streamed } from './route.ts'

// How long a reader may leave a portion unread, and how long the whole may take: a connection to the database waits for it.
const PORTION_MS = 10_000
const WHOLE_MS = 300_000
// How long a place is waited for.
const PLACE_SECONDS = 5

/** What the log has for an answer that the caller did not stay for; it is never sent. */
const CALLER_GONE = 499

/** The answers that may be told at once. Each keeps a connection of the pool, which has to be left to other calls too. */
export interface Places {
  /** Resolves with a place, which is left when `over` is aborted. Throws service.unavailable when there is none for too long. */
  take(over: AbortSignal): Promise<void>
}

export function createPlaces(most: number): Places {
  let free = most
  const waiting = new Set<() => void>()
  const leave = () => {
    free += 1
    const [next] = waiting
    next?.()
  }
  const wait = (over: AbortSignal) => new Promise<void>((resolve, reject) => {
    const settle = (settled: () => void) => () => {
      waiting.delete(called)
      clearTimeout(timer)
      over.removeEventListener('abort', gone)
      settled()
    }
    const called = settle(resolve)
    const gone = settle(() => reject(over.reason))
    const message = 'Too many long answers are being read; try again.'
    const timer = setTimeout(settle(() => reject(fault('service.unavailable', { message, retryAfter: PLACE_SECONDS }))), PLACE_SECONDS * 1000)
    waiting.add(called)
    over.addEventListener('abort', gone)
  })
  return {
    async take(over) {
      over.throwIfAborted()
      while (free === 0) await wait(over)
      free -= 1
      over.addEventListener('abort', leave, { once: true })
    },
  }
}

/** Begins to tell: whatever fails by now is thrown, and can still be answered. */
export async function begin(
  { socket }: IncomingMessage, places: Places, streaming: (over: AbortSignal) => Promise<Streamed>,
): Promise<Reply> {
  const over = new AbortController()
  const goneAway = () => over.abort()
  socket.once('close', goneAway)
  over.signal.addEventListener('abort', () => socket.off('close', goneAway), { once: true })
  try {
    if (socket.destroyed) over.abort()
    await places.take(over.signal)
    const { answer, rows } = await streaming(over.signal)
    const { opening, closing } = opened(answer)
    return { status: 200, headers: {}, body: opening, rest: { rows, closing, over } }
  } catch (error) {
    if (over.signal.aborted) return { status: CALLER_GONE, headers: {}, body: '' }
    over.abort()
    throw error
  }
}

/**
 * Tells the answer to its end, and answers with the status for the log: 200, or how it was broken off. A broken answer
 * breaks its connection, so that nobody takes a part for the whole.
 */
export async function tell(
  response: ServerResponse, { status, headers, body }: Reply, { rows, closing, over }: Rest, onMishap: (error: unknown) => void,
): Promise<number> {
  const overdue = setTimeout(() => over.abort(), WHOLE_MS)
  // What is written after the connection broke is told to nobody; that it broke is told to `over`.
  response.on('error', () => undefined)
  try {
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    response.write(body)
    let separator = ''
    for await (const portion of rows) {
      if (portion.length === 0) continue
      await taken(response, over, () => response.write(separator + JSON.stringify(portion).slice(1, -1)), 'drain')
      separator = ','
    }
    await taken(response, over, () => response.end(closing) && response.writableFinished, 'finish')
    return status
  } catch (error) {
    response.destroy()
    if (over.signal.aborted) return CALLER_GONE
    onMishap(error)
    return 500
  } finally {
    clearTimeout(overdue)
    over.abort()
  }
}

// Writes, and waits until it is taken: by the network, and where that is full by the reader.
async function taken(response: ServerResponse, over: AbortController, write: () => boolean, event: 'drain' | 'finish'): Promise<void> {
  over.signal.throwIfAborted()
  if (write()) return
  const impatience = setTimeout(() => over.abort(), PORTION_MS)
  try {
    await once(response, event, { signal: over.signal })
  } finally {
    clearTimeout(impatience)
  }
}
