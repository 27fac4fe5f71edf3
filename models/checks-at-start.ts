// What a process asks of its database before it serves: whether it knows the schema, and whether it has the right key.
import { setTimeout } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { unfitKey } from './installation.ts'
import { unfitSchema } from './schema-version.ts'

/** How long a process that starts waits for its database. */
const FIRST_ANSWER_MS = 2_000
const ASK_AGAIN_MS = 1_000

/**
 * Why a process must not run on the database, in one line; null where it may. It may start while its database is away: then
 * this is null, and `refuse` is called later, if the database answers and does not fit.
 */
export async function unfitAtStart(
  connection: Connection,
  encryptionKey: string,
  refuse: (why: string) => void,
): Promise<string | null> {
  const fits = async () => (await unfitSchema(connection)) ?? (await unfitKey(connection, encryptionKey))
  const ask = () => fits().catch(notGranted)
  const asked = ask().catch(() => undefined)
  const answer = await Promise.race([asked, setTimeout(FIRST_ANSWER_MS, undefined, { ref: false })])
  if (answer !== undefined) return answer
  void askAgain(ask, asked, refuse)
  return null
}

const INSUFFICIENT_PRIVILEGE = '42501'

function notGranted(error: Error & { code?: string }): string {
  if (error.code !== INSUFFICIENT_PRIVILEGE) throw error
  return `The role of DATABASE_URL may not use the tables (${error.message}): run npm run migrate as their owner, with this role as SERVICE_ROLE`
}

async function askAgain(
  ask: () => Promise<string | null>,
  first: Promise<string | null | undefined>,
  refuse: (why: string) => void,
): Promise<void> {
  let answer = await first
  while (answer === undefined) {
    await setTimeout(ASK_AGAIN_MS, undefined, { ref: false })
    answer = await ask().catch(() => undefined)
  }
  if (answer !== null) refuse(answer)
}
