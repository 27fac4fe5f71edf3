// Cursor pages on the wire: the query that asks for one, and the context that leads to the next.
import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { fault } from '../../domain/faults.ts'
import type { PageOf, Place } from '../../models/page.ts'
import type { CursorScope } from './cursors.ts'
import type { RequestContext } from './route.ts'
import { ownerOf } from './shares.ts'

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
    cursor: Type.Optional(Type.String({ description: '`page_context.next_cursor` of the previous page.', maxLength: 200 })),
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

/** The query of a cursor list, as readQuery gives it: what is not of every page is a filter of the list. */
interface PageQuery {
  cursor?: string
  per_page?: number
  sort?: string
}

/** One page of a walk through a list: what models/page.ts is asked for, and the context that leads to the next page. */
export interface Paging {
  request: { perPage: number; after: Place | null; ascending: boolean }
  /** `{per_page, has_more_page, next_cursor}`. */
  contextOf(page: Pick<PageOf<object>, 'hasMore' | 'end'>): Static<typeof PageContext>
}

// Neither makes another list of it: the organisation is the token's own, and pages may be of any size.
const NO_FILTERS = new Set(['organization_id', 'cursor', 'per_page', 'sort'])

/**
 * The page that a query asks for. Throws validation.invalid_value for a cursor that was not given out by this list,
 * with these filters, in this order, to this caller (decisions §11).
 */
export function pagingOf({ caller, gateways: { cursors } }: RequestContext, list: string, shape: TObject, query: PageQuery): Paging {
  const { cursor, per_page: perPage = PER_PAGE.default, sort } = query
  const ascending = sort === 'created_time'
  const walk: CursorScope = { list, owner: ownerOf(caller), ascending, filters: filtersOf(shape, query) }
  const after = cursor === undefined ? null : cursors.read(walk, cursor)
  if (cursor !== undefined && !after) {
    throw fault('validation.invalid_value', {
      field: 'cursor', message: 'This cursor does not belong to this list with these filters and this order; start again without a cursor.',
    })
  }
  return {
    request: { perPage, after, ascending },
    contextOf: ({ hasMore, end }) => ({ per_page: perPage, has_more_page: hasMore, next_cursor: hasMore && end ? cursors.sign(walk, end) : null }),
  }
}

function filtersOf({ properties }: TObject, query: object): Record<string, unknown> {
  const byDefault = (name: string) => (properties[name] as { default?: unknown } | undefined)?.default
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => !NO_FILTERS.has(name) && value !== byDefault(name)))
}
