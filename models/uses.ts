// The question how many rows refer to a record, asked before it is deleted.
import type { Statement } from './connection.ts'

/** Counts, table by table, the rows whose column is $2 in the organisation $1. Each column has an index. */
export function countingUses(name: string, references: Readonly<Record<string, string>>): Statement {
  const counts = Object.entries(references).map(([table, column]) => (
    `(SELECT count(*)::integer FROM ${table} WHERE org_id = $1 AND ${column} = $2) AS ${table}`
  ))
  return { name, text: `SELECT ${counts.join(', ')}` }
}
