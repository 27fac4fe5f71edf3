// One page of a list: rows by time and id from where the last page ended, whatever was added meanwhile.
import pg from 'pg'
import type { FindOptions } from 'sequelize'
import { allOf, everything, inSql, type Condition } from './condition.ts'
import type { Connection } from './database.ts'
import { findList, findListAbove, type Scope } from './find.ts'
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
 * index on (org_id[, filter], time DESC, id DESC).
 */
export async function pageOf<Row extends { org_id: string }>(scope: Scope, model: ModelOf<Row>, request: PageRequest): Promise<PageOf<Row>> {
  return pageFrom(await findList(scope, model, findingOf(request)), request)
}

/** As pageOf, for the models above organisations: `where` names whose rows they are. */
export async function pageAbove<Row extends object>(connection: Connection, model: ModelOf<Row>, request: PageRequest): Promise<PageOf<Row>> {
  return pageFrom(await findListAbove(connection, model, findingOf(request)), request)
}

function findingOf({ where = everything, perPage, after, ascending = false, by = 'created_time' }: PageRequest): FindOptions {
  const order = ascending ? 'ASC' : 'DESC'
  return {
    where: after ? allOf([where, beyond(by, ascending, after)]) : where,
    order: [[by, order], ['id', order]],
    limit: perPage + 1,
  }
}

function pageFrom<Row extends object>(found: Row[], { by = 'created_time', perPage }: PageRequest): PageOf<Row> {
  const rows = found.slice(0, perPage)
  const last = rows.at(-1) as { id: string } & Record<string, unknown> | undefined
  return { rows, hasMore: found.length > perPage, end: last ? { time: timeOf(last[by]), id: last.id } : null }
}

function beyond(by: string, ascending: boolean, { time, id }: Place): Condition {
  const place = `(${pg.escapeLiteral(time)}, ${pg.escapeLiteral(id)})`
  return inSql(`("${by}", "id") ${ascending ? '>' : '<'} ${place}`)
}

const timeOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
