// The worker process: runs workflows and their activities, and sends the deliveries that commands have queued.
import type { Logger } from 'pino'
import type { Outcome } from '../domain/delivery.ts'
import { openEngine } from '../gateways/temporal/engine.ts'
import { createDatabaseWaits } from '../gateways/process-metrics.ts'
import { CannotListen, type Probed } from '../gateways/health-port.ts'
import { EngineRefused } from '../gateways/temporal/namespace-mark.ts'
import { FINAL, openLog } from '../gateways/log-output.ts'
import { createMailSender } from '../gateways/mail/sender.ts'
import { createSignedLinks } from '../gateways/payment-links/signed-links.ts'
import { openBlobStore } from '../gateways/storage/azure-blobs.ts'
import { settingsOfProcess } from '../gateways/process-settings.ts'
import { traceProcess } from '../gateways/traced-process.ts'
import { createWebhookSender } from '../gateways/webhook/sender.ts'
import { createMailLinks } from '../commands/people/mail-links.ts'
import type { RenderOutcome } from '../activities/render.ts'
import { createPdfEngine } from '../gateways/pdf/engine.ts'
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
  temporalOf,
  tickPlanOf,
  type Settings,
} from '../settings.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import { eInvoiceProviders } from './e-invoice-providers.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics/metrics.ts'
import { startHeartbeat } from './heartbeat.ts'
import { connectToTemporal } from './namespace/connecting.ts'
import { markNamespace, UnfitNamespace } from './namespace/marking.ts'
import { createNamespaceWatch, WATCH_MS } from './namespace/watching.ts'
import { startPollLoop } from './poll-loop.ts'
import { MISSED_TICK_MS, reconcileSchedules } from './schedule-signals.ts'
import { answerProbes } from './metrics/probes.ts'
import { untilBooksAreKnown, untilChecked } from './starting.ts'
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

/**
 * Connects, as soon as Temporal and PostgreSQL answer, and serves the queues of the settings until it is stopped. Throws
 * UnfitNamespace where the namespace serves other books, and EngineRefused. The SDK serves its own metrics at `sdkMetricsAddress`.
 */
export async function startWorker(
  settings: Settings,
  log: Logger,
  sdkMetricsAddress: string | null = null,
): Promise<RunningWorker> {
  const place = temporalOf(settings)
  const engine = openEngine(place)
  const waits = createDatabaseWaits()
  const database = openDatabase({
    url: settings.databaseUrl,
    pool: settings.databasePool,
    name: 'bahi worker',
    onWait: () => waits.begin('connection'),
  })
  const marking = { connection: database, engine, place, log }
  const native = await connectToTemporal(place, log, async () => {
    await markNamespace(marking)
  })
  const sender = createWebhookSender({
    timeoutSeconds: settings.webhookTimeoutSeconds,
    allowCidrs: settings.webhookAllowCidrs,
    allowHttp: settings.webhookAllowHttp,
    dnsServers: settings.webhookDnsServers,
  })
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
    links: createMailLinks(settings.encryptionKey),
    mail: mailing && { ...mailing, sender: createMailSender(mailing) },
    blobs: openBlobStore(storageOf(settings)),
    pdf,
    onRendered: (outcome: RenderOutcome, seconds: number) => metrics?.noteRender(outcome, seconds),
    onAttempt: (endpointId: string, outcome: Outcome) => metrics?.noteAttempt(endpointId, outcome),
  }
  const { workerQueues: queues, workflowBundle, shutdownSeconds } = settings
  const { namespace, queueSuffix } = place
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
        retainRequestsDays: settings.retainRequests,
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
  let unfit: string | null = null
  const watch = createNamespaceWatch({
    ...marking,
    takeUp: jobs?.takeUp ?? null,
    refuse(why) {
      unfit = why
      workers.stop()
    },
  })
  const watching = startPollLoop('namespace', WATCH_MS, log, watch)
  log.info({ queues, temporal: place.address }, 'worker started')
  // It starts in a process of lower priority, while the worker takes work already.
  if (settings.pdfWarmUp && queues.includes('documents')) pdf.warmUp()

  const untilStopped = async () => {
    try {
      await workers.run()
    } finally {
      await Promise.all([jobs?.stop(), heartbeat.stop(), watching.stop()])
      sender.close()
      await pdf.close()
      await engine.close()
      await native.close()
      await database.close()
    }
    if (unfit !== null) throw new UnfitNamespace(unfit)
  }
  const isWorking = async () => workers.arePolling() && (await engine.isReachable())
  metrics = createWorkerMetrics({
    database,
    waits,
    engine,
    queueSuffix,
    clock,
    arePolling: workers.arePolling,
    jobsDone: () => ({ ...jobs?.lastSuccesses(), ...heartbeat.lastSuccesses() }),
    sdkAddress: sdkMetricsAddress,
    pdfsWaiting: pdf.waiting,
  })
  return { ended: untilStopped(), isWorking, metrics: metrics.answer, stop: workers.stop }
}

async function main(): Promise<void> {
  const settings = settingsOfProcess(readSettings)
  const { log, exit } = openLog('worker', settings.logLevel)
  const endTracing = await traceProcess(settings.otelExporterOtlpEndpoint, 'bahi-worker', enableTracing)
  const sdkMetricsAddress = await installSdk(log, settings.healthPort !== null)
  let started: RunningWorker | undefined
  try {
    await answerProbes(settings, () => started)
    const unfit = await untilChecked(settings, log)
    if (unfit !== null) {
      log.fatal(FINAL, unfit)
      return await exit(1)
    }
    await untilBooksAreKnown(settings, log)
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
    if (error instanceof UnfitNamespace || error instanceof EngineRefused) log.fatal(FINAL, error.message)
    else if (error instanceof CannotListen) log.fatal(error.message)
    else log.fatal({ err: error }, 'worker ended')
    await exit(1)
  }
}

if (import.meta.main) await main()
