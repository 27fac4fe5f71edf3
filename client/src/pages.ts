// Reads a list page by page, as far as its reader goes.
import { InvalidAnswerError } from './errors.ts'

/** A list: its rows one by one, and with `answers()` its pages. */
export interface Pages<Answer, Row> extends AsyncIterable<Row> {
  /** Each page as it was answered, with its `page_context`. */
  answers(): AsyncIterable<Answer>
}

interface PageAnswer {
  page_context?: { has_more_page?: boolean; next_cursor?: string | null; page?: number }
}

/** The pages that `read` answers; it is given the query of each. */
export function pagesOf<Answer extends object, Row>(
  query: Record<string, unknown>,
  read: (query: Record<string, unknown>) => Promise<Answer>,
): Pages<Answer, Row> {
  const answers = () => eachAnswer(query, read)
  return {
    answers,
    async *[Symbol.asyncIterator]() {
      for await (const answer of answers()) yield* rowsOf<Row>(answer)
    },
  }
}

async function* eachAnswer<Answer extends object>(
  query: Record<string, unknown>,
  read: (query: Record<string, unknown>) => Promise<Answer>,
): AsyncGenerator<Answer, void, undefined> {
  const seen = new Set<unknown>()
  for (let next: Record<string, unknown> | null = query; next !== null; ) {
    const answer: Answer = await read(next)
    yield answer
    next = following(query, answer)
    if (next === null) continue
    const place = next.cursor ?? next.page
    if (seen.has(place)) throw endless(`the page ${place} comes again`)
    seen.add(place)
  }
}

/** The query of the next page, or null after the last. */
function following(query: Record<string, unknown>, answer: PageAnswer): Record<string, unknown> | null {
  const { has_more_page: hasMore, next_cursor: cursor, page } = answer.page_context ?? {}
  if (hasMore !== true) return null
  if (typeof cursor === 'string') return { ...query, cursor }
  if (typeof page === 'number') return { ...query, page: page + 1 }
  throw endless('there are more pages, and no cursor')
}

const endless = (why: string) =>
  new InvalidAnswerError(`The pages have no end: ${why}.`, { code: 'client.invalid_answer', status: 200 })

function rowsOf<Row>(answer: object): Row[] {
  return (Object.values(answer).find((value) => Array.isArray(value)) ?? []) as Row[]
}
