// Reads a request's body: bounded in size and time, JSON in UTF-8, with nothing in it that PostgreSQL cannot store.
import type { IncomingMessage } from 'node:http'
import { setImmediate as breathe } from 'node:timers/promises'
import { fault } from '../../domain/faults.ts'
import { validationFailed } from './problems.ts'
import type { Shares } from './concurrency-shares.ts'
import { findUnstorable, scan } from './storable.ts'

export const BODY_LIMIT = 2 * 1024 * 1024
/** The limit of a body with many documents. */
export const BULK_LIMIT = 10 * 1024 * 1024
/** Larger bodies count against the share of their organisation, and are parsed one at a time. */
export const LARGE_BODY = 64 * 1024
const DEPTH_LIMIT = 64
// The smallest average size of a body's parts. The time to parse a body grows with the number of its parts, so that is limited.
const BYTES_A_PART = 32
// How long a body may take to arrive.
export const BODY_MS = 30_000
// How long, and up to how many bytes, the rest of a refused body is read and discarded.
export const UNREAD_MS = 5_000
export const UNREAD_BYTES = 16 * 1024 * 1024
// Parsing a large body is followed by a pause for other work: this many times the time it took, up to PAUSE_MS.
const PAUSE_SHARE = 2
const PAUSE_MS = 500

/** The most bytes that this request's body can have: its Content-Length, or the limit if it is chunked. */
export function sizeOf(request: IncomingMessage, limit: number): number {
  const announced = request.headers['content-length']
  if (announced !== undefined) return Math.min(Number(announced), limit)
  return request.headers['transfer-encoding'] === undefined ? 0 : limit
}

/**
 * Reads the body's bytes; an absent body is an empty buffer. Throws request.too_large as soon as more than `limit`
 * bytes are announced or received, request.timeout after `withinMs`, and request.malformed_json for a body that is cut off.
 */
export async function readBody(request: IncomingMessage, limit: number, withinMs = BODY_MS): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  return collect(request, limit, withinMs)
}

/** Throws request.unsupported_media_type for anything but JSON in UTF-8; an empty body may be of any type. */
export function checkMediaType({ headers }: IncomingMessage, bytes: Buffer): void {
  if (bytes.length === 0) return
  const type = headers['content-type']
  const essence = type?.split(';')[0]?.trim().toLowerCase()
  const charset = /charset="?([^";\s]+)/i.exec(type ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  const plain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity'
  if (essence === 'application/json' && (charset === 'utf-8' || charset === 'utf8') && plain) return
  throw fault('request.unsupported_media_type')
}

/** What scanning a body has found: whether it may contain a value that cannot be stored. */
export interface Scanned {
  isSuspicious: boolean
}

/**
 * Looks through the bytes before they are parsed. Throws request.malformed_json for a body that is nested too deep, or
 * validation.failed for more lists, objects and names than a body of `limit` bytes may have.
 */
export function scanBody(bytes: Buffer, limit: number): Scanned {
  const { depth, parts, isSuspicious } = scan(bytes)
  if (depth > DEPTH_LIMIT)
    throw fault('request.malformed_json', { message: `The body is nested deeper than ${DEPTH_LIMIT} levels.` })
  const most = Math.floor(limit / BYTES_A_PART)
  if (parts > most) {
    throw validationFailed([
      { field: '', code: 'too_many', message: `must not have more than ${most} lists, objects and names` },
    ])
  }
  return { isSuspicious }
}

/**
 * Parses the bytes; an empty body is an empty object. Throws request.malformed_json, and validation.failed for values that
 * cannot be stored. Those within the list under the name `apart` are left to whoever validates its rows one by one.
 */
export function parseBody(bytes: Buffer, { isSuspicious }: Scanned, apart?: string): unknown {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(UTF8.decode(bytes))
  } catch (error) {
    throw fault('request.malformed_json', { message: `The body is not JSON: ${(error as Error).message}` })
  }
  const problems = isSuspicious ? findUnstorable(apart === undefined ? value : without(value, apart)) : []
  if (problems.length > 0) throw validationFailed(problems)
  return value
}

function without(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Array.isArray((value as Record<string, unknown>)[name]))
    return value
  return { ...value, [name]: [] }
}

/**
 * Runs the processing of a body: at once for an ordinary body, in turn for a large one, with a moment for other work wherever
 * it yields. The turn ends with a pause, so that other calls wait for one large body at most.
 */
export async function inTurn<T>(
  { parsing }: Pick<Shares, 'parsing'>,
  owner: string,
  size: number,
  work: () => Generator<void, T>,
): Promise<T> {
  const steps = work()
  if (size <= LARGE_BODY) return lastOf(steps)
  const release = await parsing.take(owner)
  let busyMs = 0
  try {
    for (;;) {
      const begun = performance.now()
      const { done, value } = steps.next()
      busyMs += performance.now() - begun
      if (done) return value
      await breathe()
    }
  } finally {
    setTimeout(release, Math.min(PAUSE_MS, PAUSE_SHARE * busyMs)).unref()
  }
}

function lastOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Reads and discards the rest of a body, for UNREAD_MS and up to UNREAD_BYTES; then closes the connection. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.socket.destroy(), UNREAD_MS).unref()
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > UNREAD_BYTES) request.socket.destroy()
  })
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
  request.on('error', () => undefined)
  request.resume()
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function collect(request: IncomingMessage, limit: number, withinMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else refuse(tooLarge(limit))
    }
    const done = () => {
      settle()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const refuse = (reason: Error) => {
      settle()
      chunks = []
      reject(reason)
    }
    const cutOff = () => refuse(fault('request.malformed_json', { message: 'The body was cut off.' }))
    const timer = setTimeout(
      () => refuse(fault('request.timeout', { message: 'The body did not arrive in time.' })),
      withinMs,
    )
    const settle = () => {
      clearTimeout(timer)
      request.off('data', take).off('end', done).off('close', cutOff)
    }
    // A connection that was closed earlier emits no further event.
    if (request.destroyed) return cutOff()
    request.on('data', take).on('end', done).on('close', cutOff)
    request.on('error', cutOff)
  })
}

function tooLarge(limit: number) {
  return fault('request.too_large', {
    message: `The body is larger than ${limit} bytes.`,
    details: { max_bytes: limit },
  })
}
