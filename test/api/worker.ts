// A worker beside a test's API: it tells the stories of one service, on task queues of its own.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { NativeConnection } from '@temporalio/worker'
import { createWorkers } from '../../worker/workers.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { createReceiver } from '../../gateways/webhook/receiver.ts'
import { openDatabase } from '../../models/database.ts'
import { sealer } from '../../models/sealed.ts'
import { readSettings } from '../../settings.ts'
import { workflowBundle } from '../workflows/bundle.ts'
import '../workflows/quiet.ts'

export interface TestWorker {
  stop(): Promise<void>
}

const CIRCUIT = { failures: 20, firstWaitMs: 30_000, longestWaitMs: 3_600_000 }

/** Starts a worker in this process, without the duties of the worker's own process; resolves when it takes work. */
export async function startTestWorker(env: Record<string, string>): Promise<TestWorker> {
  const settings = readSettings(env)
  const connection = await NativeConnection.connect({ address: settings.temporalAddress })
  const database = openDatabase({ url: settings.databaseUrl, pool: settings.databasePool, name: 'bahi worker' })
  const receiver = createReceiver({
    timeoutSeconds: settings.webhookTimeoutSeconds, allowCidrs: settings.webhookAllowCidrs, allowHttp: settings.webhookAllowHttp,
  })
  const engine = openEngine({ address: settings.temporalAddress, namespace: settings.temporalNamespace, queueSuffix: settings.temporalQueueSuffix })
  const workers = await createWorkers({
    connection,
    namespace: settings.temporalNamespace,
    queues: ['core'],
    queueSuffix: settings.temporalQueueSuffix,
    dependencies: { connection: database, receiver, sealer: sealer(settings.encryptionKey), circuit: CIRCUIT, wakeRelay: () => undefined, clock: () => new Date(), engine },
    workflowBundle: await workflowBundle(),
    shutdownSeconds: 10,
  })
  const ended = workers.run()
  return {
    async stop() {
      workers.stop()
      await ended
      receiver.close()
      await engine.close()
      await connection.close()
      await database.close()
    },
  }
}

/** Starts the worker's own process, which can be killed; resolves when it takes work. */
export async function spawnWorker(env: Record<string, string>): Promise<ChildProcess> {
  const path = fileURLToPath(new URL('../../worker/worker.ts', import.meta.url))
  const settings = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, WORKFLOW_BUNDLE: await workflowBundle(), ...env, LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [path], { env: settings, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout) if (String(chunk).includes('worker started')) break
  return child
}

/** Kills a process at once, as the system would. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
