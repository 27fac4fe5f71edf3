// Builds the Restify server from the list of routes; listens only as the entry of the API process.
import type { IncomingMessage } from 'node:http'
import pino, { type Logger } from 'pino'
import restify from 'restify'
import { fault } from '../domain/faults.ts'
import { isWithin, rangesOf } from '../gateways/addresses.ts'
import { createReceiver } from '../gateways/receiver.ts'
import { openDatabase, type Database } from '../models/database.ts'
import { sealer } from '../models/sealed.ts'
import { rememberTokens } from '../models/token-memory.ts'
import { readSettings, type Settings } from '../settings.ts'
import { engineOnDemand } from './engine.ts'
import { createAccessLog, type AccessLog } from './http/access-log.ts'
import { clientAddress } from './http/client-address.ts'
import { createCursors } from './http/cursors.ts'
import type { Reply } from './http/envelope.ts'
import { docs, live, metrics, readiness, type Plain } from './http/origin.ts'
import { travel, type House } from './http/pipeline.ts'
import { createLimiter } from './http/rate-limit.ts'
import type { Route } from './http/route.ts'
import { createShares } from './http/shares.ts'
import { tell } from './http/stream.ts'
import { strangersOf, type Strangers } from './http/strangers.ts'
import { createParts } from './parts.ts'
import { createWaker } from './waker.ts'
import { routesOf } from './routes.ts'

export const BASE_PATH = '/api/public/v1'

type Request = IncomingMessage & { params?: Record<string, string> }

export interface Api {
  listen(): Promise<number>
  close(): Promise<void>
  database: Database
}

/** Puts the API together; nothing is connected or listened on before `listen`. */
export function createApi(settings: Settings, log: Logger): Api {
  const database = openDatabase({ url: settings.databaseUrl, pool: settings.databasePool, name: 'bahi api' })
  const limiter = createLimiter({ DEFAULT: settings.rateLimitDefault, PARTNER: settings.rateLimitPartner }, settings.redisUrl)
  const accessLog = createAccessLog(log, database)
  const tokens = rememberTokens(database, settings.databaseUrl)
  const seals = sealer(settings.encryptionKey)
  const engine = engineOnDemand({
    address: settings.temporalAddress, namespace: settings.temporalNamespace, queueSuffix: settings.temporalQueueSuffix,
  })
  const proxies = rangesOf(settings.trustedProxies)
  const house: House = {
    desk: { database, wakeRelay: createWaker(database), forgetCallers: tokens.forget, clock: () => new Date() },
    limiter,
    tokens,
    sealer: seals,
    machines: {
      engine,
      sealer: seals,
      cursors: createCursors(settings.encryptionKey),
      receiver: createReceiver({
        timeoutSeconds: settings.webhookTimeoutSeconds,
        allowCidrs: settings.webhookAllowCidrs,
        allowHttp: settings.webhookAllowHttp,
        dnsServers: settings.webhookDnsServers,
      }),
    },
    shares: createShares(settings.databasePool),
    addressOf: (request) => clientAddress(request, (address) => isWithin(proxies, address)),
    onMishap: accessLog.mishap,
  }
  const server = restify.createServer({ name: 'bahi', log })
  mountRoutes(server, house, accessLog, routesOf({ publicUrl: settings.publicUrl ?? `http://${settings.host}:${settings.port}` }))
  const strangers = strangersOf(limiter, accessLog)
  mountOrigin(server, accessLog, strangers, createParts(settings, database, limiter))
  mountStrangers(server, strangers)
  return {
    database,
    listen: () => new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(settings.port, settings.host, () => resolve(server.address().port))
    }),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        // Requests under way are answered; connections that only wait for a next one are closed.
        server.server.closeIdleConnections()
      })
      limiter.close()
      await engine.close()
      await tokens.close()
      await database.close()
    },
  }
}

function mountRoutes(server: restify.Server, house: House, accessLog: AccessLog, routes: Route[]): void {
  for (const route of routes) {
    const path = BASE_PATH + route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    mount(server, route.method, path, async (request, response) => {
      const started = performance.now()
      const { reply, trace } = await travel(house, route, request)
      const status = await deliver(response, reply, (error) => accessLog.mishap(error, trace.requestId))
      accessLog.passed({ ...trace, method: route.method, route: route.path, status, durationMs: performance.now() - started })
    })
  }
}

function mountOrigin(
  server: restify.Server, accessLog: AccessLog, strangers: Strangers, parts: ReturnType<typeof createParts>,
): void {
  const plain = (path: string, answer: (request: Request) => Promise<Plain | null> | Plain) =>
    mount(server, 'GET', path, async (request, response) => {
      const answered = await answer(request)
      if (answered === null) return send(response, strangers.replyTo('GET', fault('not_found.route'), null))
      sendBytes(response, answered.status, answered.body, { 'Content-Type': answered.type })
    })
  plain('/health/live', live)
  plain('/health/ready', async () => readiness(await parts()))
  plain('/metrics', () => metrics(accessLog.registry))
  plain('/docs', () => docs(''))
  plain('/docs/:name', (request) => docs(request.params?.name ?? ''))
}

// Whatever Restify refuses by itself, and what Node cannot read.
function mountStrangers(server: restify.Server, strangers: Strangers): void {
  server.on('restifyError', (request, response, error, done) => {
    if (!response.headersSent) {
      const allow = response.getHeader('allow')
      send(response, strangers.replyTo(request.method ?? '', error, allow === undefined ? null : String(allow)))
    }
    done()
  })
  server.server.on('clientError', (error, socket) => strangers.answerNoise(error, socket))
}

function mount(
  server: restify.Server, method: Route['method'], path: string, handler: (request: Request, response: restify.Response) => Promise<void>,
): void {
  const verb = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del' }[method] as 'get' | 'post' | 'put' | 'del'
  server[verb]({ path, name: `${method} ${path}` }, handler)
}

// Answers with the status for the log.
async function deliver(response: restify.Response, reply: Reply, onMishap: (error: unknown) => void): Promise<number> {
  if (reply.rest) return tell(response, reply, reply.rest, onMishap)
  send(response, reply)
  return reply.status
}

// Restify's own formatters are passed by: a remembered answer is repeated byte for byte.
function send(response: restify.Response, reply: Reply): void {
  sendBytes(response, reply.status, reply.body, { ...reply.headers, 'Content-Type': 'application/json' })
}

function sendBytes(response: restify.Response, status: number, body: string | Buffer, headers: Record<string, string>): void {
  response.sendRaw(status, body, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
}

if (import.meta.main) {
  const settings = readSettings()
  // Lines are written a few at a time, at the latest after a quarter of a second; those of errors at once.
  const out = pino.destination({ sync: false, minLength: 4096, periodicFlush: 250 })
  const log = pino({ level: settings.logLevel, base: { process: 'api' } }, out)
  const api = createApi(settings, log)
  const port = await api.listen()
  log.info({ port }, 'listening')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping')
      void api.close().then(() => {
        out.flushSync()
        process.exit(0)
      })
    })
  }
}
