// Builds the statement that counts the rows that refer to a record, for the check before it is deleted.
import type { Statement } from './connection.ts'

/** Counts, by table, the rows of the organisation $1 whose column is $2. Each column has an index. */
export function countingReferences(name: string, references: Readonly<Record<string, string>>): Statement {
  const counts = Object.entries(references).map(
    ([table, column]) => `(SELECT count(*)::integer FROM ${table} WHERE org_id = $1 AND ${column} = $2) AS ${table}`,
  )
  return { name, text: `SELECT ${counts.join(', ')}` }
}
