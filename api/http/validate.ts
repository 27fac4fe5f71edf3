// Validates bodies and queries against their shapes, and reports all problems at once.
import type { TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import Format from 'typebox/format'
import { Settings } from 'typebox/system'
import { isInstant, parseDocumentDate, isDate } from '../../domain/dates.ts'
import { fault, type FieldProblem } from '../../domain/faults.ts'
import { isOneLine } from '../../domain/mail.ts'
import { isMailAddress } from '../../domain/mail-address.ts'
import { refuseEmptyPeriods } from './period.ts'
import { MAX_PROBLEMS, validationFailed } from './problems.ts'
import { isStorableText } from './storable.ts'

// The forms of a date that requests may send (decisions §1); JSON Schema's own `date` and `date-time` are narrower.
Format.Set('document-date', (text) => parseDocumentDate(text) !== null)
Format.Set('mail-address', isMailAddress)
Format.Set('one-line', isOneLine)
Format.Set('instant', (text) => isInstant(text) || isDate(text))

// All problems are collected (decisions §1), so that those of the body's own fields can be listed before those of its lines.
// Their number is bounded by the limits in the shapes.
Settings.Set({ maxErrors: 10_000 })

// Each shape is compiled once, even if several routes use it.
const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

/** Throws `422 validation.failed` with all problems of the body (decisions §1). */
export function validateBody(
  schema: TSchema,
  body: unknown,
  alsoCheck: (body: unknown) => FieldProblem[] = () => [],
): void {
  const problems = problemsIn(schema, body, alsoCheck)
  if (problems.length === 0) return
  throw validationFailed(
    problems.length > MAX_PROBLEMS ? problems.toSorted((a, b) => depthOf(a) - depthOf(b)) : problems,
  )
}

/** All problems of a body, or of a part of one whose shape depends on the rest. */
export function problemsIn(
  schema: TSchema,
  body: unknown,
  alsoCheck: (body: unknown) => FieldProblem[] = () => [],
): FieldProblem[] {
  const validator = validatorOf(schema)
  const problems: FieldProblem[] = []
  const measured = cutToBounds(schema, body, '', problems)
  if (!validator.Check(measured)) problems.push(...problemsOf(validator, measured))
  problems.push(...alsoCheck(measured))
  return problems
}

const depthOf = ({ field }: FieldProblem) => field.split('.').length

/**
 * Checks lengths before contents. A list that is longer than its shape allows is a problem, and is cut to its first
 * element, in place; a text is cut to just above its limit. So the cost of finding the other problems does not grow with
 * the body.
 */
function cutToBounds(schema: Bounds, value: unknown, field: string, problems: FieldProblem[]): unknown {
  if (typeof value === 'string') {
    // A character may be two UTF-16 code units.
    const most = schema.maxLength === undefined ? Infinity : 2 * schema.maxLength + 1
    return value.length > most ? value.slice(0, most) : value
  }
  const inner = (name: string | number) => (field === '' ? String(name) : `${field}.${name}`)
  if (Array.isArray(value)) {
    const { maxItems = Infinity, items } = schema
    if (value.length > maxItems) {
      problems.push({ field, code: 'too_many', message: `must not have more than ${maxItems} items` })
      value.length = 1
    }
    if (items)
      for (let place = 0; place < value.length; place += 1)
        value[place] = cutToBounds(items, value[place], inner(place), problems)
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const sent = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (typeof sent === 'string' || (typeof sent === 'object' && sent !== null))
        fields[name] = cutToBounds(property, sent, inner(name), problems)
    }
  }
  return value
}

/** The limits of lengths in a shape. */
interface Bounds {
  maxLength?: number
  maxItems?: number
  items?: Bounds
  properties?: Record<string, Bounds>
}

/**
 * Reads the declared parameters of a query and converts numbers and booleans; other parameters are ignored.
 * Throws validation.required_field for a missing parameter, and `400 validation.invalid_value` with the parameter's name,
 * and `details.valid` if there is a list of valid values; also for a period that ends before it begins.
 */
export function readQuery(schema: TObject | undefined, parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const sent = parameters.getAll(name)
    if (sent.length === 0) continue
    const value = sent.length === 1 ? convert(sent[0]!, property) : undefined
    if (value === undefined || !validatorOf(property).Check(value)) throw badParameter(name, property)
    query[name] = value
  }
  for (const name of schema?.required ?? []) {
    if (!(name in query))
      throw fault('validation.required_field', { field: name, message: `The query parameter ${name} is required.` })
  }
  refuseEmptyPeriods(query)
  return query
}

function convert(text: string, { type }: { type?: string }): unknown {
  if (!isStorableText(text)) return undefined
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  if (type === 'boolean') return { true: true, false: false }[text]
  return text
}

interface Parameter {
  type?: string
  enum?: unknown[]
  minimum?: number
  maximum?: number
  format?: string
  pattern?: string
}

function badParameter(name: string, property: TSchema) {
  const { type, enum: valid, minimum, maximum, format = '', pattern = '' } = property as Parameter
  const form =
    minimum !== undefined && maximum !== undefined
      ? `a number from ${minimum} to ${maximum}`
      : valid
        ? 'one of the values in details'
        : type === 'boolean'
          ? 'true or false'
          : (FORMS[format] ?? FORMS[pattern])
  return fault('validation.invalid_value', {
    field: name,
    message: `The query parameter ${name} is invalid${form === undefined ? '' : `; it must be ${form}`}.`,
    ...(valid ? { details: { valid } } : {}),
  })
}

// Descriptions of valid values, by the name of a format or by a pattern.
const FORMS: Record<string, string | undefined> = {
  'document-date': 'a date (2026-04-01) or an instant (2026-04-01T10:00:00Z)',
  instant: 'a date (2026-04-01) or an instant (2026-04-01T10:00:00Z)',
  email: 'an e-mail address',
  'mail-address': 'an e-mail address, without a name',
  'one-line': 'one line',
  '\\S': 'a text that is not blank',
  '^[A-Z]{3}$': 'an ISO 4217 code, three capital letters',
}

function problemsOf(validator: Validator, body: unknown): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const error of validator.Errors(body)) {
    const field = error.instancePath.split('/').slice(1).map(unescapePointer).join('.')
    if (error.keyword === 'required') {
      const { requiredProperties } = error.params as { requiredProperties: string[] }
      for (const name of requiredProperties) {
        problems.push({ field: field === '' ? name : `${field}.${name}`, code: 'required', message: 'is required' })
      }
    } else {
      problems.push({ field, code: CODES[error.keyword] ?? error.keyword.replace('~', ''), message: messageOf(error) })
    }
  }
  return problems
}

function messageOf({ params, message }: { params: object; message: string }): string {
  const {
    allowedValues,
    format = '',
    pattern = '',
  } = params as { allowedValues?: unknown[]; format?: string; pattern?: string | RegExp }
  if (allowedValues) return `must be one of ${allowedValues.filter((value) => value !== null).join(', ')}`
  const form = FORMS[format] ?? FORMS[pattern instanceof RegExp ? pattern.source : pattern]
  return form === undefined ? message : `must be ${form}`
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

const CODES: Record<string, string> = {
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  maxItems: 'too_many',
  '~refine': 'refused',
}
