// Reads a request's body: of bounded size, UTF-8, JSON, and nothing in it that a database or a client chokes on.
import type { IncomingMessage } from 'node:http'
import { fault, type FieldProblem } from '../../domain/faults.ts'

export const BODY_LIMIT = 2 * 1024 * 1024
const DEPTH_LIMIT = 64

/**
 * Reads the body's bytes. Throws request.too_large as soon as more than `limit` bytes are announced or have come,
 * and request.unsupported_media_type for anything but JSON; an absent body is an empty buffer.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(limit)
  const bytes = await collect(request, limit)
  if (bytes.length > 0) refuseMediaType(request.headers['content-type'], request.headers['content-encoding'])
  return bytes
}

/** Parses the bytes. Throws request.malformed_json, or validation.failed with every text that cannot be stored. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(UTF8.decode(bytes))
  } catch (error) {
    throw fault('request.malformed_json', { message: `The body is not JSON: ${(error as Error).message}` })
  }
  const problems: FieldProblem[] = []
  findUnstorable(value, '', 0, problems)
  if (problems.length > 0) throw fault('validation.failed', { errors: problems })
  return value
}

/** True for text that PostgreSQL and UTF-8 can hold: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

// The rest of a body that is too large is let run out unread: an answer on a cut connection would never arrive.
function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else reject(tooLarge(limit))
    })
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.once('error', () => reject(fault('request.malformed_json', { message: 'The body was cut off.' })))
  })
}

function tooLarge(limit: number) {
  return fault('request.too_large', { message: `The body is larger than ${limit} bytes.`, details: { max_bytes: limit } })
}

function refuseMediaType(type: string | undefined, encoding: string | undefined): void {
  const essence = type?.split(';')[0]?.trim().toLowerCase()
  const charset = /charset="?([^";\s]+)/i.exec(type ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  const plain = encoding === undefined || encoding === 'identity'
  if (essence === 'application/json' && (charset === 'utf-8' || charset === 'utf8') && plain) return
  throw fault('request.unsupported_media_type')
}

function findUnstorable(value: unknown, field: string, depth: number, problems: FieldProblem[]): void {
  if (depth > DEPTH_LIMIT) {
    throw fault('request.malformed_json', { message: `The body is nested deeper than ${DEPTH_LIMIT} levels.` })
  }
  if (typeof value === 'string' && !isStorableText(value)) {
    problems.push({ field, code: 'text', message: 'must not contain a NUL or half of a surrogate pair' })
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    problems.push({ field, code: 'number', message: 'must be a number of ordinary size' })
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => findUnstorable(element, join(field, index), depth + 1, problems))
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, element] of Object.entries(value)) {
      if (!isStorableText(name)) problems.push({ field, code: 'text', message: 'has a name that cannot be stored' })
      else findUnstorable(element, join(field, name), depth + 1, problems)
    }
  }
}

const join = (field: string, name: string | number) => (field === '' ? String(name) : `${field}.${name}`)
