// `npm run audit [-- --hledger [--org ID]]`: holds the books against their rules, or prints them for hledger to do so.
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { isId } from '../domain/ids.ts'
import type { Connection } from '../models/connection.ts'
import { openDatabase } from '../models/database.ts'
import { audit } from '../audit/audit.ts'
import { heightOf, hledgerJournal, organizationsOf } from '../reports/hledger.ts'
import { databaseUrl } from './database-url.ts'

const { values } = parseArgs({ options: { hledger: { type: 'boolean', default: false }, org: { type: 'string' } } })
if (values.org !== undefined && !values.hledger) {
  console.error('Usage: npm run audit [-- --hledger [--org ID]]')
  process.exit(2)
}

// All questions are about one moment, so that the books may be written in meanwhile.
const ONE_MOMENT = { name: 'one moment', text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' }
// Whoever reads the ledger may take his time, and so may the questions.
const NO_HURRY = {
  name: 'no hurry', text: `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
}

const database = openDatabase({ url: databaseUrl(), pool: 1, name: 'bahi audit', answerMs: 0 })
try {
  process.exitCode = await database.transaction(async (moment) => {
    await moment.run(ONE_MOMENT, [])
    return values.hledger ? printLedger(moment, values.org ?? null) : printVerdict(moment)
  })
} catch (error) {
  // Whoever reads may have had enough: `npm run audit -- --hledger | head`.
  if ((error as { code?: string }).code !== 'EPIPE') throw error
} finally {
  await database.close()
}

async function printVerdict(moment: Connection): Promise<0 | 1> {
  const wrong = await audit(moment)
  for (const line of wrong) console.error(line)
  if (wrong.length === 0) console.log('The books are in order.')
  return wrong.length === 0 ? 0 : 1
}

/** The whole ledger to stdout, no faster than it is read; of several organisations each beneath its own name. */
async function printLedger(moment: Connection, orgId: string | null): Promise<0 | 1> {
  const organizations = orgId === null || isId(orgId) ? await organizationsOf(moment, orgId) : []
  if (orgId !== null && organizations.length === 0) {
    console.error('There is no such organisation.')
    return 1
  }
  await moment.run(NO_HURRY, [])
  await pipeline(async function* told() {
    for (const organization of organizations) yield* hledgerJournal(moment, organization, orgId === null ? heightOf(organization) : '')
  }, process.stdout, { end: false })
  return 0
}
