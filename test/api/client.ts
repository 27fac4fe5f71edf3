// How tests call the API: over real HTTP, as anybody would.
import { randomUUID } from 'node:crypto'

export interface CallOptions {
  token?: string
  partnerKey?: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, in place of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>
  /** The Idempotency-Key. */
  key?: string
  headers?: Record<string, string>
}

// Tests read answers as a caller in JavaScript does, without declared types.
// biome-ignore lint/suspicious/noExplicitAny: every other type would have to be narrowed at each field of each answer.
export type Json = any

/** `body` is what the JSON says, undefined where the answer is none. */
export interface Answered {
  status: number
  headers: Record<string, string>
  body: Json
  text: string
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answered>

/** An organisation's caller. A POST carries a fresh Idempotency-Key unless one is told. */
export interface Client {
  orgId: string
  token: string
  call: Call
  get(path: string): Promise<Answered>
  post(path: string, body?: unknown, key?: string): Promise<Answered>
  put(path: string, body: unknown): Promise<Answered>
  delete(path: string): Promise<Answered>
}

export function callAt(baseUrl: string): Call {
  return async (method, path, { token, partnerKey, body, raw, key, headers = {} } = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(partnerKey === undefined ? {} : { 'x-partner-key': partnerKey }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const text = await response.text()
    return { status: response.status, headers: Object.fromEntries(response.headers), body: jsonOf(text), text }
  }
}

export function clientOf(call: Call, orgId: string, token: string): Client {
  const own: Call = (method, path, options = {}) => call(method, path, { token, ...options })
  return {
    orgId,
    token,
    call: own,
    get: (path) => own('GET', path),
    post: (path, body, key = randomUUID()) => own('POST', path, { body, key }),
    put: (path, body) => own('PUT', path, { body }),
    delete: (path) => own('DELETE', path),
  }
}

export function jsonOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
