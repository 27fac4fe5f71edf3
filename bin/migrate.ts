// `npm run migrate [-- --lock-seconds 2] [--wait-minutes 10]`: applies new migrations to the database, and grants SERVICE_ROLE what it needs.
import { IN_ALL_MS, LOCK_MS, migrate } from '../models/migrate.ts'
import { migrating } from './database-url.ts'
import { optionsOf } from './options.ts'

const USAGE = 'Usage: npm run migrate [-- --lock-seconds 2] [--wait-minutes 10]'
// The service waits ten seconds for a lock. Writes that wait behind the migration for less are not refused.
const MOST_LOCK_SECONDS = 8

const values = optionsOf({ 'lock-seconds': { type: 'string' }, 'wait-minutes': { type: 'string' } }, USAGE)
const lockMs = msOf(values['lock-seconds'], 1_000, LOCK_MS)
const inAllMs = msOf(values['wait-minutes'], 60_000, IN_ALL_MS)
if (!(lockMs >= 100 && lockMs <= MOST_LOCK_SECONDS * 1_000) || !(inAllMs >= 0)) {
  console.error(`${USAGE}; --lock-seconds are 0.1 to ${MOST_LOCK_SECONDS}`)
  process.exit(2)
}

const { url, service } = migrating()
const applied = await migrate(url, { lockMs, inAllMs, service, tell: console.log, onStep: console.log })
console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
if (service !== null) console.log(`${service.name} may do what the service does.`)

function msOf(text: string | undefined, unitMs: number, otherwise: number): number {
  return text === undefined ? otherwise : text === '' ? NaN : Number(text) * unitMs
}
