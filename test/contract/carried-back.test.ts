// Every PUT takes back what a GET answers: whole, nothing changes; with one fixed field altered, that field is refused.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { TObject, TSchema } from 'typebox'
import type { Route } from '../../api/http/route.ts'
import type { Json } from '../fixtures/client.ts'
import type { EmptyOrganization } from '../fixtures/empty-organization.ts'
import { useService } from '../fixtures/use-service.ts'
import { someOf, someRows } from './cases.ts'
import { byToken, each } from './routes.ts'
import { openOrganizations, STATES, type State } from './whole-resources.ts'

const service = await useService()
const orgs = await openOrganizations(service)

// What another moment or, of a webhook endpoint, the next delivery makes another value.
const FROM_THE_CLOCK = ['last_modified_time', 'is_overdue', 'days_overdue', 'current_balance', 'failing_since', 'circuit', 'next_try_at']

const puts = each((route) => route.method === 'PUT' && byToken(route))

test('every PUT has its states', () => {
  expect(Object.keys(STATES).toSorted()).toEqual(puts.map(([name]) => name).toSorted())
})

const editable = puts.flatMap(([name, route]) => Object.entries(STATES[name] ?? {})
  .filter(([, { closed }]) => !closed).map(([state, told]) => [`${name} ${state}`, route, told] as const))
const closed = puts.flatMap(([name, route]) => Object.entries(STATES[name] ?? {})
  .filter(([, state]) => state.closed).map(([state, told]) => [`${name} ${state}`, route, told] as const))

describe.each(someRows(editable))('%s', (_name, route, state) => {
  test('carried back whole, nothing changes', async () => {
    const { path, whole, ours } = await made(route, state)
    const before = [await ours.get(path), await traces(ours)]
    expect(await put(ours, path, whole)).toMatchObject({ status: 200, body: { [keyOf(route)]: whole } })
    for (const field of FROM_THE_CLOCK.filter((name) => name in fieldsOf(route))) {
      expect(await put(ours, path, { ...whole, [field]: altered(whole[field], fieldsOf(route)[field]!) })).toMatchObject({ status: 200 })
    }
    expect([await ours.get(path), await traces(ours)]).toEqual(before)
  })

  test('every field that may not change is refused with another value', async () => {
    const { path, whole, ours } = await made(route, state)
    const before = await ours.get(path)
    const cases = [...fixedCases(route, state, whole), ...lineCases(route, state, whole)]
    expect(cases.length).toBeGreaterThan(1)
    for (const { field, body, status } of someOf(cases)) {
      const { status: answered, body: { code, field: named } } = await put(ours, path, { ...whole, ...body })
      expect([field, answered, code, named]).toEqual([field, status, status === 404 ? 'not_found.resource' : 'validation.invalid_value', field])
    }
    expect(await ours.get(path)).toEqual(before)
  })

  test('ids, dates and states may be written in another form', async () => {
    const { path, whole, ours } = await made(route, state)
    const other = Object.fromEntries(Object.entries(whole).flatMap(([field, value]) => {
      const form = otherForm(field, value, fieldsOf(route)[field]!)
      return form === undefined ? [] : [[field, form]]
    }))
    const before = await ours.get(path)
    expect(await put(ours, path, { ...whole, ...other })).toMatchObject({ status: 200 })
    expect(await ours.get(path)).toEqual(before)
  })
})

test.each(someRows(closed))('%s is refused by its state, carried back or not', async (_name, route, state) => {
  const { path, whole, ours } = await made(route, state)
  for (const body of [whole, {}, { ...whole, notes: 'No' }]) {
    expect(await put(ours, path, body)).toMatchObject({
      status: 409, body: { code: 'conflict.invalid_state', details: { status: state.closed, allowed: expect.any(Array) } },
    })
  }
})

async function made(route: Route, { make }: State): Promise<{ path: string; whole: Json; ours: EmptyOrganization }> {
  const answered = await make(orgs)
  const name = /\{(\w+)\}/.exec(route.path)![1]!
  const path = route.path.replace(`{${name}}`, answered[name] ?? answered.recurring_id)
  const ours = /_orders/.test(path) ? orgs.orders : orgs.returns
  // What a POST answers may hold more than a GET: a secret.
  return { path, whole: (await ours.get(path))[keyOf(route)], ours }
}

const put = (ours: EmptyOrganization, path: string, body: Json) => ours.client.put(path, body)

// Whatever a change leaves besides the record.
async function traces({ client }: EmptyOrganization): Promise<Json> {
  const tables = ['activity', 'webhook_events', 'journals', 'journal_lines', 'number_gaps']
  const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table} WHERE org_id = $1) AS ${table}`)
  return (await service.sql(`SELECT ${counts.join()}`, client.orgId))[0]
}

const keyOf = (route: Route) => Object.keys(route.answer.properties).find((key) => 'properties' in route.answer.properties[key]!)!
const fieldsOf = (route: Route) => (route.answer.properties[keyOf(route)] as TObject).properties

interface Case {
  /** The field that the refusal names. */
  field: string
  body: Json
  status: number
}

// One case a field of the answer that the body does not take in this state, and one a field of its parts.
function fixedCases(route: Route, { only }: State, whole: Json): Case[] {
  const taken = Object.keys((route.body as TObject).properties)
  const changeable = only ?? taken
  return Object.entries(fieldsOf(route))
    .filter(([field]) => !changeable.includes(field) && !FROM_THE_CLOCK.includes(field))
    .flatMap(([field, schema]) => {
      const value = whole[field]
      const cases = [{ field, body: { [field]: field === 'currency_code' ? 'EUR' : altered(value, schema) }, status: 400 }]
      // Of a field that the body takes in other states, null may have the wrong shape already.
      if (value !== null && !taken.includes(field)) cases.push({ field, body: { [field]: null }, status: 400 })
      return [...cases, ...partCases(field, value, schema, [], 400)]
    })
}

// As fixedCases, for lines that may change: of each line what follows from the rest.
function lineCases(route: Route, { only }: State, whole: Json): Case[] {
  const taken = (route.body as TObject).properties.line_items as { items?: TObject } | undefined
  if (!taken || (only && !only.includes('line_items'))) return []
  return partCases('line_items', whole.line_items, fieldsOf(route).line_items!, Object.keys(taken.items!.properties), 400)
    .concat(lineCase(whole, 0, randomUUID(), 404), lineCase(whole, 1, whole.line_items[0].line_item_id, 400))
}

function lineCase({ line_items: lines }: Json, index: number, line_item_id: string, status: number): Case[] {
  if (lines.length <= index) return []
  return [{ field: `line_items.${index}.line_item_id`, body: { line_items: lines.with(index, { ...lines[index], line_item_id }) }, status }]
}

function partCases(field: string, parts: Json, schema: TSchema, changeable: string[], status: number): Case[] {
  const { items } = schema as { items?: TObject }
  if (!Array.isArray(parts) || parts.length === 0 || !items?.properties) return []
  const last = parts.length - 1
  return Object.entries(items.properties).filter(([name]) => !changeable.includes(name)).map(([name, each]) => (
    { field: `${field}.${last}.${name}`, body: { [field]: parts.with(last, { ...parts[last], [name]: altered(parts[last][name], each) }) }, status }
  ))
}

// Another value of the same kind.
function altered(value: Json, schema: TSchema): Json {
  const { type, format, enum: values } = schema as { type?: string | string[]; format?: string; enum?: Json[] }
  if (Array.isArray(value)) return [...value, value[0] ?? randomUUID()]
  if (values) return values.find((each) => each !== value && each !== null) ?? 'OTHER'
  if (typeof value === 'number') return value + 0.25
  if (typeof value === 'boolean') return !value
  if (value !== null && typeof value === 'object') return {}
  if (format === 'uuid') return randomUUID()
  if (format === 'date-time') return '2026-01-02T03:04:05.006Z'
  return [type].flat().includes('number') ? 7 : 'another'
}

function otherForm(field: string, value: Json, { format }: TSchema & { format?: string }): Json {
  if (value === null) return undefined
  if (format === 'uuid') return value.toUpperCase()
  if (field === 'place_of_supply') return ({ 'IN-KA': 'Karnataka', 'IN-MH': '27' } as Json)[value]
  if (format !== 'date-time' || FROM_THE_CLOCK.includes(field)) return undefined
  return field.endsWith('date') ? value.slice(0, 10) : value.replace('Z', '+00:00')
}
