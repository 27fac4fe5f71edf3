// `npm run reconcile`: starts or signals the workflow of every active recurring schedule, from the rows in PostgreSQL.
import { pino } from 'pino'
import { openEngine } from '../gateways/temporal/engine.ts'
import { openDatabase } from '../models/database.ts'
import { reconcileSchedules } from '../worker/schedule-signals.ts'
import { operatorSettings } from './operator-settings.ts'

const settings = operatorSettings()
const engine = openEngine({
  address: settings.temporalAddress,
  namespace: settings.temporalNamespace,
  queueSuffix: settings.temporalQueueSuffix,
  encryptionKey: settings.encryptionKey,
})
const connection = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi reconcile' })
try {
  const signalled = await reconcileSchedules({ connection, engine, log: pino(), clock: () => new Date() }, true)
  console.log(`${signalled} active schedules signalled.`)
} finally {
  await engine.close()
  await connection.close()
}
