// Posts one body over HTTP within a time limit for the whole of it, and returns the outcome.
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Outcome, OutcomeKind } from '../../domain/delivery.ts'

/** How many bytes of a response are kept for the delivery log. */
const KEPT_BYTES = 4_096

/** The message for a name with a blocked address. It does not contain the address, which would reveal the internal network. */
export const blockedMessage = (hostname: string) => `${hostname} resolves to an address that is not allowed.`

/** Thrown by a look-up that found a blocked address. Its message does not contain the address. */
export class BlockedAddress extends Error {
  constructor(hostname: string) {
    super(blockedMessage(hostname))
    this.name = 'BlockedAddress'
  }
}

export interface WebhookRequest {
  url: URL
  body: Buffer
  headers: Record<string, string>
  /** false for a new connection that is used for this request alone. */
  agent: http.Agent | false
  lookup: LookupFunction
  timeoutMs: number
}

/** Posts the body and waits for the response. Redirects are not followed. Never throws. */
export async function sendWebhookRequest(request: WebhookRequest): Promise<Outcome> {
  const startedMs = performance.now()
  const result = await attempt(request, request.timeoutMs)
  const spentMs = performance.now() - startedMs
  // The receiver closed a kept-alive connection just as it was used again. That is no failed attempt: the request is sent once more.
  const again = result === 'stale' ? await attempt({ ...request, agent: false }, request.timeoutMs - spentMs) : result
  const durationMs = Math.round(performance.now() - startedMs)
  if (again === 'stale')
    return { ...failure('unreachable', 'The connection was closed before a response arrived.'), durationMs }
  return { ...again, durationMs }
}

type Result = Omit<Outcome, 'durationMs'>

function attempt({ url, body, headers, agent, lookup }: WebhookRequest, timeoutMs: number): Promise<Result | 'stale'> {
  return new Promise((settle) => {
    let status: number | null = null
    const kept: Buffer[] = []
    let keptBytes = 0

    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': body.length },
      agent,
      lookup,
    })
    const deadline = setTimeout(() => {
      // The status acknowledges the webhook, so a response whose body does not end in time still counts.
      done(status === null ? failure('timeout', `No response within ${Math.round(timeoutMs)} ms.`) : answered())
      request.destroy()
    }, timeoutMs)

    function done(result: Result | 'stale'): void {
      clearTimeout(deadline)
      settle(result)
    }
    const answered = () => outcomeOf(status!, textOf(Buffer.concat(kept)))

    request.on('response', (response) => {
      status = response.statusCode ?? 0
      response.on('data', (chunk: Buffer) => {
        kept.push(chunk.subarray(0, KEPT_BYTES - keptBytes))
        keptBytes += chunk.length
        if (keptBytes <= KEPT_BYTES) return
        done(answered())
        request.destroy()
      })
      response.on('end', () => done(answered()))
      response.on('error', () => done(answered()))
    })
    request.on('upgrade', (response, socket) => {
      status = response.statusCode ?? 101
      done(answered())
      socket.destroy()
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (status !== null) return done(answered())
      const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      return done(stale ? 'stale' : failureOf(error))
    })
    request.end(body)
  })
}

function outcomeOf(statusCode: number, responseBody: string): Result {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered', statusCode, error: null, responseBody }
  const redirect = statusCode >= 300 && statusCode < 400
  const error = redirect ? `Status ${statusCode}: redirects are not followed.` : `Status ${statusCode}.`
  return { kind: redirect ? 'redirect' : 'refused', statusCode, error, responseBody }
}

function failure(kind: OutcomeKind, error: string): Result {
  return { kind, statusCode: null, error, responseBody: null }
}

// Node's messages contain the address, which must not be revealed, so only the error code is reported.
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'it was refused',
  ECONNRESET: 'it was broken off',
  EPIPE: 'it was broken off',
  ETIMEDOUT: 'it took too long',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'the name does not exist',
  ETIMEOUT: 'the name could not be looked up in time',
  ESERVFAIL: 'the name could not be looked up',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
}

function failureOf(error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }): Result {
  if (error instanceof BlockedAddress) return failure('blocked', error.message)
  // Where several addresses were tried and all failed, the first error is reported.
  const code = (error.errors?.[0]?.code ?? error.code ?? 'unknown').replaceAll(/[^A-Za-z0-9_]/g, '')
  const reason = code.startsWith('HPE_') ? 'the response is not HTTP' : REASONS[code]
  return failure('unreachable', reason ? `No connection: ${reason} (${code}).` : `No connection (${code}).`)
}

// PostgreSQL text cannot contain NUL. `stream` leaves out a last character of which only a part was kept.
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}
