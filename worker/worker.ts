// The worker process: runs workflows and their activities, and sends the deliveries that commands have queued.
import { setTimeout as delay } from 'node:timers/promises'
import { NativeConnection } from '@temporalio/worker'
import type { Logger } from 'pino'
import { openEngine } from '../gateways/temporal/engine.ts'
import { inJson, openHealthPort, type Probed } from '../gateways/health-port.ts'
import { openLog } from '../gateways/log-output.ts'
import { createMailSender } from '../gateways/mail/sender.ts'
import { createSignedLinks } from '../gateways/payment-links/signed-links.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { settingsOfProcess } from '../gateways/process-settings.ts'
import { traceProcess } from '../gateways/traced-process.ts'
import { createWebhookSender } from '../gateways/webhook/sender.ts'
import type { RenderOutcome } from '../activities/render.ts'
import { createPdfEngine } from '../gateways/pdf/engine.ts'
import { unfitAtStart } from '../models/checks-at-start.ts'
import { openDatabase } from '../models/database.ts'
import { sealer } from '../models/sealed.ts'
import { enableTracing } from '../models/tracing.ts'
import {
  CLOSE_SECONDS,
  mailOf,
  paymentLinksOf,
  readLocalRun,
  readSettings,
  storageOf,
  tickPlanOf,
  type Settings,
} from '../settings.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import { eInvoiceProviders } from './e-invoice-providers.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { startHeartbeat } from './heartbeat.ts'
import { MISSED_TICK_MS, reconcileSchedules } from './schedule-signals.ts'
import { installSdk } from './sdk.ts'
import { createTemporalWorkers } from './temporal-workers.ts'

export interface RunningWorker {
  /** Resolves when the worker was stopped; rejects when it cannot go on. */
  ended: Promise<void>
  /** Whether it takes work from Temporal now. */
  isWorking(): Promise<boolean>
  /** The answer to GET /metrics. */
  metrics(): Promise<Probed>
  stop(): void
}

const clock = () => new Date()
// Half a minute: enough for a Temporal server that is started at the same time. After that the supervisor starts the worker again.
const CONNECT_TRIES = 30

/**
 * Connects, and serves the queues of the settings until it is stopped. Throws when Temporal does not answer. The SDK serves its
 * own metrics at `sdkMetricsAddress`, if any.
 */
export async function startWorker(
  settings: Settings,
  log: Logger,
  sdkMetricsAddress: string | null = null,
): Promise<RunningWorker> {
  const { temporalAddress: address, temporalNamespace: namespace, temporalQueueSuffix: queueSuffix } = settings
  const native = await connect(address)
  const engine = openEngine({ address, namespace, queueSuffix, encryptionKey: settings.encryptionKey })
  const database = openDatabase({ url: settings.databaseUrl, pool: settings.databasePool, name: 'bahi worker' })
  const sender = createWebhookSender({
    timeoutSeconds: settings.webhookTimeoutSeconds,
    allowCidrs: settings.webhookAllowCidrs,
    allowHttp: settings.webhookAllowHttp,
    dnsServers: settings.webhookDnsServers,
  })
  await engine.registerSearchAttributes().then(
    (added) => added.length > 0 && log.info({ added }, 'search attributes registered'),
    (error: Error) => log.warn({ err: error.message }, 'search attributes could not be registered'),
  )
  let metrics: WorkerMetrics | undefined
  const pdf = createPdfEngine({ engine: settings.pdfEngine, path: readLocalRun().path, log })
  const wakeRelay = () => jobs?.wakeRelay()
  const circuit = {
    failures: settings.webhookCircuitFailures,
    firstWaitMs: settings.webhookCircuitFirstSeconds * 1_000,
    longestWaitMs: settings.webhookCircuitLongestSeconds * 1_000,
  }
  const mailing = mailOf(settings)
  const dependencies = {
    connection: database,
    sender: sender,
    sealer: sealer(settings.encryptionKey),
    circuit,
    wakeRelay,
    clock,
    engine,
    tick: tickPlanOf(settings),
    reconcileMissed: () => reconcileSchedules({ connection: database, engine, log, clock }, false, MISSED_TICK_MS),
    paymentLinks: createSignedLinks(paymentLinksOf(settings)),
    eInvoiceProviderOf: eInvoiceProviders({
      connection: database,
      sealer: sealer(settings.encryptionKey),
      timeoutMs: settings.eInvoiceTimeoutSeconds * 1_000,
      clock,
    }),
    eInvoiceRetryMs: settings.eInvoiceRetrySeconds * 1_000,
    mail: mailing && { ...mailing, sender: createMailSender(mailing) },
    blobs: openBlobStore(storageOf(settings)),
    pdf,
    onRendered: (outcome: RenderOutcome, seconds: number) => metrics?.noteRender(outcome, seconds),
  }
  const { workerQueues: queues, workflowBundle, shutdownSeconds } = settings
  const workers = await createTemporalWorkers({
    connection: native,
    namespace,
    queues,
    queueSuffix,
    encryptionKey: settings.encryptionKey,
    dependencies: dependencies,
    shutdownSeconds,
    workflowBundle,
  })
  // Processes that serve only the queue of webhooks leave the background jobs to those that run workflows.
  const jobs = queues.includes('core')
    ? startBackgroundJobs({
        connection: database,
        databaseUrl: settings.databaseUrl,
        engine,
        ladderSeconds: settings.webhookLadderSeconds,
        retainBulkDays: settings.retainBulk,
        retainConversionsDays: settings.retainConversions,
        retainIdempotencyDays: settings.retainIdempotency,
        retainMailDays: settings.retainMail,
        sendsMail: mailing !== null,
        blobs: dependencies.blobs,
        tick: dependencies.tick,
        retainEventsDays: settings.retainEvents,
        retainPdfDays: settings.retainPdf,
        log,
        clock,
      })
    : null
  const heartbeat = startHeartbeat({ database, engine, queues, queueSuffix, arePolling: workers.arePolling, log })
  log.info({ queues, temporal: address }, 'worker started')
  // It starts in a process of lower priority, while the worker takes work already.
  if (settings.pdfWarmUp && queues.includes('documents')) pdf.warmUp()

  const untilStopped = async () => {
    try {
      await workers.run()
    } finally {
      await Promise.all([jobs?.stop(), heartbeat.stop()])
      sender.close()
      await pdf.close()
      await engine.close()
      await native.close()
      await database.close()
    }
  }
  const isWorking = async () => workers.arePolling() && (await engine.isReachable())
  metrics = createWorkerMetrics({
    database,
    queueSuffix,
    clock,
    arePolling: workers.arePolling,
    jobsDone: () => ({ ...jobs?.lastSuccesses(), ...heartbeat.lastSuccesses() }),
    sdkAddress: sdkMetricsAddress,
    pdfsWaiting: pdf.waiting,
  })
  return { ended: untilStopped(), isWorking, metrics: metrics.answer, stop: workers.stop }
}

async function connect(address: string): Promise<NativeConnection> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await NativeConnection.connect({ address })
    } catch (error) {
      if (tries === CONNECT_TRIES) throw new Error(`Temporal does not answer at ${address}`, { cause: error })
      await delay(1_000)
    }
  }
}

/** Answers health checks from the start, because a worker that waits for Temporal is live. */
async function answerProbes(
  { healthPort: port, host }: Settings,
  started: () => RunningWorker | undefined,
): Promise<void> {
  if (port === null) return
  const notReady = () => inJson(503, { status: 'not ready' })
  await openHealthPort({
    port,
    host,
    answers: {
      '/health/live': () => inJson(200, { status: 'live' }),
      '/health/ready': async () => ((await started()?.isWorking()) ? inJson(200, { status: 'ready' }) : notReady()),
      '/metrics': async () => (await started()?.metrics()) ?? notReady(),
    },
  })
}

async function main(): Promise<void> {
  const settings = settingsOfProcess(readSettings)
  const { log, exit } = openLog('worker', settings.logLevel)
  const endTracing = await traceProcess(settings.otelExporterOtlpEndpoint, 'bahi-worker', enableTracing)
  const sdkMetricsAddress = await installSdk(log, settings.healthPort !== null)
  let started: RunningWorker | undefined
  try {
    await answerProbes(settings, () => started)
    const refuse = (why: string) => {
      log.fatal(why)
      void exit(1)
    }
    // Its one connection closes when it has been idle for a minute.
    const asked = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi worker' })
    const unfit = await unfitAtStart(asked, settings.encryptionKey, refuse)
    if (unfit !== null) return refuse(unfit)
    const worker = (started = await startWorker(settings, log, sdkMetricsAddress))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        log.info({ signal }, 'worker stopping')
        worker.stop()
        // Temporal or PostgreSQL may be unavailable, and work that waits for them would not end.
        setTimeout(
          () => {
            log.warn('the worker did not stop in time; another worker repeats its unfinished work')
            void exit(0)
          },
          (settings.shutdownSeconds + CLOSE_SECONDS) * 1000,
        )
      })
    }
    await worker.ended
    await endTracing()
    log.info('worker stopped')
    await exit(0)
  } catch (error) {
    log.fatal({ err: error }, 'worker ended')
    await exit(1)
  }
}

if (import.meta.main) await main()
