// Many callers on one credit, and many credits on one invoice: never more than there is, and every end a legal one.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import { addContact, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { bodyOf, openTwoServers, outcomeOf, post, shortly, tally, whileLocked, type TwoServers } from './two-servers.ts'

let servers: TwoServers
let org: TestOrganization
let callers: Client[]
beforeAll(async () => {
  servers = await openTwoServers()
  ;({ org, callers } = await servers.org())
})
afterAll(() => servers.close())

const lines = (rate: number) => ({ line_items: [line({ rate })] })
const invoiceOf = async (rate: number): Promise<string> => (await org.invoice(bodyOf(org, { auto_approve: true, ...lines(rate) }))).invoice_id
const creditOf = async (rate: number): Promise<string> => (
  (await org.send('POST', '/credit_notes', { customer_id: org.customerId, date: TODAY, ...lines(rate) })).credit_note.credit_note_id
)
const apply = (place: number, note: string, invoice_id: string, amount: number) => post(callers, place, `/credit_notes/${note}/apply-to-invoice`, { invoice_id, amount })
const note = async (id: string): Promise<Json> => (await org.get(`/credit_notes/${id}`)).credit_note
const invoice = async (id: string): Promise<Json> => (await org.get(`/invoices/${id}`)).invoice

test('one credit applied to two invoices at once never gives more than it has', async () => {
  const [credit, ...invoices] = [await creditOf(100), await invoiceOf(500), await invoiceOf(500)]
  const lock = { text: 'SELECT FROM credit_notes WHERE org_id = $1 AND id = $2 FOR UPDATE', values: [org.orgId, credit] }
  const answers = await whileLocked(servers.service.database, lock, async (waiting) => {
    const calls = Array.from({ length: 12 }, (_, place) => apply(place, credit, invoices[place % 2]!, 30))
    await waiting(8)
    return calls
  })
  expect(tally(answers)).toEqual({ 200: 3, '400 validation.invalid_value': 9 })
  for (const { status, body } of answers) if (status === 400) expect(body.details).toEqual({ limit: 10 })
  expect(await note(credit)).toMatchObject({ status: 'ISSUED', applied_amount: 90, balance_amount: 10 })
  const taken = await Promise.all(invoices.map(invoice))
  expect(taken.reduce((sum, { credits_applied }) => sum + credits_applied, 0)).toBe(90)
})

test('twenty credits and payments at once on one invoice never settle more than it owes', async () => {
  const target = await invoiceOf(100)
  const credits = await Promise.all(Array.from({ length: 10 }, () => creditOf(30)))
  const pay = (place: number) => post(callers, place, '/payments', {
    flow: 'INCOMING', contact_id: org.customerId, date: TODAY, amount: 30, reference_number: `P ${place}`, allocations: [{ invoice_id: target, amount: 30 }],
  })
  const lock = { text: 'SELECT FROM invoices WHERE org_id = $1 AND id = $2 FOR UPDATE', values: [org.orgId, target] }
  const answers = await whileLocked(servers.service.database, lock, async (waiting) => {
    const calls = Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? pay(place) : apply(place, credits[(place - 1) / 2]!, target, 30)))
    await waiting(10)
    return calls
  })
  const done = answers.filter(({ status }) => status < 300).length
  expect([done, answers.filter(({ status }) => status === 400).length]).toEqual([3, 17])
  const now = await invoice(target)
  expect([now.status, now.payment_made + now.credits_applied, now.balance]).toEqual(['PARTIALLY_PAID', 90, 10])
  const applied = (await Promise.all(credits.map(note))).reduce((sum, { applied_amount }) => sum + applied_amount, 0)
  expect(applied).toBe(now.credits_applied)
})

test('apply, void, change and pay at once end in a legal state', async () => {
  const ends = new Set<string>()
  for (let round = 0; round < 25; round += 1) {
    const [credit, target] = [await creditOf(100), await invoiceOf(100)]
    const hands: [verb: string, call: (place: number) => Promise<Answered>][] = [
      ['apply', (place) => apply(place, credit, target, 60)],
      ['void note', (place) => post(callers, place, `/credit_notes/${credit}/void`, {})],
      ['void invoice', (place) => post(callers, place, `/invoices/${target}/void`, {})],
      ['change', (place) => callers[place % 2]!.put(`/credit_notes/${credit}`, { date: '2026-10-01' })],
      ['apply', (place) => apply(place, credit, target, 60)],
    ]
    const answers = await Promise.all(hands.map(async ([verb, call], place) => {
      await shortly(15)
      return [verb, await call(place)] as const
    }))
    for (const [verb, answer] of answers) expect([verb, ALLOWED[verb]]).toEqual([verb, expect.arrayContaining([outcomeOf(answer)])])
    const [left, owed] = [await note(credit), await invoice(target)]
    const applied = answers.filter(([verb, { status }]) => verb === 'apply' && status === 200).length
    expect(applied).toBeLessThanOrEqual(1)
    expect([left.applied_amount, owed.credits_applied]).toEqual([applied * 60, applied * 60])
    if (applied === 1) expect([left.status, owed.status]).toEqual(['ISSUED', 'PARTIALLY_PAID'])
    else expect([left.status, owed.status]).toContain('CANCELLED')
    ends.add(`${applied} ${left.status} ${owed.status}`)
  }
  // The same end every time would mean that nothing raced.
  expect(ends.size).toBeGreaterThan(1)
})

const ALLOWED: Record<string, string[]> = {
  apply: ['200', '400 validation.invalid_value', '409 conflict.invalid_state'],
  'void note': ['200', '409 conflict.credit_applied'],
  'void invoice': ['200', '409 conflict.credit_applied'],
  change: ['200', '409 conflict.invalid_state'],
}

test('a note created against an invoice while it is void: either the one comes first or the other', async () => {
  const seen = new Set<string>()
  for (let round = 0; round < 20; round += 1) {
    const target = await invoiceOf(100)
    const body = { customer_id: org.customerId, invoice_id: target, date: TODAY, ...lines(10) }
    const [drawn, gone] = await Promise.all([
      shortly(10).then(() => post(callers, 0, '/credit_notes', body)), shortly(10).then(() => post(callers, 1, `/invoices/${target}/void`, {})),
    ])
    expect(gone.status).toBe(200)
    expect(['201', '409 conflict.invalid_state']).toContain(outcomeOf(drawn))
    seen.add(outcomeOf(drawn))
  }
  expect(seen.size).toBeGreaterThan(1)
})

test('fifty notes at once have fifty numbers, one after the other', async () => {
  const own = await servers.org()
  const customerId = await addContact(own.org)
  const answers = await Promise.all(Array.from({ length: 50 }, (_, place) => (
    post(own.callers, place, '/credit_notes', { customer_id: customerId, date: TODAY, is_draft: place % 3 === 0, ...lines(place + 1) })
  )))
  expect(tally(answers)).toEqual({ 201: 50 })
  expect(answers.map(({ body }) => body.credit_note.credit_note_number).sort())
    .toEqual(Array.from({ length: 50 }, (_, place) => `CN-${String(place + 1).padStart(5, '0')}`))
})
