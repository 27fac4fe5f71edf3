// Which marks of Temporal's namespaces the books know, and whose turn it is to take up what a lost Temporal remembered.
import type { BooksIdentity } from '../domain/namespace-mark.ts'
import type { Connection } from './connection.ts'
import { installationOf } from './installation.ts'

/** By what the books are known. */
export async function booksIdentity(connection: Connection): Promise<BooksIdentity> {
  const { id: installation } = await installationOf(connection)
  const [row] = await connection.run<{ database: string }>(DATABASE, [])
  return { installation, database: row!.database }
}

// A dump that is restored is another database or on another server. One that is recovered from its files, or promoted, is the same.
const DATABASE = {
  name: 'identity of the database',
  text: `SELECT format('%s/%s', s.system_identifier, d.oid) AS database
    FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database()`,
}

/** Notes a mark by its generation; the first one has nothing to take up unless `isLater`. Returns whether there is something to take up. */
export async function noteMark(connection: Connection, generation: string, isLater = false): Promise<boolean> {
  await connection.run(NOTE, [generation, isLater])
  const [row] = await connection.run<{ is_left: boolean }>(IS_LEFT, [generation])
  return row!.is_left
}

const NOTE = {
  name: 'note a mark',
  text: `INSERT INTO temporal_marks (generation, noted_time, taken_up_time)
    SELECT $1, clock_timestamp(), CASE WHEN $2 OR EXISTS (SELECT FROM temporal_marks) THEN NULL ELSE clock_timestamp() END
    ON CONFLICT DO NOTHING`,
}
const IS_LEFT = {
  name: 'is there something to take up',
  text: 'SELECT taken_up_time IS NULL AS is_left FROM temporal_marks WHERE generation = $1',
}

/** Takes the turn for half a minute, or keeps it. False where another process has it, or all is taken up. */
export async function takeTurn(connection: Connection, generation: string, worker: string): Promise<boolean> {
  return (await connection.run(TURN, [generation, worker])).length > 0
}

const TURN = {
  name: 'turn to take up',
  text: `UPDATE temporal_marks SET worker = $2, worker_until = clock_timestamp() + interval '30 seconds'
    WHERE generation = $1 AND taken_up_time IS NULL AND (worker = $2 OR worker IS NULL OR worker_until < clock_timestamp()) RETURNING 1`,
}

/** Notes that all is taken up. */
export async function endTakingUp(connection: Connection, generation: string): Promise<void> {
  await connection.run(END, [generation])
}

const END = {
  name: 'end taking up',
  text: 'UPDATE temporal_marks SET taken_up_time = clock_timestamp(), worker = NULL, worker_until = NULL WHERE generation = $1',
}
