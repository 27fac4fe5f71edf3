// The OpenAPI document as a caller reads it, and its schemas as a strict judge of answers.
import { isOneLine } from '../../domain/mail.ts'
import { isMailAddress } from '../../domain/mail-address.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Route } from '../../api/http/route.ts'
import { isDate, isInstant, parseDocumentDate } from '../../domain/dates.ts'
import type { Json } from '../fixtures/client.ts'

/**
 * A validator that knows the formats of the document; strict: an unknown keyword or format is an error. There is one: it
 * compiles the schema of schemas first, which takes longer than a schema of ours. Each is used a few times only, so its code is
 * not optimised.
 */
export const judge = newJudge()

function newJudge(): Ajv2020 {
  const made = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true, code: { optimize: false } })
  formats.default(made)
  made.addFormat('mail-address', isMailAddress)
  made.addFormat('one-line', isOneLine)
  made.addFormat('document-date', (text) => parseDocumentDate(text) !== null)
  made.addFormat('instant', (text) => isInstant(text) || isDate(text))
  return made
}

/** Compiles the answer's schema out of the published document; fields that it does not declare are refused. */
export function answerJudge(document: Json, route: Route): ValidateFunction {
  const { responses } = document.paths[route.path][route.method.toLowerCase()]
  const schema = responses[String(route.status ?? 200)].content['application/json'].schema
  return judge.compile(closed(inlined(document, schema)))
}

export function refusalJudge(document: Json): ValidateFunction {
  return judge.compile(closed(inlined(document, document.components.schemas.Error)))
}

/** A copy with each reference replaced by the component that it names. */
export function inlined(document: Json, schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map((part) => inlined(document, part))
  if (typeof schema.$ref === 'string') return inlined(document, document.components.schemas[schema.$ref.split('/').at(-1)])
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, inlined(document, part)]))
}

// An object with declared properties has no others; what is open by declaration stays open.
function closed(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  for (const part of Object.values(schema)) closed(part)
  if (schema.properties && [schema.type].flat().includes('object')) schema.additionalProperties ??= false
  return schema
}
