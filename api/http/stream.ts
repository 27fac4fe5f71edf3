// An answer that is told while it is read: written at the reader's pace, and broken off where it cannot be ended well.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { opened, type Reply, type Rest } from './envelope.ts'
import type { FairShare } from './fair-share.ts'
import type { Streamed } from './route.ts'
import type { Shares } from './shares.ts'

// How long a reader may leave a portion unread, and how long the whole may take: a connection to the database waits for it.
export const PORTION_MS = 10_000
export const WHOLE_MS = 300_000
/** What the log has for an answer that the caller did not stay for; it is never sent. */
export const CALLER_GONE = 499

/** Begins to tell: whatever fails by now is thrown, and can still be answered. */
export async function begin(
  { socket }: IncomingMessage, { streams, calls }: Shares, owner: string, streaming: (over: AbortSignal) => Promise<Streamed>,
): Promise<Reply> {
  const over = untilGone(socket)
  try {
    // A stream keeps a connection of the pool, so it counts among the calls too; both places are left when it is over.
    for (const share of [streams, calls]) await holdUntil(over.signal, share, owner)
    const { answer, rows } = await streaming(over.signal)
    const { opening, closing } = opened(answer)
    return { status: 200, headers: {}, body: opening, rest: { texts: textsOf(rows), closing, over } }
  } catch (error) {
    if (over.signal.aborted) return { status: CALLER_GONE, headers: {}, body: '' }
    over.abort()
    throw error
  }
}

/** Takes a place and gives it back when `over` is aborted, be it in the moment between the grant and the going on. */
export async function holdUntil(over: AbortSignal, share: FairShare, owner: string): Promise<void> {
  const release = await share.take(owner, 1, over)
  if (over.aborted) release()
  over.throwIfAborted()
  over.addEventListener('abort', release, { once: true })
}

/** Aborted when the connection is gone; aborting it for another reason lets go of the connection. */
export function untilGone(socket: IncomingMessage['socket']): AbortController {
  const over = new AbortController()
  const goneAway = () => over.abort()
  socket.once('close', goneAway)
  over.signal.addEventListener('abort', () => socket.off('close', goneAway), { once: true })
  if (socket.destroyed) over.abort()
  return over
}

async function* textsOf(rows: AsyncIterable<unknown[]>): AsyncGenerator<string, void> {
  for await (const portion of rows) if (portion.length > 0) yield JSON.stringify(portion).slice(1, -1)
}

/**
 * Tells the answer to its end, and answers with the status for the log: 200, or how it was broken off. A broken answer
 * breaks its connection, so that nobody takes a part for the whole.
 */
export async function writeRows(
  response: ServerResponse, { status, headers, body }: Reply, { texts, closing, over }: Rest, onUnhandledError: (error: unknown) => void,
): Promise<number> {
  const overdue = setTimeout(() => over.abort(), WHOLE_MS)
  // What is written after the connection broke is told to nobody; that it broke is told to `over`.
  response.on('error', () => undefined)
  try {
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    response.write(body)
    let separator = ''
    for await (const text of texts) {
      await taken(response, over, () => response.write(separator + text), 'drain')
      separator = ','
    }
    await taken(response, over, () => response.end(closing) && response.writableFinished, 'finish')
    return status
  } catch (error) {
    response.destroy()
    if (over.signal.aborted) return CALLER_GONE
    onUnhandledError(error)
    return 500
  } finally {
    clearTimeout(overdue)
    over.abort()
  }
}

/** Gives back what the rows are read with, where none of them are wanted. */
export async function leave({ texts, over }: Rest): Promise<void> {
  try {
    // What has not begun cannot be left: the first portion is at hand.
    for await (const _text of texts) break
  } finally {
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
