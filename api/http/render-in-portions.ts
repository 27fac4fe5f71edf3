// Shows rows as JSON a portion at a time, so that many large ones neither fill the memory nor keep other calls waiting.
import { openedAt, type Reply } from './envelope.ts'
import { Rendered } from './rendered.ts'
import type { InPortions } from './route.ts'

// How many rows are shown at first, while it is not known how large they are, and then how many characters they aim at.
export const FIRST_ROWS = 2
/** How many characters a portion of a list aims at. */
export const PORTION = 512 * 1024

/** The rows in portions of about PORTION characters: JSON without the list's brackets. */
export async function* portionsOf<Row>(
  rows: Row[],
  first: number,
  show: (rows: Row[]) => Promise<unknown[]>,
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
async function textShown<Row>(rows: Row[], show: (rows: Row[]) => Promise<unknown[]>): Promise<string> {
  const shown = await show(rows)
  return shown.map((row) => (row instanceof Rendered ? row.json : JSON.stringify(row))).join(',')
}

/** The reply with all portions. */
export async function joined({ answer, key, texts }: InPortions): Promise<Reply> {
  const { opening, closing } = openedAt(answer, key)
  const rows: string[] = []
  for await (const text of texts) rows.push(text)
  return { status: 200, headers: {}, body: `${opening}${rows.join(',')}${closing}` }
}
