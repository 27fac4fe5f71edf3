// Calls the service as the signed-in person, by the typed client: the public API, and the calls of people.
import { Bahi } from '@bahi/client'
import { Internal } from '@bahi/client/internal'
import { ApiFault } from './fault.ts'

export type Query = Record<string, string | number | boolean | undefined>

export interface CallOptions {
  query?: Query
  body?: unknown
  /** The idempotency key of a POST, which is repeated under it when the service is busy or the connection is lost. */
  key?: string
  signal?: AbortSignal
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const PUBLIC_PATH = '/api/public/v1'
export const PEOPLE_PATH = '/internal/v1'

const REPEATS = { retries: 2 }
const asPerson = new Internal({ baseUrl: PEOPLE_PATH, ...REPEATS })

let ofBooks = new Bahi({ baseUrl: PUBLIC_PATH, ...REPEATS })
let ofPeople = asPerson
let onSignedOut: () => void = () => undefined

/** The organisation that the following calls are about; null where nobody is signed in. */
export function callFor(orgId: string | null): void {
  const named = orgId === null ? {} : { organizationId: orgId }
  ofBooks = new Bahi({ baseUrl: PUBLIC_PATH, ...REPEATS, ...named })
  ofPeople = new Internal({ baseUrl: PEOPLE_PATH, ...REPEATS, ...named })
}

/** What is done when a call is refused because nobody is signed in any more. */
export function whenSignedOut(then: () => void): void {
  onSignedOut = then
}

/** The typed client of the calls of people, about the organisation. */
export const people = (): Internal => ofPeople

/** The same about the person, whatever organisation is chosen. */
export const person = (): Internal => asPerson

/** A call of the public API whose path is known only when it is made, as that of a kind of document. Throws an ApiFault. */
export const call = <T>(method: Method, path: string, options: CallOptions = {}): Promise<T> =>
  answerOf<T>(ofBooks, method, path, options)

/** The same of a call of people, as of a list; about the person alone where `ofPerson` says so. Throws an ApiFault. */
export const callOfPeople = <T>(
  method: Method,
  path: string,
  { ofPerson = false, ...options }: CallOptions & { ofPerson?: boolean } = {},
): Promise<T> => answerOf<T>((ofPerson ? asPerson : ofPeople) as unknown as Bahi, method, path, options)

async function answerOf<T>(
  client: Bahi,
  method: Method,
  path: string,
  { query, body, key, signal }: CallOptions,
): Promise<T> {
  const sent = {
    ...(query && { query: set(query) }),
    ...(body !== undefined && { body }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(signal && { signal }),
  } as never
  const at = path as never
  try {
    switch (method) {
      case 'GET':
        return (await client.get(at, sent)) as T
      case 'POST':
        return (await client.post(at, sent)) as T
      case 'PUT':
        return (await client.put(at, sent)) as T
      case 'DELETE':
        return (await client.delete(at, sent)) as T
    }
  } catch (error) {
    if (error instanceof ApiFault && error.status === 401) onSignedOut()
    throw error
  }
}

/** A key that no other call has. Made where a form opens, so that sending it again repeats the same call. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The query as it is written in an address; what is not set is left out. */
export function queryText(query: Query = {}): string {
  const text = new URLSearchParams(Object.entries(set(query)).map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

const set = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''))
