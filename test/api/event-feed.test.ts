// GET /webhooks/events: every event of an organisation in the order of commits, whoever subscribes, for a reader that keeps its cursor.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { BASE_PATH } from '../../api/server.ts'
import { DELETION_EVENTS, eventSchema } from '../../domain/events.ts'
import { callAt, clientOf, type Client, type Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())
beforeEach(async () => {
  ours = await openOrganization(service)
})

const FEED = '/webhooks/events'
const feed = (query = '') => ours.get(`${FEED}?${query}`)
const types = ({ events }: Json) => events.map(({ event_type }: Json) => event_type)

/** Everything from a cursor to the end, and the cursor there. */
async function rest(cursor: string | null, query = ''): Promise<{ events: Json[]; cursor: string }> {
  const events: Json[] = []
  for (let next = cursor; ;) {
    const page = await feed(`${query}${next === null ? '' : `&cursor=${next}`}`)
    events.push(...page.events)
    next = page.page_context.next_cursor as string
    if (!page.page_context.has_more_page) return { events, cursor: next }
  }
}

test('an event is there without any endpoint, as a webhook would tell it', async () => {
  const invoice = await ours.sentInvoice()
  const { events, page_context } = await feed()
  expect(page_context).toEqual({ per_page: 50, has_more_page: false, next_cursor: expect.stringMatching(/^[\w-]{54}$/) })
  expect(events).toEqual([{
    event_id: expect.any(String), position: 1, event_type: 'INVOICE_CREATED', entity_type: 'INVOICE', entity_id: invoice.invoice_id,
    occurred_at: invoice.created_time, org_id: ours.orgId,
    data: { id: invoice.invoice_id, number: invoice.invoice_number, customer_id: ours.customerId, total: invoice.total, status: 'SENT', sequence: 1 },
  }])
})

test('a reader goes on from the end, where nothing is lost and nothing comes twice', async () => {
  const empty = await feed()
  expect(empty).toMatchObject({ events: [], page_context: { has_more_page: false } })
  const { invoice_id } = await ours.invoice()
  const first = await rest(empty.page_context.next_cursor)
  expect(types(first)).toEqual(['INVOICE_CREATED'])
  expect(await rest(first.cursor)).toEqual({ events: [], cursor: first.cursor })
  await ours.send('POST', `/invoices/${invoice_id}/approve`)
  await ours.send('POST', `/invoices/${invoice_id}/void`, {})
  const second = await rest(first.cursor, 'per_page=1')
  expect(types(second)).toEqual(['INVOICE_UPDATED', 'INVOICE_VOIDED'])
  expect(second.events.map(({ position }) => position)).toEqual([2, 3])
  expect(await rest(null, 'per_page=1')).toEqual({ events: [...first.events, ...second.events], cursor: second.cursor })
})

test('start=latest begins behind the newest event', async () => {
  await ours.invoice()
  const { events, page_context } = await feed('start=latest')
  expect([events, page_context.has_more_page]).toEqual([[], false])
  await ours.bill()
  expect(types(await rest(page_context.next_cursor))).toEqual(['BILL_CREATED'])
  // With a cursor, it begins there.
  expect(types(await feed(`start=latest&cursor=${page_context.next_cursor}`))).toEqual(['BILL_CREATED'])
})

test('the filters, alone and together', async () => {
  const { invoice_id } = await ours.sentInvoice()
  await ours.bill()
  await ours.payment(ours.receiptBody({ allocations: [{ invoice_id, amount: 40 }], amount: 40 }))
  const all = (await feed()).events as Json[]
  expect(types({ events: all }).toSorted()).toEqual(['BILL_CREATED', 'INVOICE_CREATED', 'INVOICE_UPDATED', 'PAYMENT_RECEIVED'])
  const cases: [string, (event: Json) => boolean][] = [
    ['event_type=INVOICE_UPDATED', ({ event_type }) => event_type === 'INVOICE_UPDATED'],
    ['entity_type=INVOICE', ({ entity_type }) => entity_type === 'INVOICE'],
    [`entity_id=${invoice_id}`, ({ entity_id }) => entity_id === invoice_id],
    [`entity_id=${invoice_id.toUpperCase()}`, ({ entity_id }) => entity_id === invoice_id],
    [`entity_type=INVOICE&entity_id=${invoice_id}`, ({ entity_id }) => entity_id === invoice_id],
    [`entity_type=BILL&entity_id=${invoice_id}`, () => false],
    [`event_type=INVOICE_CREATED&entity_type=INVOICE&entity_id=${invoice_id}`, ({ event_type }) => event_type === 'INVOICE_CREATED'],
    ['event_type=INVOICE_CREATED&entity_type=BILL', () => false],
    [`entity_id=${randomUUID()}`, () => false],
    ['entity_id=INV-001', () => false],
  ]
  for (const [query, belongs] of cases) {
    expect([query, (await rest(null, `per_page=1&${query}`)).events]).toEqual([query, all.filter(belongs)])
  }
})

test('deletions are in the feed, each as the last event of its document', async () => {
  const sale = { customer_id: ours.customerId, date: '2026-11-20', place_of_supply: 'IN-KA', line_items: [{ name: 'Saree', quantity: 1, rate: 100 }] }
  const lines = [{ account_id: ours.accounts.Sales, credit: 5 }, { account_id: ours.accounts['Bank Account'], debit: 5 }]
  const created: [kind: string, path: string, id: string, document: Json][] = []
  const create = async (kind: string, path: string, key: string, body: Json) => {
    const document = (await ours.send('POST', path, body))[key]
    created.push([kind, path, document[`${key}_id`], document])
  }
  const invoice = await ours.invoice()
  created.push(['INVOICE', '/invoices', invoice.invoice_id, invoice])
  const bill = await ours.bill()
  created.push(['BILL', '/bills', bill.bill_id, bill])
  await create('PAYMENT', '/payments', 'payment', ours.vendorPaymentBody({ amount: 40 }))
  await create('ESTIMATE', '/estimates', 'estimate', sale)
  await create('PURCHASE_ORDER', '/purchase_orders', 'purchase_order', { ...sale, customer_id: undefined, vendor_id: ours.vendorId })
  await create('EXPENSE', '/expenses', 'expense', {
    date: '2026-11-20', account_id: ours.accounts.Purchases, amount: 30, paid_through_account_id: ours.accounts['Bank Account'],
  })
  await create('JOURNAL', '/journals', 'journal', { date: '2026-11-20', lines })
  expect(created.map(([kind]) => `${kind}_DELETED`).toSorted()).toEqual(DELETION_EVENTS.toSorted())
  for (const [kind, path, id, document] of created) {
    const [before] = (await feed(`entity_id=${id}`)).events
    expect((await ours.client.delete(`${path}/${id}`)).status).toBe(200)
    const { events } = await feed(`event_type=${kind}_DELETED`)
    expect(events).toMatchObject([{ entity_type: kind, entity_id: id, data: { ...before.data, sequence: before.data.sequence + 1 } }])
    expect([kind, [...Compile(eventSchema(events[0].event_type)).Errors(events[0].data)]]).toEqual([kind, []])
    expect(document.status ?? null).toBe(events[0].data.status)
    expect((await feed(`entity_id=${id}`)).events.at(-1)).toEqual(events[0])
  }
  expect((await ours.client.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_DELETED'] })).status).toBe(400)
})

test('nobody sees the events of another organisation', async () => {
  await ours.invoice()
  const theirs = await openOrganization(service)
  expect((await theirs.get(FEED)).events).toEqual([])
  const { invoice_id } = await theirs.invoice()
  expect((await theirs.get(FEED)).events).toMatchObject([{ position: 1, org_id: theirs.orgId }])
  expect((await feed(`entity_id=${invoice_id}`)).events).toEqual([])
})

describe('cursors', () => {
  const refused = async (query: string, client: Client = ours.client) => {
    const { status, body } = await client.get(`${FEED}?${query}`)
    return [status, body.code, body.field]
  }
  const FOREIGN = [400, 'validation.invalid_value', 'cursor']

  test('belong to their filters and their organisation', async () => {
    await ours.invoice()
    const plain = (await feed()).page_context.next_cursor
    const filtered = (await feed('event_type=INVOICE_CREATED')).page_context.next_cursor
    expect(await refused(`cursor=${plain}&per_page=200&organization_id=${ours.orgId}`)).toEqual([200, 0, undefined])
    expect(await refused(`cursor=${plain}&event_type=INVOICE_CREATED`)).toEqual(FOREIGN)
    expect(await refused(`cursor=${filtered}`)).toEqual(FOREIGN)
    expect(await refused(`cursor=${filtered}&event_type=INVOICE_VOIDED`)).toEqual(FOREIGN)
    expect(await refused(`cursor=${plain}`, (await openOrganization(service)).client)).toEqual(FOREIGN)
    const ofList = (await ours.get('/contacts?per_page=1')).page_context.next_cursor
    expect(await refused(`cursor=${ofList}`)).toEqual(FOREIGN)
    const ofFeed = await ours.client.get(`/contacts?cursor=${plain}`)
    expect([ofFeed.status, ofFeed.body.code, ofFeed.body.field]).toEqual(FOREIGN)
  })

  test('that are cut short, lengthened or changed are refused', async () => {
    await ours.invoice()
    const cursor: string = (await feed()).page_context.next_cursor
    const bytes = Buffer.from(cursor, 'base64url')
    const flipped = [0, 15, 16, 23, 24, 39].map((at) => {
      const changed = Buffer.from(bytes)
      changed[at] = changed[at]! ^ 1
      return changed.toString('base64url')
    })
    for (const changed of [...flipped, cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `${cursor}=`, 'x', '']) {
      expect([changed, await refused(`cursor=${changed}`)]).toEqual([changed, FOREIGN])
    }
  })
})

test('callers of two API processes write at once: a reader of either has each event once, as they follow each other', async () => {
  const second = await service.another()
  try {
    const clients = [ours.client, clientOf(callAt(second.origin + BASE_PATH), ours.orgId, ours.client.token)]
    const write = async (n: number) => {
      const { status } = await clients[n % 2]!.post(n % 3 === 0 ? '/estimates' : '/invoices', {
        customer_id: ours.customerId, date: '2026-11-20', due_date: '2026-12-20', place_of_supply: 'IN-KA', auto_approve: n % 3 === 1,
        line_items: [{ name: 'Saree', quantity: 1, rate: 100 }],
      })
      expect(status).toBe(201)
    }
    let writing = true
    const all = Promise.all([0, 1, 2, 3].map(async (caller) => {
      for (let n = 0; n < 12; n += 1) await write(caller + n)
    })).finally(() => { writing = false })
    const seen: number[] = []
    for (let cursor = '', last = false, place = 0; ; place += 1) {
      const { body } = await clients[place % 2]!.get(`${FEED}?per_page=7${cursor}`)
      seen.push(...body.events.map(({ position }: Json) => position))
      cursor = `&cursor=${body.page_context.next_cursor}`
      if (last && !body.page_context.has_more_page) break
      last = !writing
    }
    await all
    expect(seen).toEqual(Array.from({ length: 48 }, (_, n) => n + 1))
  } finally {
    await second.close()
  }
})
