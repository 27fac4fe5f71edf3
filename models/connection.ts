// What statements are sent through: a pool for reading, or one transaction for writing.

/** A statement that is prepared once on every connection, under its name; '' for one that is not prepared. */
export interface Statement {
  name: string
  text: string
  /** True where it only reads, and waits for no lock. */
  takesNoLock?: true
}

/** The pool for reading, or one transaction for writing. */
export interface Connection {
  run<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
  /** Runs two statements in one round trip; neither may need the other's answer. */
  runBoth<A, B>(first: BoundStatement, second: BoundStatement): Promise<[A[], B[]]>
  /** As runBoth, for any number of statements. Each sees what was committed before it began. */
  runAll(statements: BoundStatement[]): Promise<unknown[][]>
}

/** A statement and its values. */
export type BoundStatement = [statement: Statement, values: readonly unknown[]]
