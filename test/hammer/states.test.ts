// Fifty callers on one draft: every document ends in a legal state, with exactly the journals of that state.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import type { TestOrganization } from '../fixtures/organization.ts'
import { until } from '../start/local-run.ts'
import { allInvoices, atOnce, bodyOf, openTwoServers, outcomeOf, post, postingsOf, shortly, tally, whileLocked, type TwoServers } from './two-servers.ts'

let servers: TwoServers
let org: TestOrganization
let callers: Client[]
beforeAll(async () => {
  servers = await openTwoServers()
  ;({ org, callers } = await servers.org())
})
afterAll(() => servers.close())

const draft = (changes = {}): Promise<Json> => org.invoice(bodyOf(org, changes))

// As many of them have begun as one organisation may have at work at both servers, when the first one gets the invoice.
const fiftyAtOnce = (invoice_id: string, call: (place: number) => Promise<Answered>) => {
  const lock = { text: 'SELECT FROM invoices WHERE org_id = $1 AND id = $2 FOR UPDATE', values: [org.orgId, invoice_id] }
  return whileLocked(servers.service.database, lock, async (waiting) => {
    const calls = Array.from({ length: 50 }, (_, place) => call(place))
    await waiting(10)
    return calls
  })
}

test('fifty approve one draft: one posting, and 49 get that it is sent', async () => {
  const { invoice_id } = await draft()
  const answers = await fiftyAtOnce(invoice_id, (place) => post(callers, place, `/invoices/${invoice_id}/approve`))
  expect(tally(answers)).toEqual({ 200: 1, '409 conflict.invalid_state': 49 })
  for (const { status, body } of answers) if (status === 409) expect(body.details).toEqual({ status: 'SENT', allowed: ['DRAFT'] })
  expect((await org.get(`/invoices/${invoice_id}`)).invoice.status).toBe('SENT')
  expect(await org.ledger(invoice_id)).toHaveLength(1)
})

test('fifty void one invoice: one reversal', async () => {
  const { invoice_id } = await draft({ auto_approve: true })
  const answers = await fiftyAtOnce(invoice_id, (place) => post(callers, place, `/invoices/${invoice_id}/void`, {}))
  expect(tally(answers)).toEqual({ 200: 1, '409 conflict.already_cancelled': 49 })
  expect(await org.ledger(invoice_id)).toHaveLength(2)
})

test('fifty delete one draft: its number is registered once', async () => {
  const { invoice_id, invoice_number } = await draft()
  const answers = await fiftyAtOnce(invoice_id, (place) => callers[place % 2]!.delete(`/invoices/${invoice_id}`))
  expect(tally(answers)).toEqual({ 200: 1, '404 not_found.resource': 49 })
  const gaps: Json[] = await org.listAll('/invoices/series/gaps', 'gaps', 200)
  expect(gaps.filter(({ number }) => number === invoice_number)).toHaveLength(1)
})

describe('one key, fifty times at once', () => {
  test('makes one invoice; every answer is the stored one, byte for byte, or "in progress"', async () => {
    const { org: own, callers: ownCallers } = await servers.org()
    const key = randomUUID()
    const body = bodyOf(own, { auto_approve: true })
    const answers = await atOnce(50, (place) => post(ownCallers, place, '/invoices', body, key))
    const stored = await expectOneWrite(answers, () => post(ownCallers, 0, '/invoices', body, key))
    expect(await allInvoices(own)).toEqual([stored.body.invoice])
    expect(await own.ledger(stored.body.invoice.invoice_id)).toHaveLength(1)
  })

  test('while the first is not done, 49 get that it is in progress', async () => {
    const { org: own, callers: ownCallers } = await servers.org()
    await own.invoice({ auto_approve: true })
    const key = randomUUID()
    const create = (place: number) => post(ownCallers, place, '/invoices', bodyOf(own, { auto_approve: true }), key)
    let refused = 0
    const answers = await whileLocked(servers.service.database, postingsOf(own), async (waiting) => {
      const calls = Array.from({ length: 50 }, (_, place) => create(place))
      for (const call of calls) void call.then(() => (refused += 1))
      await waiting(1)
      await until(() => refused === 49, 90_000, () => `${refused} of 49 are refused`)
      return calls
    })
    expect(tally(answers)).toEqual({ 201: 1, '409 idempotency.in_progress': 49 })
    await expectOneWrite(answers, () => create(0))
    expect(await allInvoices(own)).toHaveLength(2)
  })

  test('with fifty bodies: one of them counts, and the others are marked as a mismatch', async () => {
    const { org: own, callers: ownCallers } = await servers.org()
    const key = randomUUID()
    const answers = await atOnce(50, (place) => post(ownCallers, place, '/invoices', bodyOf(own, { notes: `note ${place}` }), key))
    const stored = await expectOneWrite(answers, () => post(ownCallers, 0, '/invoices', bodyOf(own, { notes: 'a new one' }), key))
    expect(stored.headers['idempotency-body-mismatch']).toBe('true')
    expect(await allInvoices(own)).toEqual([stored.body.invoice])
    for (const { headers } of answers.filter(({ headers }) => headers['idempotency-replay'])) expect(headers['idempotency-body-mismatch']).toBe('true')
  })

  test('approves once, also where the key is not required', async () => {
    const { invoice_id } = await draft()
    const key = randomUUID()
    const approve = (place: number) => post(callers, place, `/invoices/${invoice_id}/approve`, undefined, key)
    const stored = await expectOneWrite(await atOnce(50, approve), () => approve(0))
    expect([stored.status, stored.body.invoice.status]).toEqual([200, 'SENT'])
    expect(await org.ledger(invoice_id)).toHaveLength(1)
  })

  test('a refusal is remembered as well as a success', async () => {
    const key = randomUUID()
    const wrong = bodyOf(org, { customer_id: randomUUID() })
    const stored = await expectOneWrite(
      await atOnce(50, (place) => post(callers, place, '/invoices', wrong, key)), () => post(callers, 1, '/invoices', bodyOf(org), key),
    )
    expect(outcomeOf(stored)).toBe('404 not_found.resource')
  })

  // Answers what is replayed afterwards, which every answer before must have been, but for those that say to wait.
  async function expectOneWrite(answers: Answered[], again: () => Promise<Answered>): Promise<Answered> {
    const stored = await again()
    expect(stored.headers['idempotency-replay']).toBe('true')
    const refused = answers.filter((answer) => outcomeOf(answer) !== '409 idempotency.in_progress')
    expect(refused.filter(({ headers }) => !headers['idempotency-replay'])).toHaveLength(1)
    expect(new Set(refused.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set([`${stored.status} ${stored.text}`]))
    return stored
  }
})

describe('approve, change, void and delete of one draft, all at once', () => {
  const ROUNDS = 40

  test('end in a legal state, whichever comes first', async () => {
    const drafts = await atOnce(ROUNDS, () => draft())
    const ends = new Set<string>()
    for (const { invoice_id, invoice_number } of drafts) ends.add(await expectLegalEnd(invoice_id, invoice_number))
    // The same end forty times over would mean that nothing raced.
    expect(ends.size).toBeGreaterThan(1)
  })

  async function expectLegalEnd(id: string, number: string): Promise<string> {
    const path = `/invoices/${id}`
    const hands: [verb: string, call: (place: number) => Promise<Answered>][] = [
      ['approve', (place) => post(callers, place, `${path}/approve`)],
      ['void', (place) => post(callers, place, `${path}/void`, { reason: 'Drawn up twice' })],
      ['delete', (place) => callers[place % 2]!.delete(path)],
      ['change', (place) => callers[place % 2]!.put(path, { notes: `by ${place}` })],
    ]
    const answers = await Promise.all([...hands, ...hands].map(async ([verb, call], place) => {
      await shortly(15)
      return [verb, await call(place)] as const
    }))
    const done = (verb: string) => answers.filter(([did, { status }]) => did === verb && status === 200).length
    for (const [verb, answer] of answers) expect(ALLOWED[verb]).toContain(outcomeOf(answer))

    // Nothing but a deletion keeps a void from coming about, and the other way round.
    expect(done('void') + done('delete')).toBe(1)
    expect(done('approve')).toBeLessThanOrEqual(done('void'))
    const read = await org.client.get(path)
    expect(outcomeOf(read)).toBe(done('delete') === 1 ? '404 not_found.resource' : '200')
    if (read.status === 200) expect(read.body.invoice).toMatchObject({ invoice_number: number, status: 'CANCELLED', balance: 0 })
    expect(await org.ledger(id)).toHaveLength(done('approve') === 1 ? 2 : 0)
    const { activity } = await org.get(`/activity?entity_id=${id}`)
    const wrote = activity.map(({ action }: Json) => action).sort()
    expect(wrote).toEqual([
      'INVOICE_CREATED',
      ...Array(done('delete')).fill('INVOICE_DELETED'), ...Array(done('approve')).fill('INVOICE_SENT'),
      ...Array(done('change')).fill('INVOICE_UPDATED'), ...Array(done('void')).fill('INVOICE_VOIDED'),
    ])
    return `approved ${done('approve')}, changed ${done('change')}, ${done('delete') === 1 ? 'deleted' : 'void'}`
  }

  const ALLOWED: Record<string, string[]> = {
    approve: ['200', '404 not_found.resource', '409 conflict.invalid_state'],
    change: ['200', '404 not_found.resource', '409 conflict.invalid_state'],
    delete: ['200', '404 not_found.resource', '409 conflict.invalid_state'],
    void: ['200', '404 not_found.resource', '409 conflict.already_cancelled'],
  }
})
