// Streamed answers: rows are sent at the reader's pace, and the connection is closed if the answer cannot be completed.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { opened, type Reply, type Rest } from './envelope.ts'
import type { FairShare } from './fair-share.ts'
import type { Streamed } from './route.ts'
import type { Shares } from './concurrency-shares.ts'

// How long a reader may leave a portion unread, and how long the whole stream may take: it holds a database connection.
export const PORTION_MS = 10_000
export const WHOLE_MS = 300_000
/** The status in the log for an answer whose caller disconnected; it is never sent. */
export const CALLER_GONE = 499

/** Begins a stream. An error up to here is thrown, and can still be answered with its status. */
export async function begin(
  { socket }: IncomingMessage,
  { streams, calls }: Shares,
  owner: string,
  streaming: (over: AbortSignal) => Promise<Streamed>,
): Promise<Reply> {
  const over = untilGone(socket)
  try {
    // A stream holds a database connection, so it counts as a call too; both shares are released when it ends.
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

/** Takes one of a share and releases it when `over` is aborted, also if that happens before this function resumes. */
export async function holdUntil(over: AbortSignal, share: FairShare, owner: string): Promise<void> {
  const release = await share.take(owner, 1, over)
  if (over.aborted) release()
  over.throwIfAborted()
  over.addEventListener('abort', release, { once: true })
}

/** A controller that is aborted when the socket closes. Aborting it for another reason removes its listener from the socket. */
export function untilGone(socket: IncomingMessage['socket']): AbortController {
  const over = new AbortController()
  const abort = () => over.abort()
  socket.once('close', abort)
  over.signal.addEventListener('abort', () => socket.off('close', abort), { once: true })
  if (socket.destroyed) over.abort()
  return over
}

async function* textsOf(rows: AsyncIterable<unknown[]>): AsyncGenerator<string, void> {
  for await (const portion of rows) if (portion.length > 0) yield JSON.stringify(portion).slice(1, -1)
}

/**
 * Sends the answer to its end, and returns the status for the log: that of the reply, 499 if the caller disconnected or stopped
 * reading, or 500 after an error. An incomplete answer closes its connection, so that the caller notices.
 */
export async function writeRows(
  response: ServerResponse,
  { status, headers, body }: Reply,
  { texts, closing, over }: Rest,
  onUnhandledError: (error: unknown) => void,
): Promise<number> {
  const overdue = setTimeout(() => over.abort(), WHOLE_MS)
  // Errors of writes after the connection closed are ignored; `over` reports that it closed.
  response.on('error', () => undefined)
  try {
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' })
    response.write(body)
    let separator = ''
    for await (const text of texts) {
      await writeAndWait(response, over, () => response.write(separator + text), 'drain')
      separator = ','
    }
    await writeAndWait(response, over, () => response.end(closing) && response.writableFinished, 'finish')
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

/** Ends a stream without sending it, and releases its database connection and its shares. */
export async function leave({ texts, over }: Rest): Promise<void> {
  try {
    // A generator runs its cleanup only if it was started, so the first portion is read.
    for await (const _text of texts) break
  } finally {
    over.abort()
  }
}

// Writes, and waits for `event` if the write is buffered: until the reader has read enough.
async function writeAndWait(
  response: ServerResponse,
  over: AbortController,
  write: () => boolean,
  event: 'drain' | 'finish',
): Promise<void> {
  over.signal.throwIfAborted()
  if (write()) return
  const timer = setTimeout(() => over.abort(), PORTION_MS)
  try {
    await once(response, event, { signal: over.signal })
  } finally {
    clearTimeout(timer)
  }
}
