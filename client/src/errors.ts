// The errors that calls reject with, by kind.
import type { components } from './schema.ts'

/** The codes of the API; `GET /errors` says what each means. */
export type ApiErrorCode = components['schemas']['Error']['code']

/** What the client itself has found, or a proxy has answered in place of the API, as `http.502`. */
export type ClientErrorCode =
  | 'client.connection_lost'
  | 'client.timed_out'
  | 'client.invalid_answer'
  | 'client.invalid_signature'
  | `http.${number}`

export interface FieldProblem {
  field: string
  code: string
  message: string
}

export interface ErrorFacts {
  code: ApiErrorCode | ClientErrorCode
  /** Null where there was no answer. */
  status: number | null
  field?: string | null
  details?: Record<string, unknown> | null
  errors?: FieldProblem[]
  requestId?: string | null
  retryAfterMs?: number | null
  cause?: unknown
}

/** A call that did not succeed. Program against `code`; the message is for people and may change. */
export class BahiError extends Error {
  override name = 'BahiError'
  readonly code: ApiErrorCode | ClientErrorCode
  /** The status of the answer, null where there was none. */
  readonly status: number | null
  /** The field that is wrong, where the API has named one. */
  readonly field: string | null
  readonly details: Record<string, unknown> | null
  /** Every problem of a body whose shape is wrong. */
  readonly errors: FieldProblem[]
  /** By which the operator finds the call; quote it when you ask. */
  readonly requestId: string | null
  /** How long the API has asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null
  /** How often the call was sent. */
  attempts = 1
  /** The key that the call was sent with: to send it again as the same call later. */
  idempotencyKey: string | null = null

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.field = facts.field ?? null
    this.details = facts.details ?? null
    this.errors = facts.errors ?? []
    this.requestId = facts.requestId ?? null
    this.retryAfterMs = facts.retryAfterMs ?? null
  }
}

/** 401: the token or the session is missing, invalid or has ended. */
export class AuthenticationError extends BahiError {
  override name = 'AuthenticationError'
}

/** 403: the token lacks a scope, the role does not suffice, or the organisation is suspended. */
export class PermissionError extends BahiError {
  override name = 'PermissionError'
}

/** 404: there is no such record in this organisation. */
export class NotFoundError extends BahiError {
  override name = 'NotFoundError'
}

/** 409: the state of a record, a duplicate or a limit forbids it. */
export class ConflictError extends BahiError {
  override name = 'ConflictError'
}

/** 400, 413, 415 or 422: something in the request is wrong; `field` or `errors` say what. */
export class ValidationError extends BahiError {
  override name = 'ValidationError'
}

/** 429: too many requests. */
export class RateLimitedError extends BahiError {
  override name = 'RateLimitedError'
}

/** 5xx: the service failed, or something that it depends on. */
export class ServerError extends BahiError {
  override name = 'ServerError'
}

/** There was no answer: the connection failed or was cut, or the answer took too long. What was sent may have been carried out. */
export class ConnectionError extends BahiError {
  override name = 'ConnectionError'
}

/** The answer is none of the API's: no JSON, or JSON without its envelope. */
export class InvalidAnswerError extends BahiError {
  override name = 'InvalidAnswerError'
}

/** A webhook that was not signed with the secret, or too long ago. */
export class SignatureError extends BahiError {
  override name = 'SignatureError'

  constructor(message: string) {
    super(message, { code: 'client.invalid_signature', status: null })
  }
}

const KINDS: Record<number, typeof BahiError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitedError,
}

/** The error of an answer, by its status and body. */
export function errorOf(response: Response, body: unknown): BahiError {
  const { status, headers } = response
  const Kind = status >= 500 ? ServerError : (KINDS[status] ?? BahiError)
  const sent = (typeof body === 'object' && body !== null ? body : {}) as components['schemas']['Error']
  const retryAfterMs = waitIn(headers.get('Retry-After'))
  const requestId = headers.get('X-Request-Id')
  if (typeof sent.code !== 'string')
    return new Kind(`The answer has the status ${status}, and is none of the API's.`, {
      code: `http.${status}`,
      status,
      requestId,
      retryAfterMs,
    })
  return new Kind(String(sent.message), {
    code: sent.code,
    status,
    field: sent.field ?? null,
    details: (sent.details ?? null) as Record<string, unknown> | null,
    errors: Array.isArray(sent.errors) ? sent.errors : [],
    requestId: sent.request_id ?? requestId,
    retryAfterMs,
  })
}

// Seconds, or a date.
function waitIn(header: string | null): number | null {
  if (header === null || header.trim() === '') return null
  const seconds = Number(header)
  const waitMs = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : null
}
