// Whether a database was restored or promoted, and what is known of earlier restores.
import { SEQUENCE_JUMP, type LastRestore, type MarksOfDatabase } from '../domain/restoration.ts'
import type { Connection } from './connection.ts'

const known = new WeakMap<Connection, Promise<LastRestore>>()

/** As it was when this process first asked: the command runs before the processes start. */
export function lastRestore(connection: Connection): Promise<LastRestore> {
  let asked = known.get(connection)
  if (!asked) {
    asked = connection.run<LastRestore>(LAST, []).then(([row]) => row ?? { time: null, jump: 0 })
    known.set(connection, asked)
    asked.catch(() => known.delete(connection))
  }
  return asked
}

const LAST = {
  name: 'last restore',
  text: 'SELECT coalesce(restore_begun_time, restored_time) AS time, sequence_jump AS jump FROM installation',
  takesNoLock: true,
} as const

/** What the installation's row says of its server, and what that server says of itself. */
export interface RestoreMarks extends MarksOfDatabase {
  id: string
  restored_time: Date | null
}

/** Null where no process has run on the database yet. */
export async function restoreMarks(connection: Connection): Promise<RestoreMarks | null> {
  const [marks] = await connection.run<RestoreMarks>(MARKS, [])
  return marks ?? null
}

// A dump that is restored is another database or on another server; a recovery to a point in time, or a standby that is
// promoted, begins a new timeline, which the name of a file of the write-ahead log starts with.
const SERVER = `(SELECT format('%s/%s/%s', s.system_identifier, d.oid, left(pg_walfile_name(pg_current_wal_lsn()), 8))
  FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database())`
const MARKS = {
  name: 'restore marks',
  text: `SELECT id, server, ${SERVER} AS current, alive_time, restored_time, restore_begun_time FROM installation`,
}

/** Notes that the service is at work now, by the database's clock, and where, if that is not known yet. Returns the time. */
export async function noteAlive(connection: Connection): Promise<Date | null> {
  const [row] = await connection.run<{ alive_time: Date }>(ALIVE, [])
  return row?.alive_time ?? null
}

const ALIVE = {
  name: 'note that the service is alive',
  text: `UPDATE installation SET alive_time = clock_timestamp(), server = coalesce(server, ${SERVER}) RETURNING alive_time`,
}

/** Begins what follows a restore, or goes on with one that was broken off. Returns the time that it began. */
export async function beginRestore(connection: Connection, now: Date): Promise<Date> {
  const [row] = await connection.run<{ restore_begun_time: Date }>(BEGIN, [now, SEQUENCE_JUMP])
  return row!.restore_begun_time
}

const BEGIN = {
  name: 'begin after a restore',
  text: `UPDATE installation SET sequence_jump = sequence_jump + CASE WHEN restore_begun_time IS NULL THEN $2::integer ELSE 0 END,
      restore_begun_time = coalesce(restore_begun_time, greatest($1, clock_timestamp())) RETURNING restore_begun_time`,
}

/** Ends it: from now on the database is the one that the service runs on. */
export async function endRestore(connection: Connection): Promise<void> {
  await connection.run(END, [])
}

const END = {
  name: 'end after a restore',
  text: `UPDATE installation SET restored_time = coalesce(restore_begun_time, restored_time), restore_begun_time = NULL,
      server = ${SERVER}, alive_time = clock_timestamp()`,
}

/** Processes of the service that are connected to the database, as PostgreSQL names them. */
export async function connectedProcesses(connection: Connection): Promise<string[]> {
  const rows = await connection.run<{ name: string }>(CONNECTED, [])
  return rows.map(({ name }) => name)
}

const CONNECTED = {
  name: 'connected processes',
  text: `SELECT DISTINCT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^bahi (api|worker|listens)' ORDER BY 1`,
}
