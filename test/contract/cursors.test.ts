// Every cursor list: a cursor leads on only in the list that gave it out, with its filters, its order and its owner.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createCursors, type Cursors, type CursorScope } from '../../api/http/cursors.ts'
import type { Route } from '../../api/http/route.ts'
import type { Client, Json } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { someOf, someRows } from './cases.ts'
import { byPartner, callRoute, each, hasId, opening } from './routes.ts'
import { openContractOrganization, type ContractOrganization } from './samples.ts'

let service: Service
let org: ContractOrganization
let others: Client
let cursors: Cursors

beforeAll(async () => {
  service = await startService()
  org = await openContractOrganization(service)
  others = await service.organization()
  cursors = createCursors(service.env.ENCRYPTION_KEY!)
})
afterAll(() => service.close())

const place = { time: '2026-11-01T10:00:00.123Z', id: randomUUID() }
// The change feed has one order alone, and cursors of its own (test/api/event-feed.test.ts).
// The cursor of a list below a record names the record too (test/api/emails.test.ts).
const lists = each((route) => route.query?.properties.cursor !== undefined && route.query.properties.sort !== undefined && !hasId(route))
const OWN = new Set(['organization_id', 'cursor', 'per_page', 'sort'])

/** A value that the list's first filter takes. */
function filterOf({ query }: Route): [name: string, value: string] {
  const [name, shape] = Object.entries(query!.properties).find(([filter]) => !OWN.has(filter)) as [string, Json] | undefined ?? ['', {}]
  return [name, shape.enum ? String(shape.enum[0]) : shape.format ? '2020-01-01' : shape.type === 'boolean' ? 'true' : randomUUID()]
}

const ask = async (route: Route, query: Record<string, string>, as = opening(route, org)) => {
  const { status, body } = await callRoute(service, route, `${route.path}?${new URLSearchParams(query)}`, as)
  return status === 200 ? 200 : [status, body.code, body.field]
}
const REFUSED = [400, 'validation.invalid_value', 'cursor']

test('there are lists', () => expect(lists.length).toBeGreaterThan(12))

describe.each(someRows(lists))('%s', (_name, route) => {
  let owner: string
  let walk: CursorScope
  beforeAll(async () => {
    const [partner] = await service.sql<{ partner_id: string }>('SELECT partner_id FROM organizations WHERE id = $1', org.client.orgId)
    owner = byPartner(route) ? partner!.partner_id : org.client.orgId
    walk = { list: route.path, owner, filters: {}, ascending: false }
  })

  test('takes its own, on pages of any size', async () => {
    const cursor = cursors.sign(walk, place)
    const ways: Record<string, string>[] = [{}, { per_page: '1' }, { per_page: '200' }, { sort: '-created_time' }]
    for (const more of ways) expect([more, await ask(route, { cursor, ...more })]).toEqual([more, 200])
    expect(await ask(route, { sort: 'created_time', cursor: cursors.sign({ ...walk, ascending: true }, place) })).toBe(200)
    if (!byPartner(route)) expect(await ask(route, { cursor, organization_id: owner })).toBe(200)
  })

  test('refuses one of another list, order, filter or owner', async () => {
    const cursor = cursors.sign(walk, place)
    expect(await ask(route, { cursor: cursors.sign({ ...walk, list: '/another' }, place) })).toEqual(REFUSED)
    expect(await ask(route, { cursor, sort: 'created_time' })).toEqual(REFUSED)
    expect(await ask(route, { cursor: cursors.sign({ ...walk, ascending: true }, place) })).toEqual(REFUSED)
    expect(await ask(route, { cursor: cursors.sign({ ...walk, owner: randomUUID() }, place) })).toEqual(REFUSED)
    if (!byPartner(route)) expect(await ask(route, { cursor }, { token: others.token })).toEqual(REFUSED)
    else expect(await ask(route, { cursor }, { partnerKey: await service.newPartnerKey() })).toEqual(REFUSED)
    const [name, value] = filterOf(route)
    if (name === '') return
    const typed = value === 'true' ? true : value
    const filtered = cursors.sign({ ...walk, filters: { [name]: typed } }, place)
    expect([name, await ask(route, { cursor: filtered, [name]: value })]).toEqual([name, 200])
    expect([name, await ask(route, { cursor: filtered })]).toEqual([name, REFUSED])
    expect([name, await ask(route, { cursor, [name]: value })]).toEqual([name, REFUSED])
  })

  test('refuses one that is cut short, lengthened, changed or written otherwise', async () => {
    const cursor = cursors.sign(walk, place)
    const bytes = Buffer.from(cursor, 'base64url')
    const flipped = Array.from({ length: 12 }, (_, n) => {
      const changed = Buffer.from(bytes)
      const at = Math.floor(n * bytes.length / 12)
      changed[at] = changed[at]! ^ (1 << (n % 8))
      return changed.toString('base64url')
    })
    const old = Buffer.from(`${place.time} ${place.id}`).toString('base64url')
    for (const changed of someOf([...flipped, cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}=`, `${cursor} `, '', 'x', old])) {
      expect([changed, await ask(route, { cursor: changed })]).toEqual([changed, REFUSED])
    }
    const otherKey = createCursors(Buffer.alloc(32, 7).toString('base64'))
    expect(await ask(route, { cursor: otherKey.sign(walk, place) })).toEqual(REFUSED)
  })
})
