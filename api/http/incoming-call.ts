// Receives the body of a call that writes: reads it and validates it against the route's shape.
import type { IncomingMessage } from 'node:http'
import type { TObject, TSchema } from 'typebox'
import { Fault } from '../../domain/faults.ts'
import { BODY_LIMIT, checkMediaType, discardRest, inTurn, parseBody, readBody, scanBody } from './body.ts'
import { bodyHashOf, UNREAD } from './idempotency.ts'
import type { Input, Route } from './route.ts'
import type { Shares } from './concurrency-shares.ts'
import { readQuery, validateBody } from './validate.ts'

export interface IncomingCall {
  request: IncomingMessage
  path: string
  parameters: URLSearchParams
  params: Record<string, string>
  /** Reads the body where it is not JSON: the form of a page. */
  read?: () => Promise<Received>
  /** The result of reading the body, set when reading begins: a body can only be read once. */
  received?: Promise<Received>
}

export interface Received {
  bodyHash: string
  /** The input, or why it is refused. A refusal is stored under the call's key, so it is thrown only after the key is claimed. */
  input: Input<TObject, TSchema> | Fault
}

/** Reads the body and validates it. Throws only errors that are not stored under a key: a body that was cut off or timed out. */
export async function receive(
  shares: Shares,
  route: Route,
  owner: string,
  { request, parameters, params }: IncomingCall,
): Promise<Received> {
  const limit = route.bodyLimit ?? BODY_LIMIT
  let bytes: Buffer
  try {
    bytes = await readBody(request, limit)
  } catch (error) {
    discardRest(request)
    if (error instanceof Fault && error.code === 'request.too_large') return { bodyHash: UNREAD, input: error }
    throw error
  }
  return inTurn(shares, owner, bytes.length, function* () {
    const bodyHash = bodyHashOf(bytes)
    yield
    try {
      checkMediaType(request, bytes)
      const scanned = scanBody(bytes, limit)
      yield
      // The rows of a bulk may each be refused alone.
      const body = parseBody(bytes, scanned, route.envelope && Object.keys(route.envelope.properties)[0])
      const query = readQuery(route.query, parameters)
      if (route.body) validateBody(route.envelope ?? route.body, body, route.alsoCheck)
      return { bodyHash, input: { params, query, body: body as Input<TObject, TSchema>['body'] } }
    } catch (error) {
      if (error instanceof Fault) return { bodyHash, input: error }
      throw error
    }
  })
}
