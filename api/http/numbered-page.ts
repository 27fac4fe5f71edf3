// Pages by their number, of lists whose order changes between two pages, so that a cursor would have no meaning.
import { Type } from 'typebox'
import type { NumberedPage } from '../../models/recurring.ts'

/** The query of such a list. */
export const PAGES = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
}
/** Its `page_context`. */
export const NumberedPages = Type.Object({
  page: Type.Integer(),
  per_page: Type.Integer(),
  has_more_page: Type.Boolean(),
})

/** The page that a query asks for. */
export const pageIn = ({ page = 1, per_page: perPage = 50 }: { page?: number; per_page?: number }): NumberedPage => ({
  page,
  perPage,
})

/** The `page_context` of a page. */
export const contextOf = ({ page, perPage }: NumberedPage, hasMore: boolean) => ({
  page,
  per_page: perPage,
  has_more_page: hasMore,
})
