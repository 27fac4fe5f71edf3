// An address as JSON, in and out.
import { Type } from 'typebox'
import { nullable, optional, Text } from './fields.ts'

export const Address = Type.Object({
  address: optional(Text(500)),
  city: optional(Text(100)),
  state_code: optional(Text(60)),
  zip: optional(Text(20)),
  country: optional(Text(60)),
})

export const AnsweredAddress = Type.Object({
  address: nullable(Type.String()),
  city: nullable(Type.String()),
  state_code: nullable(Type.String()),
  zip: nullable(Type.String()),
  country: nullable(Type.String()),
})
