// The field types that shapes use: ids, names, amounts, dates, optional and nullable fields.
import { Type, type Static, type TProperties, type TSchema } from 'typebox'

/** Allows null: "no value" in answers, "clear the field" in requests. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  const made = Type.Unsafe<Static<Schema> | null>({
    ...schema,
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  })
  // Refinements are not an enumerable property, so the spread does not copy them.
  const refinements = Object.getOwnPropertyDescriptor(schema, '~refine')
  return refinements ? Object.defineProperty(made, '~refine', refinements) : made
}

/** May be absent from a request, or null. */
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

// Answers
export const Id = Type.String({ format: 'uuid' })
export const Timestamp = Type.String({ format: 'date-time', description: 'UTC with milliseconds.' })
export const Amount = Type.Number({ description: 'In units of the currency.' })

// Requests. A reference that is not a UUID is answered like one that does not exist, so any text is accepted here.
export const Reference = Type.String({ minLength: 1, maxLength: 100 })
export const Text = (maxLength: number) => Type.String({ maxLength })
export const Name = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
export const DocumentDate = Type.String({
  format: 'document-date',
  maxLength: 40,
  description: 'A date (2026-04-01), or an instant, whose calendar date in India is used.',
})
export const Email = Type.String({ format: 'email', maxLength: 254 })
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3, description: 'ISO 4217.' })

const MAX_DECIMALS = 6

/** A number with at most six decimals (decisions §4). */
export function decimal(options: { minimum?: number; exclusiveMinimum?: number; maximum?: number } = {}) {
  return Type.Refine(
    Type.Number({ maximum: 1e13, ...options }),
    (value: number | null) => value === null || decimalsOf(value) <= MAX_DECIMALS,
    () => `must have at most ${MAX_DECIMALS} decimals`,
  )
}

function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** The answer with one resource under its key. */
export const one = (key: string, schema: TSchema) => Type.Object({ [key]: schema } as TProperties)
