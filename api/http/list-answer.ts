// Answers a list whose rows may be large: whole where it is of ordinary size, from there on at the reader's pace.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { openedAt, type Reply } from './envelope.ts'
import { FIRST_ROWS, portionsOf } from './render-in-portions.ts'
import type { ServerContext } from './server-context.ts'
import type { Listed } from './route.ts'
import { inPlace, ownerOf } from './concurrency-shares.ts'
import { CALLER_GONE, holdUntil, untilGone } from './stream.ts'

/** An answer of more characters than this is not held. */
const MAX_HELD = 1024 * 1024

/**
 * Each portion takes a place among the calls for as long as it is read from the database, none while its reader takes
 * it: a page of two hundred documents of five hundred lines costs no more memory than a few of them.
 */
export async function answerList(
  server: ServerContext,
  caller: Caller,
  { socket }: IncomingMessage,
  list: () => Promise<Listed>,
): Promise<Reply> {
  const { answer, key, rows, ready, show } = await inPlace(server, caller, list)
  const texts = portionsOf(rows, ready || FIRST_ROWS, (portion) => inPlace(server, caller, async () => show(portion)))
  const { opening, closing } = openedAt(answer, key)
  let held = ''
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    held += (held === '' ? '' : ',') + next.value
    if (held.length > MAX_HELD) return streamed()
  }
  return { status: 200, headers: {}, body: opening + held + closing }

  async function streamed(): Promise<Reply> {
    const over = untilGone(socket)
    try {
      await holdUntil(over.signal, server.shares.lists, ownerOf(caller))
      return { status: 200, headers: {}, body: opening, rest: { texts: from(held, texts), closing, over } }
    } catch (error) {
      if (over.signal.aborted) return { status: CALLER_GONE, headers: {}, body: '' }
      over.abort()
      throw error
    }
  }
}

async function* from(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield first
  yield* rest
}
