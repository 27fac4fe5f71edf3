// Cursor pages: the query parameters of a page, and the `page_context` of its answer.
import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { fault } from '../../domain/faults.ts'
import type { PageOf, Place } from '../../models/page.ts'
import type { CursorScope } from './cursors.ts'
import type { RequestContext } from './route.ts'
import { ownerOf } from './concurrency-shares.ts'

export const PER_PAGE = { default: 50, maximum: 200 }

const ORGANIZATION_ID = Type.Optional(Type.String({ description: 'The organisation of the token.' }))

/** The query of a list without pages. */
export function listQuery<Filters extends TProperties>(filters: Filters) {
  return Type.Object({ organization_id: ORGANIZATION_ID, ...filters })
}

/** The query of a cursor list with these filters. */
export function pageQuery<Filters extends TProperties>(filters: Filters, maximum = PER_PAGE.maximum) {
  return Type.Object({
    organization_id: ORGANIZATION_ID,
    cursor: Type.Optional(
      Type.String({ description: '`page_context.next_cursor` of the previous page.', maxLength: 200 }),
    ),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum, default: PER_PAGE.default })),
    sort: Type.Optional(
      Type.Enum(['created_time', '-created_time'], { description: 'Oldest first, or newest first (the default).' }),
    ),
    ...filters,
  })
}

export const PageContext = Type.Object({
  per_page: Type.Integer(),
  has_more_page: Type.Boolean(),
  next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
})

/** The query of a cursor list, as readQuery returns it; all other properties are filters of the list. */
interface PageQuery {
  cursor?: string
  per_page?: number
  sort?: string
}

/** One page of a list: the request for models/page.ts, and the `page_context` with the cursor of the next page. */
export interface Paging {
  request: { perPage: number; after: Place | null; ascending: boolean }
  /** `{per_page, has_more_page, next_cursor}`. */
  contextOf(page: Pick<PageOf<object>, 'hasMore' | 'end'>): Static<typeof PageContext>
}

// Parameters that do not invalidate a cursor: the organisation is the token's own, and the page size may change.
const NO_FILTERS = new Set(['organization_id', 'cursor', 'per_page', 'sort'])

/**
 * The page that a query requests. Throws validation.invalid_value for a cursor that was not issued by this list, with
 * these filters, in this order, for this organisation or partner (decisions §11).
 */
export function pagingOf(
  { caller, gateways: { cursors } }: RequestContext,
  list: string,
  shape: TObject,
  query: PageQuery,
): Paging {
  const { cursor, per_page: perPage = PER_PAGE.default, sort } = query
  const ascending = sort === 'created_time'
  const scope: CursorScope = { list, owner: ownerOf(caller), ascending, filters: filtersOf(shape, query) }
  const after = cursor === undefined ? null : cursors.read(scope, cursor)
  if (cursor !== undefined && !after) throw foreignCursor()
  return {
    request: { perPage, after, ascending },
    contextOf: ({ hasMore, end }) => ({
      per_page: perPage,
      has_more_page: hasMore,
      next_cursor: hasMore && end ? cursors.sign(scope, end) : null,
    }),
  }
}

/** The Fault of a cursor that was not issued by this list, with these filters, in this order, for this owner. */
export const foreignCursor = () =>
  fault('validation.invalid_value', {
    field: 'cursor',
    message:
      'This cursor does not belong to this list with these filters and this order; start again without a cursor.',
  })

function filtersOf({ properties }: TObject, query: object): Record<string, unknown> {
  const byDefault = (name: string) => (properties[name] as { default?: unknown } | undefined)?.default
  return Object.fromEntries(
    Object.entries(query).filter(([name, value]) => !NO_FILTERS.has(name) && value !== byDefault(name)),
  )
}
