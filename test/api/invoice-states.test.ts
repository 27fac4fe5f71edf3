// The states of an invoice: which calls each allows, what they change, and what they leave.
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, THIS_YEAR } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const draft = () => ours.invoice()
const read = async (id: string) => (await ours.get(`/invoices/${id}`)).invoice

const CALLS: [string, string, Json?][] = [['PUT', ''], ['POST', '/approve'], ['POST', '/void'], ['DELETE', '']]
const notDraft = (status: string) => ({ status: 409, code: 'conflict.invalid_state', details: { status, allowed: ['DRAFT'] } })

describe('what a state forbids', () => {
  test.each([
    ['SENT', 0, 0, null],
    ['PARTIALLY_PAID', 40_00, 0, null],
    ['OVERDUE', 0, 0, null],
    ['PARTIALLY_PAID', 0, 40_00, 'conflict.credit_applied'],
    ['PAID', 100_00, 0, 'conflict.invoice_paid'],
    ['CREDIT_APPLIED', 0, 100_00, 'conflict.credit_applied'],
    ['CANCELLED', 0, 0, 'conflict.already_cancelled'],
  ])('%s with %i paid and %i credited', async (status, paid, credited, code) => {
    const { invoice_id } = await ours.invoice({ auto_approve: true })
    // No call pays or credits an invoice yet, so it is put into the state by hand and out of it again.
    const put = (...values: unknown[]) => service.sql(
      'UPDATE invoices SET status = $2, payment_made = $3, credits_applied = $4 WHERE id = $1', invoice_id, ...values)
    await put(status, paid, credited)
    const before = await read(invoice_id)
    for (const [method, path] of CALLS) {
      if (path === '/void') continue
      expect(await ours.refusal(method, `/invoices/${invoice_id}${path}`, {})).toEqual(notDraft(status))
    }
    if (code !== null) expect(await ours.refusal('POST', `/invoices/${invoice_id}/void`)).toEqual({ status: 409, code })
    expect(await read(invoice_id)).toEqual(before)
    await put('SENT', 0, 0)
  })

  test.each(['SENT', 'OVERDUE'])('%s can be voided, once', async (status) => {
    const { invoice_id } = await ours.invoice({ auto_approve: true })
    await service.sql('UPDATE invoices SET status = $2 WHERE id = $1', invoice_id, status)
    const { invoice, message } = await ours.send('POST', `/invoices/${invoice_id}/void`, { reason: 'Sent twice' })
    expect([message, invoice.status, invoice.total, invoice.balance]).toEqual(['Invoice voided.', 'CANCELLED', 100, 0])
    expect(await ours.refusal('POST', `/invoices/${invoice_id}/void`)).toEqual({ status: 409, code: 'conflict.already_cancelled' })
    expect((await ours.ledger(invoice_id)).length).toBe(2)
  })

  test('a draft that is void stays, cancelled', async () => {
    const { invoice_id, invoice_number } = await draft()
    expect((await ours.send('POST', `/invoices/${invoice_id}/void`)).invoice).toMatchObject({ status: 'CANCELLED', balance: 0, invoice_number })
    for (const [method, path] of CALLS.filter(([, path]) => path !== '/void')) {
      expect(await ours.refusal(method, `/invoices/${invoice_id}${path}`, {})).toEqual(notDraft('CANCELLED'))
    }
  })

  test('nothing is done to another organisation\'s invoice', async () => {
    const { invoice_id } = await theirs.invoice()
    for (const [method, path] of CALLS) {
      for (const id of [invoice_id, 'none']) {
        expect(await ours.refusal(method, `/invoices/${id}${path}`, {})).toEqual({ status: 404, code: 'not_found.resource' })
      }
    }
    expect((await theirs.get(`/invoices/${invoice_id}`)).invoice.status).toBe('DRAFT')
  })
})

describe('PUT', () => {
  test('reference, due date and notes change, and nothing else', async () => {
    const before = await draft()
    const { message, invoice } = await ours.send('PUT', `/invoices/${before.invoice_id}`, {
      reference_number: 'PO 8', due_date: '2026-12-24T18:30:00Z', notes: 'Festival terms', unknown: 1,
    })
    expect(message).toBe('Invoice updated.')
    expect(invoice).toEqual({
      ...before, reference_number: 'PO 8', due_date: '2026-12-25T00:00:00.000Z', notes: 'Festival terms', last_modified_time: invoice.last_modified_time,
      is_overdue: invoice.is_overdue, days_overdue: invoice.days_overdue,
    })
    expect(invoice.last_modified_time > before.last_modified_time).toBe(true)
    expect(await read(before.invoice_id)).toEqual(invoice)
    const { invoice: partly } = await ours.send('PUT', `/invoices/${before.invoice_id}`, { reference_number: null })
    expect(partly).toEqual({ ...invoice, reference_number: null, last_modified_time: partly.last_modified_time })
  })

  test('what changes nothing leaves no trace', async () => {
    const { invoice_id } = await ours.invoice({ notes: 'As it was' })
    const before = await read(invoice_id)
    for (const body of [{}, { notes: 'As it was', reference_number: null, due_date: '2026-11-10' }]) {
      expect((await ours.send('PUT', `/invoices/${invoice_id}`, body)).invoice).toEqual(before)
    }
    expect((await ours.get(`/invoices/${invoice_id}/activity`)).activity).toHaveLength(1)
  })

  test.each([
    ['customer_id', '0190a000-0000-7000-8000-000000000000'], ['date', '2026-11-11'], ['place_of_supply', 'IN-MH'], ['line_items', [line()]],
    ['invoice_number', 'X-1'], ['series_name', 'export'], ['branch_id', null], ['currency_code', 'USD'], ['exchange_rate', 2],
    ['salesperson_id', 'ravi'], ['round_off', 0.5], ['tags', ['ABC']], ['auto_approve', true],
  ])('%s is fixed', async (field, value) => {
    const before = await draft()
    expect(await ours.refusal('PUT', `/invoices/${before.invoice_id}`, { notes: 'No', [field]: value }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field })
    expect(await read(before.invoice_id)).toEqual(before)
  })

  test.each([
    [{ due_date: 'soon', notes: 5 }, ['due_date', 'notes']], [{ due_date: null }, ['due_date']], [{ reference_number: 'x'.repeat(101) }, ['reference_number']],
  ])('%j has the wrong shape', async (body, fields) => {
    const refused = await ours.refusal('PUT', `/invoices/${(await draft()).invoice_id}`, body)
    expect([refused.status, refused.code]).toEqual([422, 'validation.failed'])
    expect(refused.errors.map(({ field }: Json) => field).toSorted()).toEqual(fields)
  })

  test('nothing becomes due before its date', async () => {
    expect(await ours.refusal('PUT', `/invoices/${(await draft()).invoice_id}`, { due_date: '2026-11-09' }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'due_date' })
  })
})

test('approve answers the whole invoice, SENT', async () => {
  const before = await draft()
  const { message, invoice } = await ours.send('POST', `/invoices/${before.invoice_id}/approve`)
  expect(message).toBe('Invoice approved.')
  expect(invoice).toEqual({ ...before, status: 'SENT', is_overdue: invoice.is_overdue, days_overdue: invoice.days_overdue, last_modified_time: invoice.last_modified_time })
  expect(await read(before.invoice_id)).toEqual(invoice)
})

test.each([[{ date: 'never' }, 'date'], [{ reason: 7 }, 'reason'], [{ reason: 'x'.repeat(501) }, 'reason']])('a void with %j has the wrong shape', async (body, field) => {
  const refused = await ours.refusal('POST', `/invoices/${(await draft()).invoice_id}/void`, body)
  expect([refused.status, refused.code, refused.errors[0].field]).toEqual([422, 'validation.failed', field])
})

describe('DELETE', () => {
  test('a draft is gone, its number in the register of gaps, and never given again', async () => {
    const other = await openOrganization(service)
    const [first, second] = [await other.invoice({ date: THIS_YEAR.start }), await other.invoice({ date: THIS_YEAR.start, invoice_number: 'HAND-1' })]
    expect(await other.send('DELETE', `/invoices/${first.invoice_id}`)).toEqual({ code: 0, message: 'Invoice deleted.' })
    await other.send('DELETE', `/invoices/${second.invoice_id}`)
    expect(await other.refusal('GET', `/invoices/${first.invoice_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
    expect(await other.refusal('DELETE', `/invoices/${first.invoice_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
    expect((await other.get('/invoices')).invoices).toEqual([])
    const { gaps, page_context } = await other.get('/invoices/series/gaps')
    expect(gaps).toEqual([
      { number: 'HAND-1', series: null, reason: expect.any(String), time: expect.any(String) },
      { number: first.invoice_number, series: 'default', reason: expect.any(String), time: expect.any(String) },
    ])
    expect(page_context).toEqual({ per_page: 50, has_more_page: false, next_cursor: null })
    expect((await other.invoice({ date: THIS_YEAR.start })).invoice_number).toBe(first.invoice_number.replace('001', '002'))
    expect((await theirs.get('/invoices/series/gaps')).gaps).toEqual([])
  })
})

describe('a dispute', () => {
  const dispute = (id: string, reason: unknown = 'Ten were torn') => ours.send('POST', `/invoices/${id}/dispute`, { reason })
  const activityOf = async (id: string): Promise<Json[]> => (await ours.get(`/activity?entity_type=INVOICE&entity_id=${id}`)).activity

  test('is noted with its reason and resolved, with activity and an event, and posts nothing', async () => {
    const before = await ours.sentInvoice()
    const journals = await ours.ledger(before.invoice_id)
    const { invoice } = await dispute(before.invoice_id, '  Ten were torn ')
    const { dispute: noted, last_modified_time, ...same } = invoice
    expect(noted).toEqual({ reason: 'Ten were torn', disputed_at: last_modified_time })
    expect({ ...same, dispute: null, last_modified_time: before.last_modified_time }).toEqual(before)
    expect(await read(before.invoice_id)).toEqual(invoice)
    expect((await ours.get('/invoices?per_page=1')).invoices).toEqual([invoice])
    const { invoice: resolved } = await ours.send('POST', `/invoices/${before.invoice_id}/resolve_dispute`)
    expect(resolved.dispute).toBeNull()
    expect(await read(before.invoice_id)).toEqual(resolved)
    expect(await ours.ledger(before.invoice_id)).toEqual(journals)
    expect((await activityOf(before.invoice_id)).slice(0, 2).map(({ action, changes }) => [action, changes])).toEqual([
      ['INVOICE_DISPUTE_RESOLVED', { dispute: { old: noted, new: null } }], ['INVOICE_DISPUTED', { dispute: { old: null, new: noted } }],
    ])
    const { events } = await ours.get(`/webhooks/events?entity_id=${before.invoice_id}&event_type=INVOICE_UPDATED`)
    expect(events.map(({ data }: Json) => [data.changed, data.sequence])).toEqual([[['dispute'], 2], [['dispute'], 3]])
  })

  test('is one at a time, and of what is owed', async () => {
    const { invoice_id: id } = await ours.sentInvoice()
    const allowed = ['SENT', 'PARTIALLY_PAID', 'OVERDUE']
    expect(await ours.refusal('POST', `/invoices/${id}/resolve_dispute`)).toEqual({ status: 409, code: 'conflict.invalid_state', details: { status: 'SENT', allowed, dispute: null } })
    const { invoice } = await dispute(id)
    expect(await ours.refusal('POST', `/invoices/${id}/dispute`, { reason: 'Again' })).toEqual(
      { status: 409, code: 'conflict.invalid_state', details: { status: 'SENT', allowed, disputed_at: invoice.dispute.disputed_at } })
    expect(await theirs.refusal('POST', `/invoices/${id}/resolve_dispute`)).toMatchObject({ status: 404 })
    expect(await ours.refusal('POST', `/invoices/${(await draft()).invoice_id}/dispute`, { reason: 'Torn' })).toMatchObject({ status: 409, details: { status: 'DRAFT', allowed } })
  })

  test('outlives the void of its invoice, and is resolved in any state', async () => {
    const { invoice_id: id } = await ours.sentInvoice()
    const { invoice } = await dispute(id)
    const { invoice: voided } = await ours.send('POST', `/invoices/${id}/void`, {})
    expect([voided.status, voided.dispute]).toEqual(['CANCELLED', invoice.dispute])
    expect((await ours.send('POST', `/invoices/${id}/resolve_dispute`)).invoice).toMatchObject({ status: 'CANCELLED', dispute: null })
  })

  test.each([[undefined, 'required'], ['', 'too_short'], [' ', 'pattern'], ['x'.repeat(501), 'too_long'], [7, 'type']])('with the reason %p is refused', async (reason, code) => {
    const { invoice_id: id } = await ours.sentInvoice()
    const refused = await ours.refusal('POST', `/invoices/${id}/dispute`, { reason })
    expect([refused.status, refused.code, refused.errors[0]]).toEqual([422, 'validation.failed', { field: 'reason', code, message: expect.any(String) }])
  })
})
