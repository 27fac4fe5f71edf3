// Contacts and items deleted while others name them: one of the two succeeds, and no answer is a 5xx.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import { addContact, addItem, type TestOrganization } from '../fixtures/organization.ts'
import { atOnce, openTwoServers, outcomeOf, repeated, shortly, tally, whileLocked, type TwoServers } from './two-servers.ts'
import { LINED, make, OWNED, pathOf, type Named, type Naming } from './names.ts'

jest.setTimeout(180_000)

let servers: TwoServers
let org: TestOrganization
let callers: Client[]
beforeAll(async () => {
  servers = await openTwoServers()
  ;({ org, callers } = await servers.org())
})
afterAll(() => servers.close())

const anyone = () => addContact(org, { contact_type: 'BOTH', place_of_contact: 'IN-KA' })

const MASTERS = [
  { what: 'contact', table: 'contacts', change: { email: 'new@example.com' }, ways: OWNED, doom: async (): Promise<Named> => ({ contact: await anyone(), item: await addItem(org) }) },
  { what: 'item', table: 'items', change: { rate: 40 }, ways: LINED, doom: async (): Promise<Named> => ({ contact: org.customerId, item: await addItem(org) }) },
] as const

describe.each(MASTERS)('$what', ({ what, table, change, ways, doom }) => {
  test('is deleted or named: the first call holds it, and the others get an error', async () => {
    // The organisation's own customer buys and sells, so that every kind of document can be created for it.
    await org.send('PUT', `/contacts/${org.customerId}`, { contact_type: 'BOTH' })
    const removals = new Set<number>()
    for (const [kind, way] of Object.entries<Naming>(ways)) {
      for (const isDeletedFirst of [true, false]) {
        const named = await doom()
        const calls = callers.map((caller) => () => make(caller, org, way, named))
        const [removed, ...drawnUp] = await meet({ table, id: named[what], isDeletedFirst }, calls)
        removals.add(removed!.status)
        await expectEitherOr({ kind, read: `/${table}/${named[what]}`, removed: removed!, drawnUp, way, id: named[what] })
      }
    }
    // Had one side won every time, nothing would have raced.
    expect(removals).toEqual(new Set([200, 409]))
  })

  test('is deleted, named, changed and archived at random: every call ends in done, gone or in use', async () => {
    const doomed = await atOnce(40, doom)
    const kinds = Object.entries<Naming>(ways)
    const answers = await atOnce(400, async (place) => {
      const named = doomed[place % doomed.length]!
      const id = named[what]
      const caller = callers[Math.floor(Math.random() * callers.length)]!
      await shortly(1_500)
      const step = Math.floor(place / doomed.length)
      if (step === 0) return { call: 'delete', answer: await repeated(() => caller.delete(`/${table}/${id}`)) }
      if (step === 1) return { call: 'change', answer: await repeated(() => caller.put(`/${table}/${id}`, change)) }
      if (step === 2) return { call: 'archive', answer: await repeated(() => caller.post(`/${table}/${id}/archive`)) }
      const [kind, way] = kinds[Math.floor(Math.random() * kinds.length)]!
      return { call: kind, answer: await repeated(() => make(caller, org, way, named)), way, id }
    })
    for (const { call, answer } of answers) {
      const allowed = call === 'delete' ? ['200', '404 not_found.resource', '409 conflict.in_use'] : ['200', '201', '404 not_found.resource']
      expect({ call, outcome: allowed.includes(outcomeOf(answer)) ? 'allowed' : answer.text }).toEqual({ call, outcome: 'allowed' })
    }
    const drawnUp = answers.flatMap(({ answer, way, id }) => (way && answer.status === 201 ? [{ answer, way, id }] : []))
    for (const { answer, way, id } of drawnUp) expect(await nameOf(way, answer, id)).toBe(id)
    const removed = answers.filter(({ call }) => call === 'delete').map(({ answer }) => answer)
    expect(Object.keys(tally(removed)).sort()).toEqual(['200', '409 conflict.in_use'])
    // What was created names only what exists.
    for (const id of new Set(drawnUp.map((each) => each.id))) expect((await org.client.get(`/${table}/${id}`)).status).toBe(200)
  })
})

test('a payment and an expense moved to a contact that is deleted: either the one or the others', async () => {
  const way = (kind: keyof typeof OWNED): Naming => OWNED[kind]
  const removals = new Set<number>()
  // PostgreSQL may give a free row to the call that comes last, so it goes on until each of the two has come first.
  for (let round = 0; round < 6 || (removals.size < 2 && round < 60); round += 1) {
    const [before, doomed] = [{ contact: await anyone(), item: await addItem(org) }, await anyone()]
    const [payment, expense] = [await make(callers[0]!, org, way('payment'), before), await make(callers[0]!, org, way('expense'), before)]
    const paths = [pathOf(way('payment'), payment), pathOf(way('expense'), expense)]
    const fields = ['contact_id', 'vendor_id']
    const moves = paths.map((path, place) => () => callers[place]!.put(path, { [fields[place]!]: doomed }))
    const [removed, ...moved] = await meet({ table: 'contacts', id: doomed, isDeletedFirst: round % 2 === 0 }, moves)
    removals.add(removed!.status)
    if (removed!.status === 200) expect(tally(moved)).toEqual({ '404 not_found.resource': 2 })
    else expect([outcomeOf(removed!), tally(moved)]).toEqual(['409 conflict.in_use', { 200: 2 }])
    const now = await Promise.all(paths.map((path) => org.get(path)))
    const held = removed!.status === 200 ? before.contact : doomed
    expect([now[0]!.payment.contact_id, now[1]!.expense.vendor_id]).toEqual([held, held])
  }
  expect(removals).toEqual(new Set([200, 409]))
})

interface Meeting {
  table: 'contacts' | 'items'
  id: string
  isDeletedFirst: boolean
}

// A deletion and other calls that all wait for the very row, in this order or the other; the deletion is the first answer.
function meet({ table, id, isDeletedFirst }: Meeting, others: (() => Promise<Answered>)[]): Promise<Answered[]> {
  const lock = { text: `SELECT FROM ${table} WHERE org_id = $1 AND id = $2 FOR UPDATE`, values: [org.orgId, id] }
  const remove = () => callers[0]!.delete(`/${table}/${id}`)
  return whileLocked(servers.service.database, lock, async (waiting) => {
    const removal = isDeletedFirst ? remove() : null
    if (removal) await waiting(1)
    const calls = others.map((call) => call())
    await waiting(removal ? 2 : 1)
    return [removal ?? remove(), ...calls]
  })
}

async function expectEitherOr({ kind, read, removed, drawnUp, way, id }: {
  kind: string; read: string; removed: Answered; drawnUp: Answered[]; way: Naming; id: string
}): Promise<void> {
  const now = outcomeOf(await org.client.get(read))
  if (removed.status === 200) {
    expect({ kind, drawnUp: tally(drawnUp), now }).toEqual({ kind, drawnUp: { '404 not_found.resource': 2 }, now: '404 not_found.resource' })
    return
  }
  expect({ kind, removed: outcomeOf(removed), drawnUp: tally(drawnUp), now }).toEqual({ kind, removed: '409 conflict.in_use', drawnUp: { 201: 2 }, now: '200' })
  // What names it is counted, not only guarded by a foreign key.
  expect({ kind, counted: Object.values(removed.body.details).some((count) => Number(count) > 0) }).toEqual({ kind, counted: true })
  for (const answer of drawnUp) expect(await nameOf(way, answer, id)).toBe(id)
}

/** The id, where what was created exists and names it; else what is there. */
async function nameOf(way: Naming, answer: Answered, id: string): Promise<string> {
  const { status, body, text } = await org.client.get(pathOf(way, answer))
  if (status !== 200) return `${status} ${text}`
  const { line_items, lines, ...head } = body[way.key] as Json
  const named = [head, ...(line_items ?? []), ...(lines ?? [])].flatMap((part: Json) => [part.customer_id, part.vendor_id, part.contact_id, part.item_id])
  return named.includes(id) ? id : text
}
