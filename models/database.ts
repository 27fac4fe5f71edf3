// The connection to PostgreSQL: Sequelize's pool, prepared statements, pipelined round trips, and transactions.
import pg from 'pg'
import { Sequelize } from 'sequelize'
import type { BoundStatement, Connection, Statement } from './connection.ts'
import { readInPortions } from './cursor.ts'
import { answersTo, type Results, type SentStatement } from './round-trip.ts'
import { isStale, schemaChanges } from './stale-statements.ts'
import { isServersAnswer, openTransaction, rowsOf, type Query, type Transaction } from './transaction.ts'

const INT8 = 20
const DATE = 1082
// Money columns are bigint, and a calendar date has no time zone: neither may pass through a float or a Date.
pg.types.setTypeParser(INT8, BigInt)
pg.types.setTypeParser(DATE, (text) => text)

// Sends each query at once, without waiting for the answers to the queries before it.
class PipelinedClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super({ ...config, pipeline: true })
  }
}

const BEGIN_SNAPSHOT = { name: 'begin snapshot', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }

// Far more statements than the service has.
const MAX_STATEMENTS = 1_000

export interface Database extends Connection {
  /**
   * Runs work between BEGIN and COMMIT on one connection; whatever it throws rolls everything back. Work is run once more on
   * another connection when a migration has changed what its statements return, so it may have no effect but its statements.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Reads a statement's rows, `rowsAtOnce` at a time, all from one snapshot. Its connection is given back after the last
   * portion, or when the reader calls `return`. Aborting `over` breaks the read off, also in the middle of a statement.
   */
  portions<Row>(statement: BoundStatement, rowsAtOnce: number, over?: AbortSignal): AsyncGenerator<Row[], void>
  /** As runAll, but all statements see what was committed before the first of them began. */
  snapshot(statements: BoundStatement[]): Promise<unknown[][]>
  /** Like run, but not counted in roundTrips: for measuring, and for what is written beside the calls. */
  observe<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
  /** Round trips to the server since the start, for the metrics and the bench. */
  roundTrips(): number
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  pool: number
  /** Shown by pg_stat_activity. */
  name: string
  /** How long to wait for an answer; DATABASE_WAITS_MS.answer by default, without limit where it is 0. */
  answerMs?: number
  /** Called when a statement or transaction begins to wait for its connection; what it returns, when the wait has ended. */
  onWait?(): () => void
}

/**
 * Time limits: for a connection of the pool, for a new one, for a statement, between the statements of a transaction, and
 * for a lock. A row is locked for one short transaction, so a long wait for it means that something is wrong: the wait ends
 * long before the statement's limit, and openBooks tries again. A server that has disappeared enforces none of these, so a
 * connection whose answer is later than `answer` is closed.
 */
export const DATABASE_WAITS_MS = {
  acquire: 10_000,
  connect: 5_000,
  statement: 60_000,
  idleInTransaction: 60_000,
  lock: 10_000,
  answer: 75_000,
}

const CONNECTION = {
  keepAlive: true,
  connectionTimeoutMillis: DATABASE_WAITS_MS.connect,
  statement_timeout: DATABASE_WAITS_MS.statement,
  lock_timeout: DATABASE_WAITS_MS.lock,
  idle_in_transaction_session_timeout: DATABASE_WAITS_MS.idleInTransaction,
}

/** Opens the pool; no connection is made before the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, pool, name, answerMs = DATABASE_WAITS_MS.answer, onWait = () => () => undefined } = options
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    dialectModule: { Client: PipelinedClient, types: pg.types },
    logging: false,
    pool: { max: pool, min: 0, acquire: DATABASE_WAITS_MS.acquire, idle: 60_000 },
    dialectOptions: { ...CONNECTION, application_name: name, query_timeout: answerMs },
  })
  let trips = 0
  const changes = schemaChanges()

  // Sends queries in one round trip: they are written to the socket together, and their answers arrive together.
  async function sendTogether(client: pg.Client, queries: SentStatement[]): Promise<Results> {
    trips += 1
    return uncounted(client, queries)
  }

  async function uncounted(client: pg.Client, queries: SentStatement[]): Promise<Results> {
    const results = await answersTo(client, queries)
    if (results.some(isStale)) changes.noteStale(client)
    return results
  }

  async function together<Row>(client: pg.Client, queries: SentStatement[]): Promise<Row[][]> {
    const settled = await sendTogether(client, queries)
    return settled.map((answer) => rowsOf(answer) as Row[])
  }

  async function borrow(): Promise<pg.Client> {
    const hasWaited = onWait()
    try {
      for (;;) {
        const client = (await sequelize.connectionManager.getConnection({ type: 'write' })) as pg.Client
        if (!changes.isBefore(client)) return client
        await discard(client)
      }
    } finally {
      hasWaited()
    }
  }

  function giveBack(client: pg.Client): void {
    if (changes.isBefore(client)) void discard(client)
    else sequelize.connectionManager.releaseConnection(client)
  }

  const lent = <T>(work: (client: pg.Client) => Promise<T>) => changes.survived(() => lentOnce(work))

  async function lentOnce<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await borrow()
    try {
      const result = await work(client)
      giveBack(client)
      return result
    } catch (error) {
      // A connection that is lost may not be known as such yet.
      if (isServersAnswer(error)) giveBack(client)
      else await discard(client)
      throw error
    }
  }

  // A connection that failed in the middle of its work is closed, and never used again.
  async function discard(client: pg.Client): Promise<void> {
    await sequelize.connectionManager.destroyConnection(client).catch(() => undefined)
  }

  // A connection keeps every statement that it has prepared, so statements beyond a limit are sent without a name.
  const names = new Set<string>()
  const prepared = ({ name, text }: Statement, values: readonly unknown[]) => {
    if (names.size < MAX_STATEMENTS) names.add(name)
    return names.has(name) ? { name, text, values } : { text, values }
  }
  const sendable = (query: Query) => (typeof query === 'string' ? { name: query, text: query } : prepared(...query))

  async function transactOnce<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await borrow()
    const transaction = openTransaction((queries) => sendTogether(client, queries.map(sendable)))
    try {
      const result = await work(transaction)
      await transaction.commit()
      giveBack(client)
      return result
    } catch (error) {
      // After a failed last statement the server has rolled back already; a second ROLLBACK does no harm.
      if (!transaction.hasBegun()) giveBack(client)
      else
        await together(client, [sendable('ROLLBACK')]).then(
          () => giveBack(client),
          () => discard(client),
        )
      throw error
    }
  }

  return {
    roundTrips: () => trips,
    close: () => sequelize.close(),

    run: <Row>(statement: Statement, values: readonly unknown[]) =>
      lent(async (client) => (await together<Row>(client, [prepared(statement, values)]))[0]!),
    observe: <Row>(statement: Statement, values: readonly unknown[]) =>
      lent(async (client) => rowsOf((await uncounted(client, [prepared(statement, values)]))[0]!) as Row[]),
    runBoth: <A, B>(first: BoundStatement, second: BoundStatement) =>
      lent(async (client) => (await together(client, [prepared(...first), prepared(...second)])) as [A[], B[]]),

    runAll: (statements) => lent((client) => together<unknown>(client, statements.map(sendable))),

    // After a statement that fails, the COMMIT behind it is not run.
    snapshot: (statements) =>
      lent(async (client) => {
        try {
          const all = await together<unknown>(client, [BEGIN_SNAPSHOT, ...statements.map(sendable), sendable('COMMIT')])
          return all.slice(1, -1)
        } catch (error) {
          await together(client, [sendable('ROLLBACK')]).catch(() => undefined)
          throw error
        }
      }),

    transaction: (work) => changes.survived(() => transactOnce(work)),

    portions: <Row>(statement: BoundStatement, rowsAtOnce: number, over?: AbortSignal) =>
      readInPortions<Row>({ borrow, together, giveBack, discard }, statement, rowsAtOnce, over),
  }
}
