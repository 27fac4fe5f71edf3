// Mounts the routes of the public API and those of signed-in persons, sends their replies, and logs each call.
import type { AccessLog } from './http/access-log.ts'
import type { Reply } from './http/envelope.ts'
import { writeFile } from './http/file-answer.ts'
import type { RequestLog } from './http/request-log.ts'
import type { Route } from './http/route.ts'
import type { ServerContext } from './http/server-context.ts'
import { leave, writeRows } from './http/stream.ts'
import type { Throttle } from './http/throttle.ts'
import { tracedRequest } from './http/traced-request.ts'
import { refusalOf, type Unmatched } from './http/unmatched.ts'
import { mount, send, type MountedRequest, type RestResponse, type RestServer } from './mount.ts'
import { INTERNAL_ROUTES, routesOf } from './routes.ts'

export const BASE_PATH = '/api/public/v1'
/** Of the calls of signed-in persons. */
export const INTERNAL_PATH = '/internal/v1'

interface Logs {
  accessLog: AccessLog
  requestLog: RequestLog
}

export function mountApis(server: RestServer, context: ServerContext, logs: Logs, publicUrl: string): void {
  mountRoutes(server, context, logs, { below: BASE_PATH, routes: routesOf({ publicUrl }) })
  mountRoutes(server, context, logs, { below: INTERNAL_PATH, routes: INTERNAL_ROUTES })
}

function mountRoutes(
  server: RestServer,
  context: ServerContext,
  { accessLog, requestLog }: Logs,
  { below, routes }: { below: string; routes: Route[] },
): void {
  for (const route of routes) {
    const path = below + route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    mount(server, route.method, path, async (request, response) => {
      const started = performance.now()
      const { reply, trace } = await tracedRequest(context, route, request)
      const status = await deliver(request, response, reply, (error) =>
        accessLog.unhandledError(error, trace.requestId),
      )
      const durationMs = performance.now() - started
      const path = below === BASE_PATH ? route.path : below + route.path
      const record = { ...trace, method: request.method!, route: path, status, durationMs }
      accessLog.request(record)
      requestLog.note(record)
    })
  }
}

/** Answers the requests that Restify itself refuses: unknown paths and methods, and its own errors. */
export function mountUnmatched(server: RestServer, unmatched: Unmatched, throttle: Throttle): void {
  server.on('restifyError', async (request, response, error, done) => {
    // Restify sends its own response if `done` is called before a response was sent.
    if (response.headersSent) return void request.socket.destroy()
    const allow = response.getHeader('allow')
    await throttle()
    const reply = unmatched.replyTo(request, refusalOf(error))
    if (allow !== undefined) reply.headers.Allow = String(allow)
    send(response, reply)
    done()
  })
}

// Sends the reply. Returns the status for the access log.
async function deliver(
  request: MountedRequest,
  response: RestResponse,
  reply: Reply,
  onUnhandledError: (error: unknown) => void,
): Promise<number> {
  if (reply.file) {
    const isHead = request.method === 'HEAD'
    return writeFile(response, reply, reply.file, { isHead, onUnhandledError })
  }
  if (!reply.rest) send(response, reply)
  else if (request.method !== 'HEAD') return writeRows(response, reply, reply.rest, onUnhandledError)
  else {
    await leave(reply.rest)
    response.writeHead(reply.status, { ...reply.headers, 'Content-Type': 'application/json' })
    response.end()
  }
  return reply.status
}
