// Keeps the rows of one write of every organisation in PostgreSQL, as specimens of which the floors write copies.
import type { Client } from 'pg'
import type { BookedWrite } from './writes.ts'

/**
 * Keeps the last such write of every organisation in the table `bench.<name>`: its rows in arrays, one for each table, and
 * the sequence that its document's number is from. The rows of a write are found by the id of its transaction (xmin).
 */
export async function keepSpecimens(client: Client, write: BookedWrite, parties: { orgId: string }[]): Promise<void> {
  const columns = write.writes.map(({ name }) => `${name} ${name}[] NOT NULL`).join(', ')
  await client.query(`
    CREATE SCHEMA IF NOT EXISTS bench;
    CREATE TABLE bench.${write.name} (no integer PRIMARY KEY, org_id uuid NOT NULL, sequence text, ${columns})`)
  const names = write.writes.map(({ name }) => name).join(', ')
  // Ids grow with time.
  const written = `t.org_id = $2 AND t.xmin = (SELECT xmin FROM ${write.document.name} WHERE org_id = $2 ORDER BY id DESC LIMIT 1)`
  const rows = write.writes.map(({ name }) => `ARRAY(SELECT t FROM ${name} AS t WHERE ${name === 'idempotent_answers' ? LAST_ANSWER : written})`)
  for (const [index, { orgId }] of parties.entries()) {
    await client.query(
      `INSERT INTO bench.${write.name} (no, org_id, sequence, ${names})
       SELECT $1, $2, (SELECT sequence FROM number_counters AS t WHERE ${written} AND sequence <> 'journal'), ${rows.join(', ')}`,
      [index + 1, orgId],
    )
  }
  const empty = write.writes.map(({ name }) => `cardinality(${name}) = 0`).join(' OR ')
  const { rows: [found] } = await client.query(`SELECT count(*)::integer AS count FROM bench.${write.name} WHERE ${empty}`)
  if (found.count > 0) throw new Error(`${found.count} specimens of ${write.name} lack the rows of a table`)
}

// The answer of a conversion is stored in a transaction of its own.
const LAST_ANSWER = 't.subject IN (SELECT id FROM tokens WHERE org_id = $2) ORDER BY t.created_time DESC LIMIT 1'

/** How many rows there are in each table of the write, and how often the existing rows that it changes were changed. */
export async function countRows(client: Client, write: BookedWrite): Promise<Record<string, number>> {
  const rows = write.writes.map(({ name }) => `(SELECT count(*) FROM ${name})::integer AS ${name}`)
  const changes = write.changes.filter(({ table }) => table.columns.includes('version'))
    .map(({ table: { name } }) => `(SELECT sum(version) FROM ${name})::integer AS "changes of ${name}"`)
  return (await client.query<Record<string, number>>(`SELECT ${[...rows, ...changes].join(', ')}`)).rows[0]!
}
