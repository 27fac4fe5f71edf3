// Starts what is measured: the two processes of the service and the servers that they use, in a folder that is deleted afterwards.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAzurite } from '../bin/services/azurite.ts'
import { freePort } from '../bin/services/port.ts'
import { startPostgres } from '../bin/services/postgres.ts'
import type { Launched, StartedServer } from '../bin/services/process.ts'
import { endLeftovers, openRunRecord } from '../bin/services/run-record.ts'
import { startApi, startWorker, waitUntilReady } from '../bin/services/bahi.ts'
import { step } from '../bin/services/steps.ts'
import { findTemporal } from '../bin/services/temporal-binary.ts'
import { startTemporal } from '../bin/services/temporal.ts'
import { migrate } from '../models/migrate.ts'
import { readLocalRun } from '../settings.ts'
import type { Pids } from './consumption.ts'

export interface Stage {
  port: number
  baseUrl: string
  metricsUrl: string
  databaseUrl: string
  temporalAddress: string
  /** In base64. */
  encryptionKey: string
  pids: Pids
  temporalPid: number
  azuritePid: number
  folder: string
  /** The folders in which programs such as pgbench are searched for. */
  path: string[]
  stopping: AbortSignal
  /** Starts one more API process beside the first. */
  startAnotherApi(): Promise<{ port: number; pid: number }>
  putAway(): Promise<void>
}

// The same folders each time, so that processes left by a killed run are found and ended.
const FOLDER = join(tmpdir(), 'bahi-bench')
const NO_LIMIT = String(1_000_000_000)

/** What differs between checkouts: the service and the schema. */
export interface Checkout {
  startApi: typeof startApi
  startWorker: typeof startWorker
  migrate: typeof migrate
}

const OURS: Checkout = { startApi, startWorker, migrate }

/** The service and the schema of the checkout in another folder, which has its packages installed. Older ones have another file. */
export async function checkoutIn(folder: string): Promise<Checkout> {
  const files = ['bin/services/bahi.ts', 'bin/machines/service.ts'].map((file) => join(folder, file))
  const { startApi, startWorker } = await import(files.find(existsSync)!) as Checkout
  const { migrate } = await import(join(folder, 'models/migrate.ts')) as Checkout
  return { startApi, startWorker, migrate }
}

/** Starts everything as `npm start` does, with PostgreSQL as durable as there. */
export const setStage = (stopping: AbortSignal): Promise<Stage> => stageIn(FOLDER, OURS, stopping)

/** Like setStage, for another checkout, with servers of its own. */
export const setOtherStage = (stopping: AbortSignal, checkout: Checkout): Promise<Stage> => stageIn(`${FOLDER}-other`, checkout, stopping)

async function stageIn(folder: string, checkout: Checkout, stopping: AbortSignal): Promise<Stage> {
  const local = readLocalRun()
  const record = await openRunRecord(folder)
  await endLeftovers(record.leftovers)
  for (const name of readdirSync(folder)) if (!name.startsWith('run.')) rmSync(join(folder, name), { recursive: true })
  const servers: StartedServer[] = []
  const putAway = async () => {
    for (const server of servers.toReversed()) await server.stop()
    record.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const keep = <T extends StartedServer>(server: T): T => {
    servers.push(server)
    return server
  }
  const rest = { inherited: local.inherited, onLaunch: (launched: Launched) => record.noteChild(launched) }
  const log = (name: string) => join(folder, 'logs', `${name}.log`)
  const taken = new Set<number>()
  const port = () => freePort(undefined, taken)

  try {
    const postgres = await step('PostgreSQL', async () => {
      const server = keep(await startPostgres({
        dataDir: join(folder, 'postgres'), port: await port(), log: log('postgres'), durable: true, ...rest,
      }))
      return [server.version, server]
    })
    await step('Schema', async () => [`${(await checkout.migrate(postgres.url)).length} migrations`, null], 'current')
    const temporal = await step('Temporal', async (say) => {
      const server = keep(await startTemporal({
        binary: await findTemporal({ ...local, say, stopping }), namespace: 'default',
        databaseFile: join(folder, 'temporal', 'temporal.db'), port: await port(), uiPort: await port(), log: log('temporal'), ...rest,
      }))
      return [server.url, server]
    })
    const azurite = await step('Azurite', async () => {
      const server = keep(await startAzurite({ dataDir: join(folder, 'azurite'), durable: true, port: await port(), log: log('azurite'), ...rest }))
      return [`process ${server.process.pid}`, server]
    })
    const apiPort = await port()
    const origin = `http://127.0.0.1:${apiPort}`
    const encryptionKey = randomBytes(32).toString('base64')
    const environment = {
      ...environmentOf(local.inherited, apiPort, postgres.url, temporal.url),
      ENCRYPTION_KEY: encryptionKey, AZURE_STORAGE_CONNECTION_STRING: azurite.url,
    }
    const [api, worker] = await step('Service', async (say) => {
      const part = (name: string) => ({ log: log(name), environment, onLaunch: rest.onLaunch })
      const api = keep(await checkout.startApi(part('api'), origin))
      const worker = keep(await checkout.startWorker(part('worker')))
      await waitUntilReady(origin, stopping, say)
      return ['API and worker', [api, worker] as const]
    })
    return {
      port: apiPort,
      baseUrl: `${origin}/api/public/v1`,
      metricsUrl: `${origin}/metrics`,
      databaseUrl: postgres.url,
      temporalAddress: temporal.url,
      encryptionKey,
      pids: { api: api.process.pid, worker: worker.process.pid, postgres: postgres.process.pid },
      temporalPid: temporal.process.pid,
      azuritePid: azurite.process.pid,
      folder, path: local.path, stopping, putAway,
      async startAnotherApi() {
        const another = await port()
        const own = { ...environment, PORT: String(another) }
        const { process } = keep(await checkout.startApi({ log: log('api-2'), environment: own, onLaunch: rest.onLaunch }, `http://127.0.0.1:${another}`))
        return { port: another, pid: process.pid }
      },
    }
  } catch (error) {
    await putAway()
    throw error
  }
}

// Only the settings of the bench: a limit or an address in the caller's environment would change what is measured.
function environmentOf(inherited: NodeJS.ProcessEnv, port: number, databaseUrl: string, temporalAddress: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = inherited
  return {
    PATH, HOME, TMPDIR,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    // The tokens of the bench have the partner tier; callers with unknown tokens have the usual limit.
    RATE_LIMIT_PARTNER: NO_LIMIT,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
  }
}
