// Answers requests that match no route: unknown paths, wrong methods, and data that is not HTTP; all in the envelope.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { fault } from '../../domain/faults.ts'
import type { AccessLog } from './access-log.ts'
import type { Reply } from './envelope.ts'
import { limitHeaders, refuse } from './pipeline.ts'
import type { Limiter } from './rate-limit.ts'

export interface Unmatched {
  /** The reply for this refusal; writes it to the access log. */
  replyTo(request: IncomingMessage, refused: Error): Reply
  /** The headers X-Request-Id and X-RateLimit-*, for answers at the origin, which are not counted. */
  headers(): Record<string, string>
  /** Answers a request that is not passed to Restify; closes the connection afterwards if `close` is true. */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    refused: Error,
    how?: { allow?: string | null; close?: boolean },
  ): void
  /** The bytes of an answer after which the connection is closed. */
  bytes(refused: Error, of?: { method?: string; ip?: string | null }): string
}

export function unmatchedRequests(
  limiter: Limiter,
  accessLog: AccessLog,
  addressOf: (request: IncomingMessage) => string | null,
): Unmatched {
  const headers = (requestId: string = randomUUID()) => ({
    ...limitHeaders(limiter.uncounted(new Date())),
    'X-Request-Id': requestId,
  })
  function refusalTo(method: string, ip: string | null, refused: Error): Reply {
    const requestId = randomUUID()
    const reply = refuse({ onUnhandledError: accessLog.unhandledError }, refused, requestId)
    Object.assign(reply.headers, headers(requestId))
    accessLog.request({
      requestId,
      orgId: null,
      subject: null,
      ip,
      method,
      route: 'unknown',
      status: reply.status,
      durationMs: 0,
    })
    return reply
  }
  const replyTo = (request: IncomingMessage, refused: Error) =>
    refusalTo(request.method ?? '', addressOf(request), refused)
  return {
    replyTo,
    headers,
    answer(request, response, refused, { allow = null, close = false } = {}) {
      const { status, headers, body } = replyTo(request, refused)
      if (allow !== null) headers.Allow = allow
      if (close) headers.Connection = 'close'
      response.writeHead(status, { ...headers, ...lengthAndType(body) })
      response.end(body)
    },
    bytes(refused, { method = '', ip = null } = {}) {
      const { status, headers, body } = refusalTo(method, ip, refused)
      const lines = Object.entries({ ...headers, ...lengthAndType(body), Connection: 'close' })
      const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)]
      return `${head.join('\r\n')}\r\n\r\n${body}`
    },
  }
}

const lengthAndType = (body: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(body)),
})

/** The fault for an error of Restify: 404 or 405; from 500 on the error itself. */
export function refusalOf(error: Error): Error {
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status === 405) return fault('request.method_not_allowed')
  return status < 500 ? fault('not_found.route') : error
}

/** The fault for data that Node could not parse as a request, or that arrived too late. */
export function clientError(code: string | undefined): Error {
  if (code === 'HPE_HEADER_OVERFLOW')
    return fault('request.too_large', { status: 431, message: 'The headers of this request are too long.' })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request.timeout')
  return fault('request.malformed')
}
