// A whole service for a test file: the API in this process, on a database cloned from a migrated template.
import { randomBytes, randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { BASE_PATH, createApi } from '../../api/server.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { hashOf, mintSecret, PREFIXES } from '../../models/token.ts'
import { audit } from '../../audit/audit.ts'
import { readSettings } from '../../settings.ts'
import { callAt, clientOf, type Answered, type CallOptions, type Client } from './client.ts'
import { cloneDatabase, dropDatabase } from './template.ts'
import type { TestWorker } from './worker.ts'

export interface TokenWanted {
  scopes?: string[]
  tier?: 'DEFAULT' | 'PARTNER'
  kind?: 'PAT' | 'OAUTH'
  userId?: string | null
  expires?: Date | null
  revoked?: Date | null
}

export interface Service {
  /** http://127.0.0.1:port */
  origin: string
  port: number
  env: Record<string, string>
  databaseUrl: string
  /** The API's own pool. */
  pool: Database
  /** Beside the API's own pool: what a test asks and changes directly. */
  database: Database
  partnerKey: string
  call(method: string, path: string, options?: CallOptions): Promise<Answered>
  /** Creates an organisation through POST /partner/organizations; `body` is added to a name. */
  organization(body?: Record<string, unknown>): Promise<Client>
  /** A token of the organisation, made by SQL: with scopes, tier and dates as wanted. */
  token(orgId: string, wanted?: TokenWanted): Promise<string>
  newPartnerKey(): Promise<string>
  sql<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]>
  /** Another API process's worth of API on the same database, in this process. */
  another(overrides?: Record<string, string>): Promise<{ origin: string; close(): Promise<void> }>
  /** A worker for what the API asks the engine for; ends with the service. */
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
  audit(): Promise<string[]>
  /** What the log was told of as errors: the reasons behind answers with 500. */
  mishaps: string[]
  /** The last step of every test file: the audit, which must be silent as the log must be, and the end of it all. */
  close(): Promise<void>
  /** The end without the audit, for tests that do damage. */
  discard(): Promise<void>
}

/** Starts the API with the settings of a test, and those of `overrides` by the names of the environment. */
export async function startService(overrides: Record<string, string> = {}): Promise<Service> {
  const databaseUrl = await cloneDatabase()
  const env = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '10',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233',
    TEMPORAL_QUEUE_SUFFIX: new URL(databaseUrl).pathname.slice(1).replace('_', ''),
    RATE_LIMIT_DEFAULT: '1000000',
    RATE_LIMIT_PARTNER: '1000000',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    ...overrides,
  }
  const mishaps: string[] = []
  const api = createApi(readSettings(env), pino({ level: 'error' }, collector(mishaps)))
  const port = await api.listen()
  const origin = `http://127.0.0.1:${port}`
  const database = openDatabase({ url: databaseUrl, pool: 5, name: 'bahi test' })
  const call = callAt(`${origin}${BASE_PATH}`)
  const newPartnerKey = () => mintPartnerKey(database, `Partner ${randomUUID()}`, new Date())
  const partnerKey = await newPartnerKey()
  let worker: TestWorker | undefined
  const closed = async () => {
    await api.close()
    await service.stopWorker()
    await database.close()
    await dropDatabase(databaseUrl)
  }
  const service: Service = {
    origin, port, env, databaseUrl, pool: api.database, database, partnerKey, call, newPartnerKey, mishaps,
    async organization(body = {}) {
      const wanted = { name: 'Chandni Chowk Traders', state_code: 'IN-KA', ...body }
      const created = await call('POST', '/partner/organizations', { partnerKey, body: wanted, key: randomUUID() })
      if (created.status !== 201) throw new Error(`no organisation: ${created.text}`)
      return clientOf(call, created.body.organization.org_id, created.body.token.token)
    },
    async token(orgId, wanted = {}) {
      const secret = mintSecret(PREFIXES.pat)
      const { scopes = ['Svc.fullaccess.all'], tier = 'DEFAULT', kind = 'PAT', userId = null, expires = null, revoked = null } = wanted
      await service.sql(
        `INSERT INTO tokens (org_id, id, user_id, kind, token_hash, scopes, tier, expires_time, revoked_time, created_time)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now())`,
        orgId, uuidv7(), userId, kind, hashOf(secret), scopes, tier, expires, revoked,
      )
      return secret
    },
    sql: (text, ...values) => database.run({ name: '', text }, values),
    async another(more = {}) {
      const second = createApi(readSettings({ ...env, ...more }), pino({ level: 'error' }, collector(mishaps)))
      return { origin: `http://127.0.0.1:${await second.listen()}`, close: () => second.close() }
    },
    async startWorker() {
      // Most tests need none, and Temporal's worker takes a while to load.
      const { startTestWorker } = await import('./worker.ts')
      worker = await startTestWorker(env)
    },
    async stopWorker() {
      await worker?.stop()
      worker = undefined
    },
    audit: () => audit(database),
    async close() {
      let wrong: string[]
      try {
        wrong = await service.audit()
      } finally {
        await closed()
      }
      if (wrong.length > 0) throw new Error(`the books are not in order:\n${wrong.join('\n')}`)
      if (mishaps.length > 0) throw new Error(`the log tells of mishaps:\n${mishaps.join('\n')}`)
    },
    discard: closed,
  }
  return service
}

function collector(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString().trim())
      done()
    },
  })
}
