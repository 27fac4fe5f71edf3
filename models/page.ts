// One page of a list: rows by time and id from where the last page ended, whatever was added meanwhile.
import pg from 'pg'
import { literal, type FindOptions } from 'sequelize'
import { allOf, everything, inSql, reachOf, type Condition } from './condition.ts'
import type { Connection, Statement } from './connection.ts'
import { findList, findListAbove, statementOfList, type Scope } from './find.ts'
import type { ModelOf } from './model.ts'

/** Where a page ended: the time and id of its last row. */
export interface Place {
  time: string
  id: string
}

export interface PageRequest {
  where?: Condition
  perPage: number
  after: Place | null
  /** Newest first unless ascending. */
  ascending?: boolean
  /** The column that the list is ordered by. */
  by?: string
}

export interface PageOf<Row> {
  rows: Row[]
  hasMore: boolean
  end: Place | null
}

/**
 * Reads one page of an organisation's rows by keyset: it costs the same on the first page and on the last. Needs an
 * index on (org_id[, filter], time DESC, id DESC), and for a range of another column a GiST index on (org_id, column, time).
 */
export async function pageOf<Row extends { org_id: string }>(
  scope: Scope,
  model: ModelOf<Row>,
  request: PageRequest,
): Promise<PageOf<Row>> {
  return pageFrom(await findList(scope, model, findingIn(request)), request)
}

/** The statement that pageOf sends, with other columns on request, to be sent together with others. It finds one row more than the page has. */
export const statementOfPage = <Row extends { org_id: string }>(
  scope: Scope,
  model: ModelOf<Row>,
  request: PageRequest,
  attributes?: FindOptions['attributes'],
): Promise<Statement> => statementOfList(scope, model, { ...findingIn(request), ...(attributes ? { attributes } : {}) })

/** As pageOf, for the models above organisations: `where` names whose rows they are. */
export async function pageAbove<Row extends object>(
  connection: Connection,
  model: ModelOf<Row>,
  request: PageRequest,
): Promise<PageOf<Row>> {
  return pageFrom(await findListAbove(connection, model, findingOf(request)), request)
}

/** The column that a list is ordered by unless asked. */
export const CREATED = 'created_time'

function findingIn(request: PageRequest): FindOptions {
  const { where = everything, by = CREATED } = request
  const { ranges, narrow } = reachOf(where)
  return !narrow && ranges.some((column) => column !== by) ? findingInRange(request) : findingOf(request)
}

function findingOf({ where = everything, perPage, after, ascending = false, by = CREATED }: PageRequest): FindOptions {
  const order = ascending ? 'ASC' : 'DESC'
  return {
    where: after ? allOf([where, beyond(by, ascending, after)]) : where,
    order: [
      [by, order],
      ['id', order],
    ],
    limit: perPage + 1,
  }
}

// Before and after all rows; near enough for their distance in microseconds to be exact as a float.
const EARLIEST = '1970-01-01T00:00:00Z'
const LATEST = '2200-01-01T00:00:00Z'

/**
 * The same rows in the same order, by their distance from a time before or after them all: so a GiST index finds those
 * in the range, wherever in the list they are. In the order of a B-tree all rows between the place and the range would
 * be read; that none is planned, the time is the expression of the GiST index.
 */
function findingInRange({
  where = everything,
  perPage,
  after,
  ascending = false,
  by = CREATED,
}: PageRequest): FindOptions {
  const time = inUtc(`"${by}"`)
  const distance = literal(`${time} <-> ${instant(ascending ? EARLIEST : LATEST)}`)
  return {
    where: after ? allOf([where, inSql(beyondInRange(time, ascending, after))]) : where,
    order: [
      [distance, 'ASC'],
      ['id', ascending ? 'ASC' : 'DESC'],
    ],
    limit: perPage + 1,
  }
}

const inUtc = (time: string) => `(${time} AT TIME ZONE 'UTC')`
const instant = (time: string) => inUtc(`${pg.escapeLiteral(time)}::timestamptz`)

// GiST does not compare two columns at once, so it is told first how far to go.
function beyondInRange(time: string, ascending: boolean, after: Place): string {
  const sign = ascending ? '>' : '<'
  return `${time} ${sign}= ${instant(after.time)} AND (${time}, "id") ${sign} (${instant(after.time)}, ${pg.escapeLiteral(after.id)})`
}

/** The page of the rows that the statement of a page has found. */
export function pageFrom<Row extends object>(found: Row[], { by = CREATED, perPage }: PageRequest): PageOf<Row> {
  const rows = found.slice(0, perPage)
  const last = rows.at(-1) as ({ id: string } & Record<string, unknown>) | undefined
  return { rows, hasMore: found.length > perPage, end: last ? { time: timeOf(last[by]), id: last.id } : null }
}

function beyond(by: string, ascending: boolean, { time, id }: Place): Condition {
  const place = `(${pg.escapeLiteral(time)}, ${pg.escapeLiteral(id)})`
  return inSql(`("${by}", "id") ${ascending ? '>' : '<'} ${place}`)
}

const timeOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
