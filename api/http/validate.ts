// Holds bodies and queries against their shapes, and tells every problem at once.
import type { TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import Format from 'typebox/format'
import { Settings } from 'typebox/system'
import { isInstant, parseDocumentDate, isDate } from '../../domain/dates.ts'
import { fault, type FieldProblem } from '../../domain/faults.ts'
import { isStorableText } from './body.ts'

// The forms of a date that requests may send (decisions §1); JSON Schema's own `date` and `date-time` are narrower.
Format.Set('document-date', (text) => parseDocumentDate(text) !== null)
Format.Set('instant', (text) => isInstant(text) || isDate(text))

// All problems are told at once (decisions §1); the bound is for a body that is nothing but problems.
Settings.Set({ maxErrors: 10_000 })

// A shape is compiled once, whichever route uses it.
const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator
}

/** Throws `422 validation.failed` with all problems of the body (decisions §1). */
export function validateBody(schema: TSchema, body: unknown, alsoCheck: (body: unknown) => FieldProblem[] = () => []): void {
  const validator = validatorOf(schema)
  const errors = [...(validator.Check(body) ? [] : problemsOf(validator, body)), ...alsoCheck(body)]
  if (errors.length > 0) throw fault('validation.failed', { errors })
}

/**
 * Reads the known parameters of a query, numbers and booleans included; unknown ones are ignored.
 * Throws `400 validation.invalid_value` with the parameter's name, and `details.valid` where there is a list.
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
    if (!(name in query)) throw fault('validation.required_field', { field: name, message: `The query needs ${name}.` })
  }
  return query
}

function convert(text: string, { type }: { type?: string }): unknown {
  if (!isStorableText(text)) return undefined
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  if (type === 'boolean') return { true: true, false: false }[text]
  return text
}

function badParameter(name: string, property: TSchema & { enum?: unknown[]; description?: string }) {
  const { enum: valid, minimum, maximum } = property as { enum?: unknown[]; minimum?: number; maximum?: number }
  const bounds = minimum !== undefined && maximum !== undefined ? `; it is a number from ${minimum} to ${maximum}` : ''
  return fault('validation.invalid_value', {
    field: name,
    message: `The query parameter ${name} has a bad value${bounds}.`,
    ...(valid ? { details: { valid } } : {}),
  })
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
      const { allowedValues } = error.params as { allowedValues?: unknown[] }
      const message = allowedValues ? `must be one of ${allowedValues.filter((value) => value !== null).join(', ')}` : error.message
      problems.push({ field, code: CODES[error.keyword] ?? error.keyword.replace('~', ''), message })
    }
  }
  return problems
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

const CODES: Record<string, string> = {
  minimum: 'out_of_range', maximum: 'out_of_range', exclusiveMinimum: 'out_of_range', exclusiveMaximum: 'out_of_range',
  minLength: 'too_short', maxLength: 'too_long', minItems: 'too_few', maxItems: 'too_many', '~refine': 'refused',
}
