// One transaction: BEGIN is sent with its first statement, COMMIT with its last, and preconditions with the next statement.
import pg from 'pg'
import type { BoundStatement, Connection, Statement } from './connection.ts'

/** A statement whose answer decides whether a transaction continues: `check` throws where it does not. */
export interface Precondition {
  statement: BoundStatement
  check(rows: readonly unknown[]): void
  /** True where the answer must be known before a statement that may wait for a lock is sent. */
  beforeLocks?: true
}

export interface Transaction extends Connection {
  /**
   * Sends a statement in the round trip of the next one, and checks its answer before the next one's is returned. What
   * `check` throws is thrown by the next statement and by every later one, so that nothing is committed unchecked.
   */
  require(precondition: Precondition): void
  /** Returns when everything required so far is answered and checked. */
  checked(): Promise<void>
  /**
   * Runs the last statement and commits, in one round trip, so the locks of the statement are released as soon as the
   * server has committed. When the statement fails, the COMMIT after it is not run.
   */
  runLast<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

/**
 * The connection was lost after the COMMIT had been sent and before its answer came: the transaction was committed, or it
 * was not. Its work must not be repeated as if nothing had been written.
 */
export class OutcomeUnknown extends Error {}

/** A statement with its values, or a command that begins or ends a transaction. */
export type Query = BoundStatement | 'BEGIN' | 'COMMIT' | 'ROLLBACK'

/** Sends queries in one round trip; returns the rows or the error of each, in their order. None is run after one that fails. */
export type SendTogether = (queries: Query[]) => Promise<PromiseSettledResult<unknown[]>[]>

/** A transaction under way, as the code that ends it sees it. */
export interface OpenTransaction extends Transaction {
  /** Commits, unless runLast has. */
  commit(): Promise<void>
  /** Whether BEGIN was sent: if not, there is nothing to roll back. */
  hasBegun(): boolean
}

export function openTransaction(send: SendTogether): OpenTransaction {
  let begun = false
  let committed = false
  let required: Precondition[] = []
  let refused: { error: unknown } | null = null

  async function sendAll(queries: Query[]): Promise<unknown[][]> {
    if (refused) throw refused.error
    const head = begun ? [] : ['BEGIN' as const]
    const preconditions = required
    begun = true
    required = []
    const settled = await send([...head, ...preconditions.map(({ statement: statements }) => statements), ...queries])
    const answers = settled.slice(head.length)
    if (head.length > 0) rowsOf(settled[0]!)
    try {
      preconditions.forEach(({ check }, place) => check(rowsOf(answers[place]!)))
    } catch (error) {
      refused = { error }
      throw error
    }
    return answers.slice(preconditions.length).map(rowsOf)
  }

  async function checked(): Promise<void> {
    if (refused) throw refused.error
    if (required.length > 0) await sendAll([])
  }

  // Preconditions with `beforeLocks` are checked before a statement that may wait for a lock is sent.
  async function clearFor(statements: BoundStatement[]): Promise<BoundStatement[]> {
    const mayWait = statements.some(([{ takesNoLock }]) => !takesNoLock)
    if (mayWait && required.some(({ beforeLocks }) => beforeLocks)) await checked()
    return statements
  }

  return {
    run: async <Row>(statement: Statement, values: readonly unknown[]) =>
      (await sendAll(await clearFor([[statement, values]])))[0] as Row[],
    runBoth: async <A, B>(first: BoundStatement, second: BoundStatement) =>
      (await sendAll(await clearFor([first, second]))) as [A[], B[]],
    runAll: async (statements) => sendAll(await clearFor(statements)),
    async runLast<Row>(statement: Statement, values: readonly unknown[]) {
      await checked()
      const [rows] = await sendAll([[statement, values], 'COMMIT']).catch(severed)
      committed = true
      return rows as Row[]
    },
    require: (precondition) => void required.push(precondition),
    checked,
    async commit() {
      await checked()
      if (begun && !committed) await sendAll(['COMMIT']).catch(severed)
    },
    hasBegun: () => begun,
  }
}

export function rowsOf(settled: PromiseSettledResult<unknown[]>): unknown[] {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** Whether the connection goes on after the error: class 57P is sent before the server closes the connection. */
export const isServersAnswer = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !error.code?.startsWith('57P')

// An error from the server is its answer to the commit.
function severed(error: unknown): never {
  if (isServersAnswer(error)) throw error
  throw new OutcomeUnknown('the connection was lost during the commit', { cause: error })
}
