// Counts sign-ins that fail, by keys such as an account and an address; the times are those of the last minutes alone.
import type { Connection, Statement } from './connection.ts'

/** How many sign-ins may fail under one key within this time (decisions §12). */
export const SIGN_IN_LIMIT = { most: 10, minutes: 15 }

/**
 * Counts a sign-in under every key before it is known whether it succeeds, so that many at once are counted too. Returns
 * null, or where a key has reached the limit the time at which the next is allowed; then nothing is counted.
 */
export async function countSignIn(connection: Connection, keys: string[], now: Date): Promise<Date | null> {
  const { most, minutes } = SIGN_IN_LIMIT
  await connection.run(REMOVE_OLD, [now, minutes])
  const [counted] = await connection.run<{ free: Date | null }>(COUNT, [keys, now, most, minutes])
  return counted!.free
}

/** Takes back what countSignIn has counted at this time, after a success. */
export async function forgetSignIn(connection: Connection, keys: string[], at: Date): Promise<void> {
  await connection.run(FORGET, [keys, at])
}

// More than one sign-in adds, so that the table holds no more than the sign-ins of the last minutes.
const REMOVE_OLD: Statement = {
  name: 'remove old sign-ins',
  text: `DELETE FROM sign_ins WHERE key IN (
    SELECT key FROM sign_ins WHERE last_time < $1::timestamptz - make_interval(mins => $2::integer)
    ORDER BY last_time LIMIT 20 FOR UPDATE SKIP LOCKED)`,
}
const COUNT: Statement = {
  name: 'count sign-in',
  text: 'SELECT count_sign_in($1::text[], $2, $3::integer, make_interval(mins => $4::integer)) AS free',
}
const FORGET: Statement = { name: 'forget sign-in', text: 'SELECT forget_sign_in($1::text[], $2)' }
