// Finders: the only way to read the rows of a model, always within one organisation where the rows belong to one.
import { createHash } from 'node:crypto'
import { literal, Op, Transaction, type FindOptions } from 'sequelize'
import { notFound } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import type { BoundStatement, Connection, Statement } from './connection.ts'
import { sequelizeModelOf, type AnyModel, type ModelOf } from './model.ts'

/** What a finder reads from: a connection, and the organisation whose rows it may see. */
export interface Scope {
  connection: Connection
  orgId: string
}

type Owned = { org_id: string }

/** A parameter of a prepared statement, such as $2, with the type of its value. */
export type Parameter<Value> = ReturnType<typeof literal> & { readonly value?: Value }

/** Sequelize's options of findAll; `scope` is a named scope of the model. */
type Finding<Row extends object> = FindOptions<Row> & { scope?: string }

/** A prepared query of one model; only its values differ from call to call. */
export interface Finder<Queryable, Row extends object, Values extends unknown[]> {
  (queryable: Queryable, ...values: Values): Promise<Row[]>
  /** The first of the rows, or null. */
  first(queryable: Queryable, ...values: Values): Promise<Row | null>
  /** The statement and its values, to be sent together with another. */
  bound(queryable: Queryable, ...values: Values): BoundStatement
}

type Describe<Row extends object, Values extends unknown[]> = (
  ...parameters: { [Place in keyof Values]: Parameter<Values[Place]> }
) => Finding<Row>

/**
 * A finder of the rows that `describe` describes; `describe` gets one parameter for each value. Sequelize writes the SQL at
 * the first call; from then on it is a prepared statement.
 */
export function finder<Row extends Owned, Values extends unknown[] = []>(
  model: ModelOf<Row>,
  describe: Describe<Row, Values>,
): Finder<Scope, Row, Values> {
  const statement = once(() => written(model, describe as AnyDescribe, 'organization'))
  return finderBy(
    ({ connection }: Scope) => connection,
    ({ orgId }, ...values) => [statement(), [orgId, ...values]],
  )
}

/** Like finder, for the few models that belong to no organisation. */
export function finderAbove<Row extends object, Values extends unknown[] = []>(
  model: ModelOf<Row>,
  describe: Describe<Row, Values>,
): Finder<Connection, Row, Values> {
  const above = aboveOrganizations(model)
  const statement = once(() => written(above, describe as AnyDescribe))
  return finderBy(
    (connection: Connection) => connection,
    (_connection, ...values) => [statement(), values],
  )
}

function finderBy<Queryable, Row extends object, Values extends unknown[]>(
  connectionOf: (queryable: Queryable) => Connection,
  bound: (queryable: Queryable, ...values: Values) => BoundStatement,
): Finder<Queryable, Row, Values> {
  const find = async (queryable: Queryable, ...values: Values) =>
    connectionOf(queryable).run<Row>(...bound(queryable, ...values))
  return Object.assign(find, {
    bound: bound,
    first: async (queryable: Queryable, ...values: Values) => (await find(queryable, ...values))[0] ?? null,
  })
}

/** The rows of a list. Its filters differ from call to call, so Sequelize writes the SQL, and PostgreSQL plans it, each time. */
export async function findList<Row extends Owned>(
  scope: Scope,
  model: ModelOf<Row>,
  finding: FindOptions<Row>,
): Promise<Row[]> {
  return scope.connection.run(await statementOfList(scope, model, finding), [])
}

/** The statement of findList, to be sent together with others. */
export async function statementOfList<Row extends Owned>(
  { orgId }: Scope,
  model: ModelOf<Row>,
  finding: FindOptions<Row>,
): Promise<Statement> {
  let text = ''
  const keep = async (sql: string) => {
    text = sql
    return []
  }
  await runFinding(model, finding, keep, orgId)
  return { name: '', text }
}

/** Like findList, for the few models that belong to no organisation. */
export function findListAbove<Row extends object>(
  connection: Connection,
  model: ModelOf<Row>,
  finding: FindOptions<Row>,
): Promise<Row[]> {
  return runFinding(aboveOrganizations(model), finding, (text) => connection.run({ name: '', text }, []))
}

// FOR SHARE lets other transactions read and refer to the row, but not change it before this one ends.
export type Lock = 'FOR UPDATE' | 'FOR SHARE' | ''

/** The row with this id in the organisation, or null. A locked row stays as it is until the transaction ends. */
export async function findRow<Row extends Owned>(
  scope: Scope,
  model: ModelOf<Row>,
  id: string,
  lock: Lock = '',
): Promise<Row | null> {
  return findersOf(model).one[lock].first(scope, id)
}

/** Like findRow, for an id that a caller sent. Throws not_found.resource with the message `There is no such <noun>.` */
export async function existingRow<Row extends Owned>(
  scope: Scope,
  model: ModelOf<Row>,
  id: string,
  noun: string,
  lock: Lock = '',
): Promise<Row> {
  const row = isId(id) ? await findRow(scope, model, id, lock) : null
  if (!row) throw notFound(noun)
  return row
}

/** The rows with these ids in the organisation, in no particular order. */
export async function findRows<Row extends Owned>(scope: Scope, model: ModelOf<Row>, ids: string[]): Promise<Row[]> {
  return ids.length === 0 ? [] : findersOf(model).many(scope, ids)
}

/** Like findRows, with each row locked until the transaction ends. Rows are locked in the order of their ids. */
export async function lockRows<Row extends Owned>(scope: Scope, model: ModelOf<Row>, ids: string[]): Promise<Row[]> {
  return ids.length === 0 ? [] : findersOf(model).manyLocked(scope, ids)
}

/** The statement that finds the row with this id, to be sent together with another. */
export const queryRow = <Row extends Owned>(
  scope: Scope,
  model: ModelOf<Row>,
  id: string,
  lock: Lock = '',
): BoundStatement => findersOf(model).one[lock].bound(scope, id)

interface FindersById<Row extends Owned> {
  one: Record<Lock, Finder<Scope, Row, [string]>>
  many: Finder<Scope, Row, [string[]]>
  manyLocked: Finder<Scope, Row, [string[]]>
}

const byId = new Map<AnyModel, FindersById<Owned>>()

function findersOf<Row extends Owned>(model: ModelOf<Row>): FindersById<Row> {
  let made = byId.get(model)
  if (!made) byId.set(model, (made = findersById(model)))
  return made as FindersById<Row>
}

function findersById(model: ModelOf<Owned>): FindersById<Owned> {
  const one = (lock: FindOptions) =>
    finder<Owned, [string]>(model, (id) => ({ where: { id: is(id) }, ...lock }) as FindOptions)
  const many = (lock: FindOptions) =>
    finder<Owned, [string[]]>(model, (ids) => ({ where: { id: among(ids) }, ...lock }) as FindOptions)
  return {
    one: {
      '': one({}),
      'FOR UPDATE': one({ lock: Transaction.LOCK.UPDATE }),
      'FOR SHARE': one({ lock: Transaction.LOCK.SHARE }),
    },
    many: many({}),
    manyLocked: many({ order: ['id'], lock: Transaction.LOCK.UPDATE }),
  }
}

/** The column is the value of the parameter. */
export const is = <Value>(value: Parameter<Value>) => ({ [Op.eq]: value })

/** The column is one of the values of the parameter. */
export const among = <Value>(values: Parameter<Value[]>) => ({ [Op.any]: values })

type AnyDescribe = (...parameters: unknown[]) => Finding<object>

// Without hooks Sequelize writes its SQL before findAll returns.
function written(model: AnyModel, describe: AnyDescribe, owner?: 'organization'): Statement {
  const parameters = Array.from({ length: describe.length + 1 }, (_, place) => literal(`$${place + 1}`))
  const organization = owner && parameters.shift()
  const described = describe(...parameters)
  let text = ''
  void runFinding(
    model,
    described,
    async (sql) => {
      text = sql
      return []
    },
    organization,
  )
  const name = `${model.name} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  return { name, text, ...(described.lock ? {} : { takesNoLock: true }) }
}

function runFinding<Row extends object>(
  model: AnyModel,
  { scope, ...options }: Finding<Row>,
  send: (sql: string) => Promise<Row[]>,
  organization?: unknown,
): Promise<Row[]> {
  const scopes = [
    ...(organization ? [{ method: ['organization', organization] as [string, unknown] }] : []),
    ...(scope ? [scope] : []),
  ]
  const querying = { ...options, raw: true, hooks: false, send }
  return sequelizeModelOf(model)
    .scope(scopes)
    .findAll(querying as FindOptions) as unknown as Promise<Row[]>
}

function aboveOrganizations<Defined extends AnyModel>(model: Defined): Defined {
  if (model.columns.includes('org_id')) throw new Error(`${model.name} are only read within an organisation`)
  return model
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}
