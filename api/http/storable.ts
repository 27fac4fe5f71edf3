// Scans a JSON text before it is parsed, and finds values in it that cannot be stored.
import type { FieldProblem } from '../../domain/faults.ts'
import { MAX_FIELD, MAX_PROBLEMS } from './problems.ts'

/** True for text that PostgreSQL can store in UTF-8: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

const byteOf = (character: string) => character.charCodeAt(0)
const [QUOTE, BACKSLASH, COLON] = [byteOf('"'), byteOf('\\'), byteOf(':')]
const [OPENING_BRACKET, OPENING_BRACE, CLOSING_BRACKET, CLOSING_BRACE] = [
  byteOf('['),
  byteOf('{'),
  byteOf(']'),
  byteOf('}'),
]
const [ZERO, NINE, EXPONENT, SMALL_EXPONENT, SMALL_U] = [
  byteOf('0'),
  byteOf('9'),
  byteOf('E'),
  byteOf('e'),
  byteOf('u'),
]
// Numbers of fewer digits and without an exponent are finite.
const LONG_NUMBER = 300

/**
 * One pass over the bytes of a JSON text: how deep it is nested, how many lists, objects and names it has (they dominate
 * the cost of parsing), and whether it may contain a value that cannot be stored. A NUL or half of a surrogate pair needs an
 * escape, and a number that is not finite needs an exponent or very many digits; most bodies have none of these, and
 * findUnstorable need not visit their values.
 */
export function scan(bytes: Buffer): { depth: number; parts: number; isSuspicious: boolean } {
  let [deepest, depth, parts, digits, isSuspicious] = [0, 0, 0, 0, false]
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place]!
    if (byte === QUOTE) {
      for (place += 1; place < bytes.length && bytes[place] !== QUOTE; place += 1) {
        if (bytes[place] !== BACKSLASH) continue
        place += 1
        if (bytes[place] === SMALL_U) isSuspicious = true
      }
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      parts += 1
      deepest = Math.max(deepest, (depth += 1))
    } else if (byte === COLON) parts += 1
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth -= 1
    else if (byte >= ZERO && byte <= NINE) {
      if ((digits += 1) > LONG_NUMBER) isSuspicious = true
      continue
    } else if (byte === EXPONENT || byte === SMALL_EXPONENT) {
      if (digits > 0) isSuspicious = true
    }
    digits = 0
  }
  return { depth: deepest, parts, isSuspicious }
}

/** The problems of all values that cannot be stored; stops when there are more than an answer lists. */
export function findUnstorable(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = []
  visit(value, [], problems)
  return problems
}

// The path becomes text only for a problem: it may be long, and there may be many values.
function visit(value: unknown, path: (string | number)[], problems: FieldProblem[]): void {
  if (problems.length > MAX_PROBLEMS) return
  if (typeof value === 'string') {
    if (!isStorableText(value))
      problems.push({
        field: pathText(path),
        code: 'text',
        message: 'must not contain a NUL or half of a surrogate pair',
      })
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value))
      problems.push({
        field: pathText(path),
        code: 'number',
        message: 'must be a number that is neither too large nor too small',
      })
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length && problems.length <= MAX_PROBLEMS; index += 1) {
      path.push(index)
      visit(value[index], path, problems)
      path.pop()
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      if (problems.length > MAX_PROBLEMS) return
      if (!isStorableText(name)) {
        problems.push({ field: pathText(path), code: 'text', message: 'has a name that cannot be stored' })
        continue
      }
      path.push(name)
      visit((value as Record<string, unknown>)[name], path, problems)
      path.pop()
    }
  }
}

// Names are cut before they are joined: a hundred paths of a megabyte each would take a hundred megabytes.
const pathText = (path: (string | number)[]) => path.map((part) => String(part).slice(0, MAX_FIELD + 1)).join('.')
