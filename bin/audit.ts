// `npm run audit [-- --hledger [--org ID]]`: checks that the books are consistent, or prints them as an hledger journal.
import { pipeline } from 'node:stream/promises'
import { isId } from '../domain/ids.ts'
import { signOfRestore } from '../domain/restoration.ts'
import type { Connection } from '../models/connection.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { readMark } from '../gateways/storage/security-log.ts'
import { openDatabase } from '../models/database.ts'
import { restoreMarks } from '../models/restoration.ts'
import { audit } from '../audit/audit.ts'
import { heightOf, hledgerJournal, organizationsOf } from '../reports/hledger.ts'
import { databaseUrl } from './database-url.ts'
import { onOneLine } from './one-line.ts'
import { operatorStorage } from './operator-settings.ts'
import { optionsOf } from './options.ts'

const USAGE = 'Usage: npm run audit [-- --hledger [--org ID]]'

const values = optionsOf({ hledger: { type: 'boolean', default: false }, org: { type: 'string' } }, USAGE)
if (values.org !== undefined && !values.hledger) {
  console.error(USAGE)
  process.exit(2)
}

// All queries read one snapshot, so that the service may write in the meantime.
const SNAPSHOT = { name: 'one moment', text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' }
// The reader of the output may be slow, and the queries may take long.
const NO_TIMEOUTS = {
  name: 'no hurry',
  text: `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi audit', answerMs: 0 })
try {
  const sign = values.hledger ? null : await restoreSign()
  process.exitCode = await database.transaction(async (snapshot) => {
    await snapshot.run(SNAPSHOT, [])
    return values.hledger ? printLedger(snapshot, values.org ?? null) : printResult(snapshot, sign)
  })
} catch (error) {
  // The reader may close the pipe early: `npm run audit -- --hledger | head`.
  if ((error as { code?: string }).code !== 'EPIPE') throw error
} finally {
  await database.close()
}

async function printResult(snapshot: Connection, sign: string | null): Promise<0 | 1> {
  const wrong = await audit(snapshot)
  for (const line of wrong) console.error(onOneLine(line))
  if (sign !== null) wrong.push(sign)
  if (sign !== null) console.error(sign)
  if (wrong.length === 0) console.log('The books are in order.')
  return wrong.length === 0 ? 0 : 1
}

/** Why the database looks restored; null where it does not. Before the snapshot, which may be old when the audit ends. */
async function restoreSign(): Promise<string | null> {
  // A standby does not say where it is.
  const marks = await restoreMarks(database).catch(() => null)
  return marks && signOfRestore(marks, await seenAlive(marks.id))
}

/** When the service last ran on these books, by the blob store; null where none is configured, or it does not say. */
async function seenAlive(installation: string): Promise<Date | null> {
  const storage = operatorStorage()
  return (
    storage &&
    readMark(openBlobStore(storage), installation).catch((error: Error) => {
      console.error(`The blob store does not answer, so a restore is seen by the database alone (${causeOf(error)}).`)
      return null
    })
  )
}

function causeOf({ cause, message }: Error): string {
  return cause instanceof Error ? cause.message : message
}

/** Writes the whole ledger to stdout at the reader's pace. Without `orgId`, accounts are below the name of their organisation. */
async function printLedger(snapshot: Connection, orgId: string | null): Promise<0 | 1> {
  const organizations = orgId === null || isId(orgId) ? await organizationsOf(snapshot, orgId) : []
  if (orgId !== null && organizations.length === 0) {
    console.error('There is no such organisation.')
    return 1
  }
  await snapshot.run(NO_TIMEOUTS, [])
  await pipeline(
    async function* lines() {
      for (const organization of organizations)
        yield* hledgerJournal(snapshot, organization, orgId === null ? heightOf(organization) : '')
    },
    process.stdout,
    { end: false },
  )
  return 0
}
