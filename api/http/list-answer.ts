// Answers a list whose rows may be large: whole where it is of ordinary size, from there on at the reader's pace.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { openedAt, type Reply } from './envelope.ts'
import type { ServerContext } from './server-context.ts'
import { Rendered } from './rendered.ts'
import type { Listed } from './route.ts'
import { ownerOf } from './shares.ts'
import { CALLER_GONE, holdUntil, untilGone } from './stream.ts'
import { inPlace } from './writing.ts'

// How many rows are shown at first, while it is not known how large they are, and then how many characters they aim at.
const FIRST_ROWS = 2
/** How many characters a portion of a list aims at. */
export const PORTION = 512 * 1024
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

async function* portionsOf(
  rows: unknown[],
  first: number,
  show: (rows: unknown[]) => Promise<unknown[]>,
): AsyncGenerator<string, void> {
  let count = first
  for (let place = 0; place < rows.length; ) {
    const portion = rows.slice(place, place + count)
    const text = await textShown(portion, show)
    place += portion.length
    if (text === '') continue
    yield text
    count = Math.max(1, Math.floor((portion.length * PORTION) / text.length))
  }
}

// A generator that waits for its reader keeps all that it has names for: what is shown, many times its text, is not among it.
async function textShown(rows: unknown[], show: (rows: unknown[]) => Promise<unknown[]>): Promise<string> {
  const shown = await show(rows)
  return shown.map((row) => (row instanceof Rendered ? row.json : JSON.stringify(row))).join(',')
}

async function* from(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield first
  yield* rest
}
