// Scoped finders: rows of one table, always within one organisation.
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import type { Asked, Connection, Statement } from './database.ts'
import type { Table } from './table.ts'

/** Where a question is asked: a connection and the organisation that it is asked within. */
export interface Scope {
  connection: Connection
  orgId: string
}

// A shared lock lets others read and refer to the row, but not change it before the deed is committed.
export type Lock = 'FOR UPDATE' | 'FOR SHARE' | ''

/** The row with this id in the organisation, or null. A locked row stays as it is until the transaction ends. */
export async function findRow<Row extends object>(scope: Scope, table: Table<Row>, id: string, lock: Lock = ''): Promise<Row | null> {
  const [row] = await scope.connection.run<Row>(byId(table, lock), [scope.orgId, id])
  return row ?? null
}

/** As findRow, for an id as a caller sent it. Throws not_found.resource, in the words `There is no such <noun>.` */
export async function existingRow<Row extends object>(
  scope: Scope, table: Table<Row>, id: string, noun: string, lock: Lock = '',
): Promise<Row> {
  const row = isId(id) ? await findRow(scope, table, id, lock) : null
  if (!row) throw fault('not_found.resource', { message: `There is no such ${noun}.` })
  return row
}

/** The rows with these ids in the organisation, in no particular order. */
export async function findRows<Row extends object>(scope: Scope, table: Table<Row>, ids: string[]): Promise<Row[]> {
  if (ids.length === 0) return []
  return scope.connection.run<Row>(byIds(table), [scope.orgId, ids])
}

/** As findRows, each row locked until the transaction ends, one after the other in the order of their ids. */
export async function lockRows<Row extends object>(scope: Scope, table: Table<Row>, ids: string[]): Promise<Row[]> {
  if (ids.length === 0) return []
  return scope.connection.run<Row>(byIdsLocked(table), [scope.orgId, ids])
}

/** The question for the row with this id, to be asked together with another. */
export function askRow<Row extends object>(scope: Scope, table: Table<Row>, id: string, lock: Lock = ''): Asked {
  return [byId(table, lock), [scope.orgId, id]]
}

const statements = new Map<string, Statement>()

function prepared(name: string, text: () => string): Statement {
  let statement = statements.get(name)
  if (!statement) {
    const sql = text()
    statements.set(name, (statement = { name, text: sql, ...(/ FOR (UPDATE|SHARE)$/.test(sql) ? {} : { takesNoLock: true }) }))
  }
  return statement
}

const listOf = <Row>(table: Table<Row>) => [...table.columns, ...table.generated].join(', ')

function byId<Row>(table: Table<Row>, lock: Lock): Statement {
  return prepared(`find ${table.name} ${lock}`, () => `SELECT ${listOf(table)} FROM ${table.name} WHERE org_id = $1 AND id = $2 ${lock}`)
}

function byIds<Row>(table: Table<Row>): Statement {
  return prepared(`find all ${table.name}`, () => `SELECT ${listOf(table)} FROM ${table.name} WHERE org_id = $1 AND id = ANY ($2)`)
}

function byIdsLocked<Row>(table: Table<Row>): Statement {
  return prepared(`lock all ${table.name}`, () => (
    `SELECT ${listOf(table)} FROM ${table.name} WHERE org_id = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE`
  ))
}
