// What is no call of ours: unknown paths, wrong methods, bytes that are not HTTP; refused in our envelope all the same.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { fault, type Fault } from '../../domain/faults.ts'
import type { AccessLog } from './access-log.ts'
import type { Reply } from './envelope.ts'
import { limitHeaders, refuse } from './pipeline.ts'
import type { Limiter } from './rate-limit.ts'

export interface Strangers {
  /** The reply to a request that no route takes; `error` is what Restify says of it, `allow` the methods that the path has. */
  replyTo(method: string, error: Error, allow: string | null): Reply
  /** Answers bytes that Node could not read as a request, and closes their connection. */
  answerNoise(error: Error, socket: Duplex): void
}

export function strangersOf(limiter: Limiter, accessLog: AccessLog): Strangers {
  function refused(method: string, meant: Error): Reply {
    const requestId = randomUUID()
    const reply = refuse({ onMishap: accessLog.mishap }, meant, requestId)
    Object.assign(reply.headers, limitHeaders(limiter.uncounted(new Date())), { 'X-Request-Id': requestId })
    accessLog.passed({ requestId, orgId: null, subject: null, ip: null, method, route: 'unknown', status: reply.status, durationMs: 0 })
    return reply
  }
  return {
    replyTo(method, error, allow) {
      const status = (error as { statusCode?: number }).statusCode ?? 500
      const reply = refused(method, status === 405 ? fault('request.method_not_allowed') : status < 500 ? fault('not_found.route') : error)
      if (status === 405 && allow !== null) reply.headers.Allow = allow
      return reply
    },
    answerNoise(error, socket) {
      // A caller that hung up is past answering.
      if (!socket.writable) return void socket.destroy()
      const { status, headers, body } = refused('', noiseFault((error as NodeJS.ErrnoException).code))
      const lines = { ...headers, 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }
      const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`)]
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
    },
  }
}

function noiseFault(code: string | undefined): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return fault('request.too_large', { status: 431, message: 'The headers of this request are too long.' })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request.timeout')
  return fault('request.malformed')
}
