// `npm run reconcile`: starts or signals the workflow of every active recurring schedule, from the rows in PostgreSQL.
// With `--anew`, what Temporal keeps of schedules is ended and started anew, so that it is encrypted with the first key of ENCRYPTION_KEY.
import { pino } from 'pino'
import { openEngine } from '../gateways/temporal/engine.ts'
import { unfitPlace } from '../gateways/temporal/namespace-mark.ts'
import { openDatabase } from '../models/database.ts'
import { unfitKey } from '../models/installation.ts'
import { booksIdentity } from '../models/temporal-marks.ts'
import { temporalOf, tickPlanOf } from '../settings.ts'
import { reconcileSchedules, renewSchedules } from '../worker/schedule-signals.ts'
import { renewTemporalSchedules } from '../worker/scheduling.ts'
import { operatorSettings } from './operator-settings.ts'
import { optionsOf } from './options.ts'

const { anew } = optionsOf({ anew: { type: 'boolean', default: false } }, 'Usage: npm run reconcile [-- --anew]')
const settings = operatorSettings()
const place = temporalOf(settings)
const engine = openEngine(place)
const connection = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi reconcile' })
const dependencies = { connection, engine, log: pino(), clock: () => new Date() }
try {
  // What is started anew would be encrypted with a key that no worker of these books has.
  const wrongKey = await unfitKey(connection, settings.encryptionKey)
  const unfit = wrongKey ?? (await unfitPlace(engine, await booksIdentity(connection), place))
  if (unfit !== null) {
    console.error(unfit)
    process.exitCode = 1
  } else if (anew) {
    const started = await renewSchedules(dependencies, engine)
    const kept = await renewTemporalSchedules(connection, engine, tickPlanOf(settings))
    console.log(`${started} recurring schedules started anew, ${kept} schedules of Temporal written anew.`)
  } else {
    const signalled = await reconcileSchedules(dependencies, true)
    console.log(`${signalled} active schedules signalled.`)
  }
} finally {
  await engine.close()
  await connection.close()
}
