// A warning as JSON: what a call that succeeded tells beside its resource.
import { Type } from 'typebox'
import { WARNINGS } from '../../domain/warnings.ts'

/** `warnings` of every call that can warn, empty where there is nothing to tell (decisions §11). */
export const Warnings = Type.Array(Type.Object({
  code: Type.Enum(Object.keys(WARNINGS)),
  message: Type.String(),
  details: Type.Object({}, { additionalProperties: true }),
}), { description: 'Empty if there is no warning.' })
