// A database, a worker on a queue of its own, and an organisation whose books announce events.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { startWorker, type RunningWorker } from '../../worker/worker.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { UnitOfWork } from '../../models/unit-of-work.ts'
import { seal } from '../../models/sealed.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from '../../models/webhook.ts'
import { readSettings } from '../../settings.ts'
import { asService, cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { workflowBundle } from './bundle.ts'
import './quiet.ts'
import { removeSchedules } from './schedules.ts'

export const SECRET = 'svc_whsec_of_the_stage'
const TEMPORAL_ADDRESS = process.env.TEST_TEMPORAL_ADDRESS ?? ''

export interface WorkflowSetup {
  database: Database
  engine: Engine
  orgId: string
  env: Record<string, string>
  /** Starts a worker in this process. */
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
  /** Starts a worker process that can be killed; resolves when it takes work. */
  spawnWorker(changes?: Record<string, string>): Promise<ChildProcess>
  addEndpoint(url: string, changes?: Partial<WebhookEndpointRow>): Promise<string>
  /** Books events in one transaction, as a command does, and wakes the relay; answers the entities' ids. */
  announce(count?: number): Promise<string[]>
  deliveries(): Promise<WebhookDeliveryRow[]>
  /** Resolves with the deliveries when all of them satisfy the condition; throws when that takes too long. */
  until(condition: (delivery: WebhookDeliveryRow) => boolean, withinMs?: number): Promise<WebhookDeliveryRow[]>
  attempts(deliveryId: string): Promise<WebhookAttemptRow[]>
  sql<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export async function openWorkflowSetup(settings: Record<string, string> = {}): Promise<WorkflowSetup> {
  const databaseUrl = await cloneDatabase()
  const env = {
    DATABASE_URL: asService(databaseUrl),
    DATABASE_POOL: '10',
    TEMPORAL_ADDRESS,
    TEMPORAL_QUEUE_SUFFIX: new URL(databaseUrl).pathname.slice(1).replace('_', ''),
    ENCRYPTION_KEY: process.env.TEST_ENCRYPTION_KEY ?? randomBytes(32).toString('base64'),
    PDF_WARM_UP: 'false',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    WORKFLOW_BUNDLE: await workflowBundle(),
    ...settings,
  }
  const database = openDatabase({ url: databaseUrl, pool: 5, name: 'stage' })
  const engine = openEngine({ address: TEMPORAL_ADDRESS, namespace: 'default', queueSuffix: env.TEMPORAL_QUEUE_SUFFIX, encryptionKey: env.ENCRYPTION_KEY })
  const children: ChildProcess[] = []
  let worker: RunningWorker | undefined

  const setup: WorkflowSetup = {
    database, engine, orgId: uuidv7(), env,

    async startWorker() {
      worker = await startWorker(readSettings(env), pino({ level: env.LOG_LEVEL }))
    },
    async stopWorker() {
      worker?.stop()
      await worker?.ended
      worker = undefined
    },
    async spawnWorker(changes = {}) {
      const child = await spawnWorker({ ...env, ...changes })
      children.push(child)
      return child
    },

    async addEndpoint(url, changes = {}) {
      const id = uuidv7()
      const row = { status: 'ENABLED', failing_since: null, ...changes }
      await setup.sql(
        `INSERT INTO webhook_endpoints (org_id, id, url, secret_sealed, events, status, failing_since, created_time, last_modified_time)
         VALUES ($1, $2, $3, $4, '{INVOICE_CREATED}', $5, $6, now(), now())`,
        setup.orgId, id, url, seal(env.ENCRYPTION_KEY, SECRET), row.status, row.failing_since,
      )
      return id
    },

    async announce(count = 1) {
      const unitOfWork = new UnitOfWork()
      const entities = Array.from({ length: count }, () => uuidv7())
      for (const entityId of entities) {
        const blank = `<delivery:${entityId}>`
        const data = { id: entityId, number: `INV-${entityId.slice(-4)} ₹` }
        unitOfWork.announcements.push({
          id: uuidv7(), event_type: 'INVOICE_CREATED', entity_type: 'INVOICE', entity_id: entityId, data,
          occurred_at: new Date(), payload: JSON.stringify({ event_type: 'INVOICE_CREATED', delivery_id: blank, data }), placeholder: blank,
        })
      }
      await database.transaction((connection) => unitOfWork.write(connection, setup.orgId))
      await setup.sql(`SELECT pg_notify('outbox', '')`)
      return entities
    },

    deliveries: () => setup.sql('SELECT * FROM webhook_deliveries ORDER BY created_time, id'),

    async until(condition, withinMs = 90_000) {
      const last = Date.now() + withinMs
      for (;;) {
        const deliveries = await setup.deliveries()
        if (deliveries.length > 0 && deliveries.every(condition)) return deliveries
        if (Date.now() > last) {
          const states = deliveries.map(({ status, attempts_made: made }) => `${status} after ${made}`)
          throw new Error(`not so within ${withinMs} ms: ${[...new Set(states)].join(', ')}`)
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },

    attempts: (deliveryId) =>
      setup.sql('SELECT * FROM webhook_attempts WHERE delivery_id = $1 ORDER BY series, attempt', deliveryId),

    sql: (text, ...values) => database.run({ name: text.slice(0, 60), text }, values),

    async close() {
      await setup.stopWorker()
      await Promise.all(children.map(kill))
      await engine.close()
      await removeSchedules(database, TEMPORAL_ADDRESS, env.TEMPORAL_QUEUE_SUFFIX)
      await database.close()
      await dropDatabase(databaseUrl)
    },
  }
  await setup.sql(
    `INSERT INTO organizations (id, name, state_code, status, currency_code, fiscal_year_start_month, time_zone, sandbox,
       preferences, created_time, last_modified_time)
     VALUES ($1, 'Stage', 'IN-KA', 'ACTIVE', 'INR', 4, 'Asia/Kolkata', false, '{}', now(), now())`,
    setup.orgId,
  )
  return setup
}
