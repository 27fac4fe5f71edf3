// A cursor list is declared once: its table, its filters, and how its rows are shown.
import { Type, type TProperties, type TSchema } from 'typebox'
import { endOfDate, parseDocumentDate, parseInstant } from '../../domain/dates.ts'
import type { DocumentKind } from '../../domain/documents.ts'
import type { SettledKind } from '../../domain/lifecycle.ts'
import type { ScopeNeed } from '../../domain/scopes.ts'
import {
  allOf,
  contains,
  equalTo,
  everything,
  from,
  hasId,
  hasTag,
  not,
  to,
  type Condition,
} from '../../models/condition.ts'
import { overdueOn } from '../../models/overdue.ts'
import { pageOf, type PageRequest } from '../../models/page.ts'
import { wholePageOf, type Parts } from '../../models/whole-rows.ts'
import type { ModelOf } from '../../models/model.ts'
import { DocumentDate } from '../shapes/fields.ts'
import { PageContext, pageQuery, pagingOf, PER_PAGE } from './page.ts'
import { renderedPage, type ReadPage, type RenderedRow, type Rendering } from './cached-rows.ts'
import { route, type RequestContext, type Route } from './route.ts'
import { todayAt } from './today.ts'

/** A query parameter and what it asks of the rows. The column is of the parameter's name unless told. */
export interface Filter {
  schema: TSchema
  where(value: unknown, name: string, context: RequestContext): Condition
  /** True where leaving the parameter out asks something too; `value` is then undefined. */
  always?: true
}

/** The column is exactly this. */
export const equals = (schema: TSchema = Type.String({ description: 'Exact.' })): Filter => ({
  schema,
  where: (value, name) => equalTo(name, value),
})

/** The column is this id; text that can be no id finds nothing. */
export const sameId = (description?: string): Filter => ({
  schema: Type.String(description ? { description } : {}),
  where: (value, name) => hasId(name, String(value)),
})

/** The calendar date of the column is this one or later. */
export const dateFrom = (column = 'date'): Filter => ({
  schema: DocumentDate,
  where: (value) => from(column, parseDocumentDate(String(value))),
})

/** The calendar date of the column is this one or earlier. */
export const dateTo = (column = 'date'): Filter => ({
  schema: DocumentDate,
  where: (value) => to(column, parseDocumentDate(String(value))),
})

/** The rows that carry this cost center among their tags; an unknown one is carried by none. */
export const tagged = (): Filter => ({
  schema: Type.String({ description: 'A cost center in the tags.' }),
  where: (value) => hasTag(String(value)),
})

const instant = (description: string) => Type.String({ format: 'instant', description })

/** The time of the column is this instant or later. */
export const since = (column: string): Filter => ({
  schema: instant('At or after.'),
  where: (value) => from(column, parseInstant(String(value))),
})

/** The time of the column is this instant or earlier; a date alone means its whole day. */
export const until = (column: string): Filter => ({
  schema: instant('At or before.'),
  where: (value) => to(column, endOfDate(String(value))),
})

/** Only what is owed after its due date, or all else. */
export const overdue = (kind: SettledKind): Filter => ({
  schema: Type.Boolean({ description: 'true: only documents with a balance after their due date; false: all others.' }),
  where: (on, _name, context) => (on ? overdueOn(kind, todayAt(context)) : not(overdueOn(kind, todayAt(context)))),
})

/** The text is found in the indexed expression, whatever the case. */
export const within = (expression: string, description: string): Filter => ({
  schema: Type.String({ maxLength: 200, description }),
  where: (value) => contains(expression, String(value)),
})

type Listable = { org_id: string; id: string }

export interface Listing<Row extends Listable, Shown = Row> {
  path: string
  tag: string
  does: string
  scope: ScopeNeed
  /** The key of the rows in the answer. */
  key: string
  table: ModelOf<Row>
  filters: Record<string, Filter>
  /** What is asked of every row, whatever the query says. */
  where?: Condition
  /** The shape of one row as it is shown. */
  shape: TSchema
  /** Reads what the rows of a page are shown with, for all rows at once, where callers add it up: it has to be of one moment. */
  complete?(rows: Row[], context: RequestContext): Promise<Shown[]>
  /** What the rows are shown with, read in portions; several portions may be of different moments. */
  parts?: Parts<Row, Shown>
  /** For rows that are remembered as they are rendered: of the Rendering that the listing is declared with. */
  shownWith?: Rendering<never, never>['shownWith']
  kind?: DocumentKind
  /** Called once per portion of the page. */
  show(rows: Shown[], context: RequestContext): unknown[] | Promise<unknown[]>
  /** The column of modified_since; null where a row has no time of change. */
  modified?: string | null
  /** The column that the list is ordered by. */
  by?: string
  mostPerPage?: number
}

/** Declares the route of a list: filtered, by keyset, newest first unless asked (specification, "Pagination"). */
export function listing<Row extends Listable, Shown = Row>(list: Listing<Row, Shown>): Route {
  const { path, tag, does, scope, key, shape, by, mostPerPage = PER_PAGE.maximum } = list
  const filters: Record<string, Filter> = { ...modifiedSince(list.modified), ...list.filters }
  const shapeOfQuery = pageQuery(schemasOf(filters), mostPerPage)
  return route({
    method: 'GET',
    path,
    tag,
    does,
    scope,
    query: shapeOfQuery,
    answer: Type.Object({ [key]: Type.Array(shape), page_context: PageContext } as TProperties),
    async list(context, { query }) {
      const paging = pagingOf(context, path, shapeOfQuery, query)
      const where = allOf([list.where ?? everything, whereOf(filters, query, context)])
      const { end, hasMore, ...read } = await readPage(list, context, {
        ...paging.request,
        ...(by ? { by } : {}),
        where,
      })
      return { key, ...read, answer: { [key]: [], page_context: paging.contextOf({ end, hasMore }) } }
    },
  })
}

async function readPage<Row extends Listable, Shown>(
  list: Listing<Row, Shown>,
  context: RequestContext,
  request: PageRequest,
): Promise<ReadPage> {
  const { table, parts, complete, show, shownWith } = list
  if (!parts) {
    const { rows, ...rest } = await pageOf(context, table, request)
    return { ...rest, rows: (await complete?.(rows, context)) ?? rows, show: (some) => show(some as Shown[], context) }
  }
  if (shownWith) return renderedPage(context, list as unknown as Rendering<RenderedRow, Shown>, request)
  const { whole, ...page } = await wholePageOf(context, table, parts, request)
  return {
    ...page,
    ready: whole.length,
    // What is ready is shown first, and kept no longer.
    show: async (some) => show(whole.length > 0 ? whole.splice(0) : await parts.addTo(context, some as Row[]), context),
  }
}

/** The filter that every list has (decisions §4). */
export function modifiedSince(column: string | null = 'last_modified_time'): Record<string, Filter> {
  if (column === null) return {}
  const filter = since(column)
  return { modified_since: { ...filter, schema: instant('Only records changed at or after this instant.') } }
}

/** The filters as parameters of a query, each of which may be left out. */
export function schemasOf(filters: Record<string, Filter>): TProperties {
  return Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, Type.Optional(schema)]))
}

/** What the sent parameters, and those that always ask, ask of the rows together. */
export function whereOf(
  filters: Record<string, Filter>,
  query: Record<string, unknown>,
  context: RequestContext,
): Condition {
  const applied = Object.entries(filters).filter(([name, { always }]) => always || query[name] !== undefined)
  return allOf(applied.map(([name, { where }]) => where(query[name], name, context)))
}
