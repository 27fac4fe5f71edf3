// Refusals in the words of OAuth (RFC 6749 §5.2), which the calls of clients answer in place of our envelope.
import { asFault } from '../../commands/books/refusals.ts'
import { OAuthError } from '../../commands/oauth/library.ts'
import { Fault } from '../../domain/faults.ts'
import { CallerChanged } from '../../models/token.ts'

export class OAuthFault extends Error {
  readonly error: string
  readonly status: number
  readonly headers: Record<string, string>

  constructor(error: string, description: string, { status = 400, headers = {} } = {}) {
    super(description)
    this.error = error
    this.status = status
    this.headers = headers
  }
}

export interface OAuthReply {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** The answer to any error; `onUnhandled` gets one that is a fault of ours. */
export function oauthRefusal(thrown: unknown, onUnhandled: (error: unknown) => void): OAuthReply {
  const refused = refusalFor(thrown, onUnhandled)
  return {
    status: refused.status,
    headers: refused.headers,
    body: { error: refused.error, error_description: descriptionOf(refused.message) },
  }
}

function refusalFor(thrown: unknown, onUnhandled: (error: unknown) => void): OAuthFault {
  if (thrown instanceof OAuthFault) return thrown
  if (thrown instanceof CallerChanged)
    return new OAuthFault('temporarily_unavailable', 'Try again.', { status: 503, headers: { 'Retry-After': '1' } })
  if (thrown instanceof OAuthError && thrown.name !== 'server_error') return new OAuthFault(thrown.name, thrown.message)
  const meant = asFault(thrown)
  if (meant instanceof Fault && meant.status < 500) {
    const headers: Record<string, string> = meant.retryAfter ? { 'Retry-After': String(meant.retryAfter) } : {}
    const error = meant.status === 429 ? 'temporarily_unavailable' : 'invalid_request'
    return new OAuthFault(error, meant.message, { status: meant.status, headers })
  }
  if (meant instanceof Fault && meant.status === 503)
    return new OAuthFault('temporarily_unavailable', meant.message, { status: 503, headers: { 'Retry-After': '1' } })
  onUnhandled(meant)
  return new OAuthFault('server_error', 'An internal error occurred; nothing was written.', { status: 500 })
}

// RFC 6749 allows no quotes, backslashes or other than ASCII in a description.
export const descriptionOf = (message: string): string =>
  message.replaceAll(/["\\`]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?')
