// Sends several statements to PostgreSQL in one round trip and as one message: they are followed by a single Sync.
import pg from 'pg'
import utils from 'pg/lib/utils.js'

/** A statement with its values; prepared under its name, unless that is missing. */
export interface SentStatement {
  name?: string
  text: string
  values?: readonly unknown[]
}

/** The result of each statement, in their order. */
export type Results = PromiseSettledResult<unknown[]>[]

/** What the statement after a failed one gets: PostgreSQL has not run it. */
class Skipped extends Error {}

interface Field {
  name: string
  dataTypeID: number
}

/** The columns of a statement's rows, with the parsers of their text. */
interface Shape {
  names: string[]
  parsers: ((text: string) => unknown)[]
}

/** The part of the driver's connection that a round trip uses. */
interface Wire {
  /** The statements that were parsed, and those that were sent to be, by their names. */
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(statement: { name: string; text: string }): void
  bind(values: { statement: string; values: readonly unknown[] }): void
  describe(portal: { type: 'P'; name: string }): void
  execute(portal: object): void
  sync(): void
}

// After one of these the transaction has ended, whatever follows.
const ENDS = ['', 'COMMIT', 'ROLLBACK']

// The columns of the statements that a connection has prepared, so that it describes them once.
const described = new WeakMap<object, Map<string, Shape>>()

const DriverQuery = pg.Query as unknown as new (config: {
  text: string
}) => {
  _result: { _types: { getTypeParser(oid: number, format: 'text'): (text: string) => unknown } }
  callback: (error: Error | null) => void
}

/** Sends statements and returns their results. */
export async function answersTo(client: pg.Client, statements: readonly SentStatement[]): Promise<Results> {
  const results = await new Promise<Results>((resolve) => {
    const trip = new RoundTrip(statements, () => resolve(trip.results))
    const { stream } = client.connection
    stream.cork()
    client.query(trip as unknown as pg.Submittable)
    stream.uncork()
  })
  // The driver's own stack begins at its socket.
  for (const result of results) if (result.status === 'rejected') Error.captureStackTrace(result.reason as Error)
  return results
}

/**
 * The statements of one round trip, as one query of the driver. PostgreSQL runs them in their order, each in a snapshot of
 * its own; after one that fails it runs none of the others.
 */
class RoundTrip extends DriverQuery {
  readonly results: Results = []
  #statements: { name: string; text: string; values: unknown[] }[]
  #shape: Shape | null = null
  #rows: unknown[] = []
  #broken: unknown = null
  #shapes = new Map<string, Shape>()
  #submitted: Wire['submittedNamedStatements'] = {}

  constructor(statements: readonly SentStatement[], done: () => void) {
    super({ text: '' })
    this.#statements = statements.map(({ name = '', text, values = [] }) => ({
      name,
      text,
      values: values.map((value) => utils.prepareValue(value)),
    }))
    // The driver also calls this when the answer is late, and with an error when the connection is lost.
    this.callback = (error) => {
      if (error) this.#fail(error)
      done()
    }
    Object.defineProperties(this, {
      // The driver notes the statement that was parsed under these names.
      name: { get: () => this.#current?.name },
      text: { get: () => this.#current?.text },
    })
  }

  get #current() {
    return this.#statements[this.results.length]
  }

  submit(connection: Wire): null {
    const { parsedStatements, submittedNamedStatements } = connection
    this.#submitted = submittedNamedStatements
    const shapes = described.get(connection) ?? new Map<string, Shape>()
    described.set(connection, shapes)
    this.#shapes = shapes
    for (const { name, text, values } of this.#statements) {
      if (name === '' || (parsedStatements[name] ?? submittedNamedStatements[name]) !== text) {
        connection.parse({ name, text })
        if (name !== '') submittedNamedStatements[name] = text
      }
      connection.bind({ statement: name, values })
      if (!shapes.has(name)) connection.describe({ type: 'P', name: '' })
      connection.execute({})
    }
    connection.sync()
    return null
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this._result._types.getTypeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { names, parsers } = (this.#shape ??= this.#shapes.get(this.#current!.name)!)
    const row: Record<string, unknown> = {}
    try {
      for (let place = 0; place < names.length; place += 1) {
        const text = fields[place]!
        row[names[place]!] = text === null ? null : parsers[place]!(text)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#broken ??= error
    }
  }

  handleCommandComplete(): void {
    const { name } = this.#current!
    if (name !== '' && !this.#shapes.has(name)) this.#shapes.set(name, this.#shape ?? { names: [], parsers: [] })
    const [rows, broken] = [this.#rows, this.#broken]
    this.#rows = []
    this.#shape = this.#broken = null
    this.results.push(broken === null ? { status: 'fulfilled', value: rows } : { status: 'rejected', reason: broken })
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }

  #fail(error: Error): void {
    // PostgreSQL may refuse only at the Sync, which commits what is outside of a transaction.
    if (!this.#current && !ENDS.includes(this.#statements.at(-1)?.text ?? '')) this.results.pop()
    if (this.#current) this.results.push({ status: 'rejected', reason: error })
    while (this.#current) {
      delete this.#submitted[this.#current.name]
      const reason = new Skipped('an earlier statement has failed', { cause: error })
      this.results.push({ status: 'rejected', reason })
    }
  }
}
