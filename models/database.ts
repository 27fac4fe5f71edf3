// The connection to PostgreSQL: Sequelize's pool and models, prepared statements, and one transaction at a time.
import pg from 'pg'
import { Sequelize } from 'sequelize'
import { tables, type Table } from './table.ts'

const INT8 = 20
const DATE = 1082
// Money columns are bigint, and a calendar date has no time zone: neither may pass through a float or a Date.
pg.types.setTypeParser(INT8, BigInt)
pg.types.setTypeParser(DATE, (text) => text)

/** A statement that is prepared once on every connection, under its name. */
export interface Statement {
  name: string
  text: string
}

/** Whatever statements can be sent through: the pool for reading, one transaction for writing. */
export interface Connection {
  run<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

export interface Database extends Connection {
  sequelize: Sequelize
  /** Runs work between BEGIN and COMMIT on one connection; whatever it throws rolls everything back. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Round trips to the server since the start, for the metrics and the bench. */
  roundTrips(): number
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  pool: number
  /** Shown by pg_stat_activity. */
  name: string
}

/** Opens the pool (lazily: nothing is sent yet) and defines a Sequelize model for every declared table. */
export function openDatabase({ url, pool, name }: DatabaseOptions): Database {
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    logging: false,
    pool: { max: pool, min: 0, acquire: 10_000, idle: 60_000 },
    dialectOptions: {
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 60_000,
      idle_in_transaction_session_timeout: 60_000,
    },
  })
  for (const table of tables()) {
    sequelize.define(table.name, table.attributes, { tableName: table.name, timestamps: false })
  }
  let trips = 0

  async function send<Row>(client: pg.Client, text: string | pg.QueryConfig): Promise<Row[]> {
    trips += 1
    const result = await client.query(text as pg.QueryConfig)
    return result.rows as Row[]
  }

  async function borrow(): Promise<pg.Client> {
    return (await sequelize.connectionManager.getConnection({ type: 'write' })) as pg.Client
  }

  const giveBack = (client: pg.Client) => sequelize.connectionManager.releaseConnection(client)

  // A connection that broke in the middle of something is ended, never lent again.
  async function discard(client: pg.Client): Promise<void> {
    Object.assign(client, { _invalid: true })
    giveBack(client)
    await client.end().catch(() => undefined)
  }

  return {
    sequelize,
    roundTrips: () => trips,
    close: () => sequelize.close(),

    async run<Row>(statement: Statement, values: readonly unknown[]) {
      const client = await borrow()
      try {
        return await send<Row>(client, { ...statement, values: [...values] })
      } finally {
        giveBack(client)
      }
    },

    async transaction(work) {
      const client = await borrow()
      let result
      try {
        await send(client, 'BEGIN')
        result = await work({ run: (statement, values) => send(client, { ...statement, values: [...values] }) })
        await send(client, 'COMMIT')
      } catch (error) {
        await send(client, 'ROLLBACK').then(() => giveBack(client), () => discard(client))
        throw error
      }
      giveBack(client)
      return result
    },
  }
}

/** The Sequelize model of a declared table. */
export function modelOf<Row extends object>(database: Database, table: Table<Row>) {
  return database.sequelize.model(table.name)
}
