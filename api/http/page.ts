// Cursor pages on the wire: the query that asks for one, and the context that leads to the next.
import { Type, type TProperties } from 'typebox'
import { isDate, isInstant } from '../../domain/dates.ts'
import { fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import type { PageOf, Place } from '../../models/page.ts'

export const PER_PAGE = { default: 50, maximum: 200 }

const ORGANIZATION_ID = Type.Optional(Type.String({ description: 'The organisation of the token.' }))

/** The query of a list that has no pages. */
export function listQuery<Filters extends TProperties>(filters: Filters) {
  return Type.Object({ organization_id: ORGANIZATION_ID, ...filters })
}

/** The query of a cursor list with its own filters. */
export function pageQuery<Filters extends TProperties>(filters: Filters, maximum = PER_PAGE.maximum) {
  return Type.Object({
    organization_id: ORGANIZATION_ID,
    cursor: Type.Optional(Type.String({ description: '`page_context.next_cursor` of the page before.', maxLength: 200 })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum, default: PER_PAGE.default })),
    sort: Type.Optional(Type.Enum(['created_time', '-created_time'], { description: 'Oldest first, or newest first (the default).' })),
    ...filters,
  })
}

export const PageContext = Type.Object({
  per_page: Type.Integer(),
  has_more_page: Type.Boolean(),
  next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
})

interface PageQuery {
  cursor?: string
  per_page?: number
  sort?: string
}

/** What models/page.ts is asked for. Throws validation.invalid_value for a cursor that no page gave. */
export function pageRequest(query: PageQuery): { perPage: number; after: Place | null; ascending: boolean } {
  return {
    perPage: query.per_page ?? PER_PAGE.default,
    after: query.cursor === undefined ? null : placeOf(query.cursor),
    ascending: query.sort === 'created_time',
  }
}

/** `{per_page, has_more_page, next_cursor}`. */
export function pageContext(query: PageQuery, page: PageOf<object>) {
  return {
    per_page: query.per_page ?? PER_PAGE.default,
    has_more_page: page.hasMore,
    next_cursor: page.hasMore && page.end ? cursorOf(page.end) : null,
  }
}

function cursorOf({ time, id }: Place): string {
  return Buffer.from(`${time} ${id}`).toString('base64url')
}

function placeOf(cursor: string): Place {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  const known = isId(id) && (isInstant(time) || isDate(time)) && cursorOf({ time, id }) === cursor
  if (!known) throw fault('validation.invalid_value', { field: 'cursor', message: 'This cursor was not given by a page.' })
  return { time, id }
}
