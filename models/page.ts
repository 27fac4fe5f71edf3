// One page of a list: rows by time and id from where the last page ended, whatever was added meanwhile.
import { literal, Op, where, type WhereOptions } from 'sequelize'
import { isId } from '../domain/ids.ts'
import { modelOf, type Database } from './database.ts'
import type { Table } from './table.ts'

/** Where a page ended: the time and id of its last row. */
export interface Place {
  time: string
  id: string
}

export interface PageRequest {
  where?: WhereOptions
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
 * index on (org_id[, filter], time DESC, id DESC).
 */
export async function pageOf<Row extends object>(
  scope: { database: Database; orgId: string }, table: Table<Row>, request: PageRequest,
): Promise<PageOf<Row>> {
  return pageWhere(scope.database, table, { ...request, where: { [Op.and]: [{ org_id: scope.orgId }, request.where ?? {}] } })
}

/** As pageOf, for the tables above organisations: `where` names whose rows they are. */
export async function pageWhere<Row extends object>(database: Database, table: Table<Row>, request: PageRequest): Promise<PageOf<Row>> {
  const { by = 'created_time', ascending = false, after, perPage } = request
  const order = ascending ? 'ASC' : 'DESC'
  const beyond = after ? [literal(keyset(database, by, ascending, after))] : []
  const found = await modelOf(database, table).findAll({
    where: { [Op.and]: [request.where ?? {}, ...beyond] },
    order: [[by, order], ['id', order]],
    limit: perPage + 1,
    raw: true,
  }) as unknown as Row[]
  const rows = found.slice(0, perPage)
  const last = rows.at(-1) as { id: string } & Record<string, unknown> | undefined
  return {
    rows,
    hasMore: found.length > perPage,
    end: last ? { time: timeOf(last[by]), id: last.id } : null,
  }
}

/** Equals an id; text that can be no id finds nothing. */
export function idFilter(column: string, id: string): WhereOptions {
  return isId(id) ? { [column]: id } : literal('false') as unknown as WhereOptions
}

/** The array `tags` has this id; text that can be no id finds nothing. Needs an index on the tags of the rows that have any. */
export function tagFilter(id: string): WhereOptions {
  if (!isId(id)) return literal('false') as unknown as WhereOptions
  return { tags: { [Op.and]: [{ [Op.ne]: [] }, { [Op.contains]: [id.toLowerCase()] }] } }
}

/** A case-insensitive substring of an indexed expression; `%`, `_` and `\\` in the text mean themselves. */
export function contains(expression: string, text: string): WhereOptions {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  // PostgreSQL itself makes small letters of the text: JavaScript's differ from its own for a few (İ, ẞ, Σ).
  return where(literal(expression), { [Op.iLike]: pattern })
}

function keyset(database: Database, by: string, ascending: boolean, { time, id }: Place): string {
  const { sequelize } = database
  return `("${by}", "id") ${ascending ? '>' : '<'} (${sequelize.escape(time)}, ${sequelize.escape(id)})`
}

const timeOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
