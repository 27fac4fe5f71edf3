// Formats the numbers of documents from templates.
import { fault } from './faults.ts'
import { financialYear } from './financial-year.ts'

/** The specification's default template of a series. */
export const DEFAULT_TEMPLATE = '{prefix}{fy}-{num}'

/** The template of the virtual series, used where no accounting period covers the date or the series is unknown (decisions §4). */
export const VIRTUAL_TEMPLATE = '{prefix}{YYYYMMDD}-{num}'

export const DEFAULT_PADDING = 3

/** A number without its counter: the text before it, the digits that it is padded to, and the text after it. */
export interface NumberParts {
  before: string
  padding: number
  after: string
}

export interface NumberContext {
  prefix: string
  padding: number
  /** The document's date. */
  date: string
  fiscalYearStartMonth: number
}

const TOKEN = /(\{[^{}]*\})/
const COUNTER = '{num}'
const KNOWN_TOKENS: ReadonlySet<string> = new Set(['{prefix}', '{fy}', '{yy}', '{YYYYMMDD}', COUNTER])
const MAX_TEMPLATE_LENGTH = 100

/** True for a template with exactly one {num} and no unknown token (decisions §4). */
export function isNumberTemplate(text: string): boolean {
  if (text.length > MAX_TEMPLATE_LENGTH) return false
  const pieces = text.split(TOKEN)
  const tokens = pieces.filter(isToken)
  const letters = pieces.filter((piece) => !isToken(piece)).join('')
  return (
    tokens.every((token) => KNOWN_TOKENS.has(token)) &&
    tokens.filter((token) => token === COUNTER).length === 1 &&
    !/[{}\p{Cc}]/u.test(letters)
  )
}

// Numbers replace placeholders inside JSON text, so they must not contain characters that JSON escapes.
const isPlain = (text: string) => !/["\\{}\p{Cc}]/u.test(text)

/** Throws validation.invalid_value, with the field, for a prefix or template that cannot be used for numbers. */
export function refuseUnplain(prefix: string, template: string): void {
  if (!isPlain(prefix))
    throw refused('prefix', 'A prefix must not contain quotes, backslashes, braces or control characters.')
  if (isNumberTemplate(template) && isPlain(template.replaceAll(/\{\w+\}/g, ''))) return
  throw refused(
    'format_template',
    'A template must contain {num} once, and may contain {prefix}, {fy}, {yy} and {YYYYMMDD}.',
  )
}

const refused = (field: string, message: string) => fault('validation.invalid_value', { field, message })

/**
 * The parts of a number around its counter, so that the counter can be taken last, in SQL.
 * A token inside the prefix is plain text. Throws an ordinary error for a template that isNumberTemplate refuses.
 */
export function numberParts(template: string, context: NumberContext): NumberParts {
  const { prefix, padding, date, fiscalYearStartMonth } = context
  if (!isNumberTemplate(template)) throw new Error(`not a template of numbers: ${template}`)
  const year = financialYear(date, fiscalYearStartMonth)
  const meaning: Record<string, string> = {
    '{prefix}': prefix,
    '{fy}': year.label,
    '{yy}': year.short,
    '{YYYYMMDD}': date.replaceAll('-', ''),
  }
  const pieces = template.split(TOKEN)
  const counter = pieces.indexOf(COUNTER)
  const written = (part: string[]) => part.map((piece) => (isToken(piece) ? (meaning[piece] ?? piece) : piece)).join('')
  return { before: written(pieces.slice(0, counter)), padding, after: written(pieces.slice(counter + 1)) }
}

function isToken(piece: string): boolean {
  return piece.startsWith('{') && piece.endsWith('}')
}
