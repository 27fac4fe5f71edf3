// Calls the service as the signed-in person: the public API, and the calls of people below /internal/v1.
import { faultOf, lostConnection, type ApiFault } from './fault.ts'

export type Query = Record<string, string | number | boolean | undefined>

export interface CallOptions {
  query?: Query
  body?: unknown
  /** The idempotency key. A call with one is repeated under it when the service is busy or the connection is lost. */
  key?: string
  signal?: AbortSignal
  /** The call is about the person, whatever organisation is chosen. */
  ofPerson?: boolean
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const PUBLIC_PATH = '/api/public/v1'
const INTERNAL_PATH = '/internal/v1'

const TRIES = 3
const LONGEST_WAIT_MS = 10_000

let organization: string | null = null
let onSignedOut: () => void = () => undefined

/** The organisation that the following calls are about. */
export function callFor(orgId: string | null): void {
  organization = orgId
}

/** What is done when a call is refused because nobody is signed in any more. */
export function whenSignedOut(then: () => void): void {
  onSignedOut = then
}

/** A call of the public API. Throws an ApiFault. */
export const call = <T>(method: Method, path: string, options: CallOptions = {}): Promise<T> =>
  answered<T>(method, PUBLIC_PATH + path, options)

/** A call of people. Throws an ApiFault. */
export const callInternal = <T>(method: Method, path: string, options: CallOptions = {}): Promise<T> =>
  answered<T>(method, INTERNAL_PATH + path, options)

/** A key that no other call has. Made where a form opens, so that sending it again repeats the same call. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The query as it is written in an address; what is not set is left out. */
export function queryText(query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

async function answered<T>(method: Method, path: string, options: CallOptions): Promise<T> {
  return (await sent(method, path, options)).json() as Promise<T>
}

async function sent(method: Method, path: string, options: CallOptions): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const outcome = await once(method, path, options)
    if (outcome instanceof Response) return outcome
    const isRepeatable = method === 'GET' || options.key !== undefined
    if (!isRepeatable || !outcome.isPassing || tried === TRIES) {
      if (outcome.status === 401 && path !== `${INTERNAL_PATH}/session`) onSignedOut()
      throw outcome
    }
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(outcome.retryAfterMs ?? 400 * 2 ** tried, LONGEST_WAIT_MS)),
    )
  }
}

async function once(method: Method, path: string, options: CallOptions): Promise<Response | ApiFault> {
  const { query, body, key, signal, ofPerson } = options
  const headers: Record<string, string> = {
    ...(organization !== null && !ofPerson && { 'X-Svc-Org': organization }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  }
  try {
    const answer = await fetch(path + queryText(query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    return answer.ok ? answer : await faultOf(answer)
  } catch (error) {
    if (signal?.aborted) throw error
    return lostConnection(error)
  }
}
