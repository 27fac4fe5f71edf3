// The warnings of a successful call as JSON.
import { Type } from 'typebox'
import { WARNINGS } from '../../domain/warnings.ts'

/** The field `warnings` of calls that can return warnings; empty if there are none (decisions §11). */
export const Warnings = Type.Array(
  Type.Object({
    code: Type.Enum(Object.keys(WARNINGS)),
    message: Type.String(),
    details: Type.Object({}, { additionalProperties: true }),
  }),
  { description: 'Empty if there is no warning.' },
)
