// One page of a list: rows by time and id from where the last page ended, whatever was added meanwhile.
import { literal, type WhereOptions } from 'sequelize'
import { allOf, condition, equalTo, everything, type Condition } from './condition.ts'
import { modelOf, type Database } from './database.ts'
import type { Table } from './table.ts'

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
 * index on (org_id[, filter], time DESC, id DESC).
 */
export async function pageOf<Row extends object>(
  scope: { database: Database; orgId: string }, table: Table<Row>, request: PageRequest,
): Promise<PageOf<Row>> {
  return pageWhere(scope.database, table, { ...request, where: allOf([equalTo('org_id', scope.orgId), request.where ?? everything]) })
}

/** As pageOf, for the tables above organisations: `where` names whose rows they are. */
export async function pageWhere<Row extends object>(database: Database, table: Table<Row>, request: PageRequest): Promise<PageOf<Row>> {
  const { by = 'created_time', ascending = false, after, perPage } = request
  const order = ascending ? 'ASC' : 'DESC'
  const beyond = after ? [condition(literal(keyset(database, by, ascending, after)) as unknown as WhereOptions)] : []
  const found = await modelOf(database, table).findAll({
    where: allOf([request.where ?? everything, ...beyond]),
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

function keyset(database: Database, by: string, ascending: boolean, { time, id }: Place): string {
  const { sequelize } = database
  return `("${by}", "id") ${ascending ? '>' : '<'} (${sequelize.escape(time)}, ${sequelize.escape(id)})`
}

const timeOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
