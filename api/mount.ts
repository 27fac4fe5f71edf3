// Mounts handlers on Restify, and writes their answers past its formatters.
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import restify from 'restify'
import { MAX_HEAD_BYTES } from './http/bounds.ts'
import type { Reply } from './http/envelope.ts'
import type { Route } from './http/route.ts'

export type RestServer = restify.Server
export type RestResponse = restify.Response
export type MountedRequest = IncomingMessage & { params?: Record<string, string> }

/** Text that is too long to be an id is answered as any other that is none. */
export const routerOf = (log: Logger): restify.Server =>
  restify.createServer({ name: 'bahi', log, maxParamLength: MAX_HEAD_BYTES })

/** HEAD is answered like GET; Node leaves out the body. */
export function mount(
  server: restify.Server,
  method: Route['method'],
  path: string,
  handler: (request: MountedRequest, response: restify.Response) => Promise<void>,
): void {
  const verb = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del' }[method] as 'get' | 'post' | 'put' | 'del'
  server[verb]({ path, name: `${method} ${path}` }, handler)
  if (method === 'GET') server.head({ path, name: `HEAD ${path}` }, handler)
}

/** Bypasses Restify's formatters, because a stored answer is repeated byte for byte. */
export function send(response: restify.Response, reply: Reply): void {
  sendBytes(response, reply.status, reply.body, { ...reply.headers, 'Content-Type': 'application/json' })
}

export function sendBytes(
  response: restify.Response,
  status: number,
  body: string | Buffer,
  headers: Record<string, string>,
): void {
  response.sendRaw(status, body, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
}
