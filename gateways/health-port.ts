// A port of its own for the health checks and metrics of a process, which answers however busy the other ports are.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Probed {
  status: number
  type: string
  body: string | Buffer
}

export interface HealthPort {
  port: number
  close(): Promise<void>
}

/** A port cannot be listened on; the message is one line for an operator. */
export class CannotListen extends Error {
  /** Whether it is for the settings, so that a repeat fails alike. */
  readonly isFinal: boolean
  constructor(message: string, { isFinal = false, cause }: { isFinal?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}

/** Returns a function that throws CannotListen for what the system says of a port, which the setting of this name chose. */
export const explainListening =
  (setting: string, port: number, host: string) =>
  (error: NodeJS.ErrnoException): never => {
    const remedy =
      error.code === 'EADDRINUSE'
        ? `another program has it: stop that program, or set ${setting} to another port`
        : error.message
    throw new CannotListen(`${setting} ${port} of ${host} cannot be listened on: ${remedy}`, { cause: error })
  }

/** What is wrong with the ports of an API, in one line; null where nothing is. */
export function portProblem(settings: {
  port: number
  healthPort: number | null
  healthPortOnly: boolean
}): string | null {
  const { port, healthPort } = settings
  if (healthPort !== null && healthPort === port)
    return `HEALTH_PORT and PORT are both ${port}; set HEALTH_PORT to another port, or leave it out`
  if (healthPort === null && settings.healthPortOnly)
    return 'HEALTH_PORT_ONLY needs a HEALTH_PORT, at which health checks and metrics are answered'
  return null
}

export interface HealthPortOptions {
  port: number
  host: string
  /** The answer at each path, to GET and HEAD. */
  answers: Record<string, () => Probed | Promise<Probed>>
}

/** The most connections at once; further ones are closed. Health checks need few, because each closes its connection. */
export const MAX_PROBES = 50
/** The time limit for a request to arrive. Every answer closes its connection. */
export const PROBE_SECONDS = 5

export const inJson = (status: number, body: object): Probed => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
})

/** Opens the port. Throws an Error that names the port where it cannot be opened. */
export async function openHealthPort({ port, host, answers }: HealthPortOptions): Promise<HealthPort> {
  const server = createServer(
    {
      headersTimeout: PROBE_SECONDS * 1000,
      requestTimeout: PROBE_SECONDS * 1000,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
    },
    (request, response) => void answer(request, response, answers),
  )
  server.maxConnections = MAX_PROBES
  // A client that does not read its answer is cut off, so that it holds neither a connection nor the process.
  server.on('connection', (socket) => socket.setTimeout(PROBE_SECONDS * 1000, () => socket.destroy()))
  await listening(server, port, host)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  answers: HealthPortOptions['answers'],
): Promise<void> {
  const path = url.split('?')[0]!
  const probed = Object.hasOwn(answers, path) ? answers[path]! : null
  const found = await respond(method, probed).catch((error: Error) => refusal(500, 'internal.error', error.message))
  if (response.destroyed) return
  response.writeHead(found.status, {
    'Content-Type': found.type,
    'Content-Length': Buffer.byteLength(found.body),
    Connection: 'close',
    ...(found.status === 405 ? { Allow: 'GET, HEAD' } : {}),
  })
  response.end(found.body)
}

async function respond(method: string, probed: (() => Probed | Promise<Probed>) | null): Promise<Probed> {
  if (!probed) return refusal(404, 'not_found.route', 'There is no such path on this port.')
  if (method !== 'GET' && method !== 'HEAD')
    return refusal(405, 'request.method_not_allowed', 'Only GET and HEAD are allowed here.')
  return probed()
}

const refusal = (status: number, code: string, message: string) => inJson(status, { code, message })

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  }).catch(explainListening('HEALTH_PORT', port, host))
}
