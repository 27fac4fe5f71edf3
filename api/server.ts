// Builds the API from the list of routes: Restify behind a bounded listener. Listens only when run as a program.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { isWithin, rangesOf } from '../gateways/webhook/addresses.ts'
import type { HealthPort } from '../gateways/health-port.ts'
import { addBacklogs, createDatabaseWaits } from '../gateways/process-metrics.ts'
import { openLog } from '../gateways/log-output.ts'
import { settingsOfProcess } from '../gateways/process-settings.ts'
import { traceProcess } from '../gateways/traced-process.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import { createSecurityLog, readMark, type SecurityLog } from '../gateways/storage/security-log.ts'
import { openDatabase, type Database } from '../models/database.ts'
import { installationOf } from '../models/installation.ts'
import { rememberTokens } from '../models/token-cache.ts'
import { enableTracing } from '../models/tracing.ts'
import { CLOSE_SECONDS, originOf, readSettings, type Settings } from '../settings.ts'
import type { EngineOnDemand } from './engine.ts'
import { createAccessLog } from './http/access-log.ts'
import { addWaitingMetrics } from './http/waiting-metrics.ts'
import { clientAddress } from './http/client-address.ts'
import { createConnections } from './http/connections.ts'
import { createListener } from './http/listener.ts'
import { createThrottle } from './http/throttle.ts'
import type { ServerContext } from './http/server-context.ts'
import { createLimiter, type Limiter } from './http/rate-limit.ts'
import { createRequestLog } from './http/request-log.ts'
import { createRowCache } from './http/row-cache.ts'
import { createSeenValid } from './http/seen-valid.ts'
import { createShares, writersOf, type Shares } from './http/concurrency-shares.ts'
import { unmatchedRequests } from './http/unmatched.ts'
import { openGateways } from './gateways.ts'
import { healthPortOf, listenAt } from './listening.ts'
import { mountMailEvents } from './mail-events.ts'
import { routerOf } from './mount.ts'
import { BASE_PATH, INTERNAL_PATH, mountApis, mountUnmatched } from './mount-apis.ts'
import { mountOAuth } from './oauth-paths.ts'
import { healthAnswers, mountOrigin } from './origin-pages.ts'
import { addNamespaceMetric } from './own-namespace.ts'
import { mountPeoplePages } from './people-pages.ts'
import { runProcess, type Api } from './process.ts'
import { createReadinessProbe } from './readiness.ts'
import { createStartGate } from './start-gate.ts'
import { createWaker } from './waker.ts'

export { BASE_PATH, INTERNAL_PATH }

const MEGABYTE = 2 ** 20
const clock = () => new Date()

/** Creates the API. It accepts no connections before `listen`. */
export function createApi(settings: Settings, log: Logger, droppedLines: () => number = () => 0): Api {
  const waits = createDatabaseWaits()
  const database = databaseOf(settings, () => waits.begin('connection'))
  const limiter = limiterOf(settings, log)
  const isTrusted = trustIn(settings)
  const connections = createConnections({ ...settings, isTrusted })
  const rowCache = createRowCache(settings.rowMemoryMb * MEGABYTE)
  const measured = {
    roundTrips: database.roundTrips,
    rowMemoryBytes: rowCache.bytes,
    connections: connections.count,
    droppedLines,
    limits: limiter.state,
  }
  const accessLog = createAccessLog(log, measured)
  const tokens = rememberTokens(database, settings.databaseUrl)
  const gateways = openGateways(settings, database, clock, log)
  addMetrics(waits.addTo(accessLog.registry), settings, database, gateways.engine)
  const { keep: keepAccess, close: closeSecurityLog } = openSecurityLog(settings, gateways.blobs, database, log)
  const context: ServerContext = {
    writeContext: { database, wakeRelay: createWaker(database), forgetCallers: tokens.forget, clock, keepAccess },
    limiter,
    tokens,
    seenValid: createSeenValid(),
    sealer: gateways.sealer,
    gateways,
    rowCache,
    shares: sharesOf(settings, () => waits.begin('writers')),
    throttle: createThrottle(),
    addressOf: (request) => clientAddress(request, isTrusted),
    onUnhandledError: accessLog.unhandledError,
  }
  const server = routerOf(log)
  const logs = { accessLog, requestLog: createRequestLog(database, accessLog.registry) }
  mountApis(server, context, logs, originOf(settings))
  const unmatched = unmatchedRequests(limiter, accessLog, context.addressOf)
  const gate = createStartGate(unmatched)
  const parts = createReadinessProbe(settings, database, limiter, gateways.blobs, gate.isShut)
  const answers = healthAnswers(parts, accessLog.registry)
  mountOrigin(server, unmatched, settings.healthPortOnly ? {} : answers)
  mountPeoplePages(server, unmatched, context, accessLog)
  mountMailEvents(server, unmatched, settings.mailEventsPublicKey, context)
  mountOAuth(server, context, accessLog, BASE_PATH)
  mountUnmatched(server, unmatched, context.throttle)
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    void (gate.passes(request, response) && server.server.emit('request', request, response))
  const listener = createListener({ connections, unmatched, serve, onRefused: accessLog.refusedConnection })
  let healthPort: HealthPort | null = null
  return {
    database,
    seenAlive: (installation) => readMark(gateways.blobs, installation),
    encryptionKey: settings.encryptionKey,
    serveAfter: gate.openAfter,
    async listen() {
      healthPort = await healthPortOf(settings, answers)
      return listenAt(listener, settings, gateways.site)
    },
    async close() {
      await listener.close(settings.shutdownSeconds)
      await healthPort?.close()
      limiter.close()
      // A pool waits for connections that are in use, and a service may not respond, so closing has a time limit.
      const ended = Promise.allSettled([closeSecurityLog(), logs.requestLog.close()]).finally(() => database.close())
      const closed = Promise.allSettled([gateways.engine.close(), tokens.close(), ended])
      await Promise.race([closed, delay(CLOSE_SECONDS * 1000, undefined, { ref: false })])
    },
    answerUnhandled: ({ request, response }, error) => {
      if (!response.headersSent) return unmatched.answer(request, response, error as Error, { close: true })
      accessLog.unhandledError(error, '')
      request.socket.destroy()
    },
  }
}

// Of what waits, and of Temporal.
function addMetrics(registry: Registry, settings: Settings, database: Database, engine: EngineOnDemand): void {
  addWaitingMetrics(registry, database, settings.temporalQueueSuffix)
  addBacklogs(registry, engine)
  addNamespaceMetric(registry, engine)
}

function openSecurityLog(settings: Settings, blobs: BlobStore, database: Database, log: Logger): SecurityLog {
  const store = settings.azureStorageConnectionString === null ? null : blobs
  return createSecurityLog(store, log, { clock, installation: () => installationOf(database) })
}

function databaseOf({ databaseUrl: url, databasePool: pool }: Settings, onWait: () => () => void): Database {
  return openDatabase({ url, pool, name: 'bahi api', onWait })
}

function trustIn({ trustedProxies }: Settings): (address: string) => boolean {
  const proxies = rangesOf(trustedProxies)
  return (address) => isWithin(proxies, address)
}

function limiterOf({ rateLimitDefault: DEFAULT, rateLimitPartner: PARTNER, redisUrl }: Settings, log: Logger): Limiter {
  return createLimiter({ DEFAULT, PARTNER }, redisUrl, log)
}

function sharesOf({ databasePool: pool, databaseWriters }: Settings, onWait: () => () => void): Shares {
  return createShares({ pool, writers: databaseWriters ?? writersOf(availableParallelism()) }, onWait)
}

if (import.meta.main) {
  const settings = settingsOfProcess(readSettings)
  const output = openLog('api', settings.logLevel)
  const endTracing = await traceProcess(settings.otelExporterOtlpEndpoint, 'bahi-api', enableTracing)
  const api = createApi(settings, output.log, output.dropped)
  await runProcess({ ...api, close: () => api.close().finally(endTracing) }, output)
}
