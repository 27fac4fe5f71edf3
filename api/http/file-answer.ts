// Answers that are files: waited for and sent at the reader's pace, while their organisation holds one of its share.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import type { FileBody, Reply } from './envelope.ts'
import type { FoundFile } from './route.ts'
import type { ServerContext } from './server-context.ts'
import { inPlace, ownerOf } from './concurrency-shares.ts'
import { CALLER_GONE, holdUntil, PORTION_MS, untilGone, WHOLE_MS } from './stream.ts'

const SLICE_BYTES = 64 * 1024

/** Gets a file. An error up to here is thrown, and can still be answered with its status. */
export async function answerFile(
  server: ServerContext,
  caller: Caller,
  { socket, headers: sent }: IncomingMessage,
  find: () => Promise<FoundFile>,
): Promise<Reply> {
  const over = untilGone(socket)
  try {
    await holdUntil(over.signal, server.shares.files, ownerOf(caller))
    const { tag, headers, get } = await inPlace(server, caller, find)
    const tagged: Record<string, string> = tag === null ? {} : { ETag: tag }
    if (tag !== null && isSeen(sent['if-none-match'], tag)) {
      return { status: 304, headers: { ...headers, ...tagged }, body: '', file: { content: null, over } }
    }
    const { content, headers: own } = await get(over.signal)
    const status = content === null ? 302 : 200
    return { status, headers: { ...tagged, ...own }, body: '', file: { content, over } }
  } catch (error) {
    if (over.signal.aborted) return { status: CALLER_GONE, headers: {}, body: '' }
    over.abort()
    throw error
  }
}

// Compared weakly (RFC 9110, section 13.1.2): `W/` makes no difference.
const isSeen = (seen: string | undefined, tag: string) =>
  seen?.split(',').some((each) => each.trim() === '*' || strong(each.trim()) === strong(tag)) ?? false
const strong = (tag: string) => tag.replace(/^W\//, '')

/**
 * Sends a file to its end, and returns the status for the log: that of the reply, 499 if the caller disconnected or stopped
 * reading, or 500 after an error. An incomplete file closes its connection: its reader misses bytes of the Content-Length.
 */
export async function writeFile(
  response: ServerResponse,
  { status, headers }: Reply,
  { content, over }: FileBody,
  { isHead, onUnhandledError }: { isHead: boolean; onUnhandledError: (error: unknown) => void },
): Promise<number> {
  const overdue = setTimeout(() => over.abort(), WHOLE_MS)
  // Errors of writes after the connection closed are ignored; `over` reports that it closed.
  response.on('error', () => undefined)
  try {
    response.writeHead(status, headers)
    if (!isHead) for await (const slice of slicesOf(content)) await written(response, over, slice)
    response.end()
    if (!response.writableFinished) await inTime(response, over, 'finish')
    return status
  } catch (error) {
    response.destroy()
    if (over.signal.aborted) return CALLER_GONE
    onUnhandledError(error)
    return 500
  } finally {
    clearTimeout(overdue)
    if (content !== null && !Buffer.isBuffer(content)) content.destroy()
    over.abort()
  }
}

async function* slicesOf(content: FileBody['content']): AsyncGenerator<Buffer, void> {
  if (content === null) return
  if (!Buffer.isBuffer(content)) return yield* content as AsyncIterable<Buffer>
  for (let from = 0; from < content.length; from += SLICE_BYTES) yield content.subarray(from, from + SLICE_BYTES)
}

async function written(response: ServerResponse, over: AbortController, slice: Buffer): Promise<void> {
  over.signal.throwIfAborted()
  if (!response.write(slice)) await inTime(response, over, 'drain')
}

// Until the reader has read enough, for as long as a reader may take for a portion.
async function inTime(response: ServerResponse, over: AbortController, event: 'drain' | 'finish'): Promise<void> {
  const timer = setTimeout(() => over.abort(), PORTION_MS)
  try {
    await once(response, event, { signal: over.signal })
  } finally {
    clearTimeout(timer)
  }
}
