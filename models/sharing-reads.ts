// Lets the commands of one transaction share what they read: the same read is sent once.
import type { Statement } from './connection.ts'
import type { Transaction } from './transaction.ts'

type Reads = Map<string, Promise<unknown[]>>
const readsOf = new WeakMap<Transaction, Reads>()

/**
 * The transaction for one of several commands that read before any of them writes: a statement that takes no lock is sent
 * once for all that send it with the same values. They get the same rows, which they must not change.
 */
export function sharingReads(transaction: Transaction): Transaction {
  const reads: Reads = readsOf.get(transaction) ?? new Map<string, Promise<unknown[]>>()
  readsOf.set(transaction, reads)
  return {
    ...transaction,
    run<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      if (!statement.takesNoLock || statement.name === '') return transaction.run<Row>(statement, values)
      const key = JSON.stringify([statement.name, ...values])
      const earlier = reads.get(key)
      if (earlier !== undefined) return earlier as Promise<Row[]>
      const read = transaction.run<Row>(statement, values)
      reads.set(key, read)
      return read
    },
  }
}
