// The states of a bill: which calls each allows, what they change, and what they leave.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { billBody, line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, THIS_YEAR, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const draft = () => ours.bill()
const read = async (id: string) => (await ours.get(`/bills/${id}`)).bill

const CALLS: [string, string][] = [['PUT', ''], ['POST', '/approve'], ['POST', '/void'], ['DELETE', '']]
const notDraft = (status: string) => ({ status: 409, code: 'conflict.invalid_state', details: { status, allowed: ['DRAFT'] } })

describe('what a state forbids', () => {
  test.each([
    ['OPEN', 0, 0, null],
    ['PARTIALLY_PAID', 40_00, 0, null],
    ['OVERDUE', 0, 0, null],
    ['PARTIALLY_PAID', 0, 40_00, 'conflict.credit_applied'],
    ['PAID', 100_00, 0, 'conflict.bill_paid'],
    ['PAID', 0, 100_00, 'conflict.bill_paid'],
    ['CANCELLED', 0, 0, 'conflict.already_cancelled'],
  ])('%s with %i paid and %i credited', async (status, paid, credited, code) => {
    const { bill_id } = await ours.bill({ auto_approve: true })
    // A state is put and taken away by hand: how money and credits lead to it is tested with them.
    const put = (...values: unknown[]) => service.sql(
      'UPDATE bills SET status = $2, payment_made = $3, vendor_credits_applied = $4 WHERE id = $1', bill_id, ...values)
    await put(status, paid, credited)
    const before = await read(bill_id)
    expect(before).toMatchObject({ status, balance: status === 'CANCELLED' ? 0 : (100_00 - paid - credited) / 100 })
    for (const [method, path] of CALLS.filter(([, path]) => path !== '/void')) {
      expect(await ours.refusal(method, `/bills/${bill_id}${path}`, {})).toEqual(notDraft(status))
    }
    if (code !== null) expect(await ours.refusal('POST', `/bills/${bill_id}/void`)).toEqual({ status: 409, code })
    expect(await read(bill_id)).toEqual(before)
    await put('OPEN', 0, 0)
  })

  test.each(['OPEN', 'OVERDUE'])('%s can be voided, once', async (status) => {
    const { bill_id } = await ours.bill({ auto_approve: true })
    await service.sql('UPDATE bills SET status = $2 WHERE id = $1', bill_id, status)
    const { bill, message } = await ours.send('POST', `/bills/${bill_id}/void`, { reason: 'Sent back' })
    expect([message, bill.status, bill.total, bill.balance]).toEqual(['Bill voided.', 'CANCELLED', 100, 0])
    expect(await ours.refusal('POST', `/bills/${bill_id}/void`)).toEqual({ status: 409, code: 'conflict.already_cancelled' })
    expect((await ours.billLedger(bill_id)).length).toBe(2)
  })

  test('a draft that is void stays, cancelled, and posts nothing', async () => {
    const { bill_id, bill_number } = await draft()
    expect((await ours.send('POST', `/bills/${bill_id}/void`)).bill).toMatchObject({ status: 'CANCELLED', balance: 0, bill_number })
    expect(await ours.billLedger(bill_id)).toEqual([])
    for (const [method, path] of CALLS.filter(([, path]) => path !== '/void')) {
      expect(await ours.refusal(method, `/bills/${bill_id}${path}`, {})).toEqual(notDraft('CANCELLED'))
    }
  })

  test('nothing is done to another organisation\'s bill', async () => {
    const { bill_id } = await theirs.bill()
    for (const [method, path] of CALLS) {
      for (const id of [bill_id, 'none']) {
        expect(await ours.refusal(method, `/bills/${id}${path}`, {})).toEqual({ status: 404, code: 'not_found.resource' })
      }
    }
    expect((await theirs.get(`/bills/${bill_id}`)).bill.status).toBe('DRAFT')
  })
})

describe('PUT', () => {
  test('number, reference, dates and notes change, and nothing else', async () => {
    const before = await draft()
    const { message, bill } = await ours.send('PUT', `/bills/${before.bill_id}`, {
      bill_number: 'TM/9', reference_number: 'PO 8', date: '2026-11-12', due_date: '2026-12-24T18:30:00Z', notes: 'Festival terms', unknown: 1,
    })
    expect(message).toBe('Bill updated.')
    expect(bill).toEqual({
      ...before, bill_number: 'TM/9', reference_number: 'PO 8', date: '2026-11-12T00:00:00.000Z', due_date: '2026-12-25T00:00:00.000Z',
      notes: 'Festival terms', last_modified_time: bill.last_modified_time, is_overdue: bill.is_overdue, days_overdue: bill.days_overdue,
    })
    expect(await read(before.bill_id)).toEqual(bill)
    const { bill: partly } = await ours.send('PUT', `/bills/${before.bill_id}`, { reference_number: null })
    expect(partly).toEqual({ ...bill, reference_number: null, last_modified_time: partly.last_modified_time })
  })

  test('what changes nothing leaves no trace', async () => {
    const { bill_id, bill_number } = await ours.bill({ notes: 'As it was', reference_number: null, date: '2026-08-10' })
    const before = await read(bill_id)
    for (const body of [{}, { notes: 'As it was', reference_number: null, date: '2026-08-10', due_date: '2026-08-10', bill_number }]) {
      expect((await ours.send('PUT', `/bills/${bill_id}`, body)).bill).toEqual(before)
    }
    expect((await ours.get(`/bills/${bill_id}/activity`)).activity).toHaveLength(1)
  })

  test.each([
    ['vendor_id', '0190a000-0000-7000-8000-000000000000'], ['place_of_supply', 'IN-MH'], ['line_items', [line()]], ['branch_id', null],
    ['currency_code', 'USD'], ['exchange_rate', 2], ['round_off', 0.5], ['tags', ['ABC']], ['auto_approve', true],
  ])('%s is fixed', async (field, value) => {
    const before = await draft()
    expect(await ours.refusal('PUT', `/bills/${before.bill_id}`, { notes: 'No', [field]: value }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field })
    expect(await read(before.bill_id)).toEqual(before)
  })

  test.each([
    [{ due_date: 'soon', notes: 5 }, ['due_date', 'notes']], [{ due_date: null }, ['due_date']], [{ date: null }, ['date']],
    [{ bill_number: ' ' }, ['bill_number']], [{ bill_number: null }, ['bill_number']],
  ])('%j has the wrong shape', async (body, fields) => {
    const refused = await ours.refusal('PUT', `/bills/${(await draft()).bill_id}`, body)
    expect([refused.status, refused.code]).toEqual([422, 'validation.failed'])
    expect(refused.errors.map(({ field }: Json) => field).toSorted()).toEqual(fields)
  })

  test.each([{ due_date: '2026-11-09' }, { date: '2026-11-11' }])('by %j nothing becomes due before its date', async (body) => {
    expect(await ours.refusal('PUT', `/bills/${(await draft()).bill_id}`, body))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'due_date' })
  })
})

test('approve answers the whole bill, OPEN', async () => {
  const before = await draft()
  const { message, bill } = await ours.send('POST', `/bills/${before.bill_id}/approve`)
  expect(message).toBe('Bill approved.')
  expect(bill).toEqual({ ...before, status: 'OPEN', is_overdue: bill.is_overdue, days_overdue: bill.days_overdue, last_modified_time: bill.last_modified_time })
  expect(await read(before.bill_id)).toEqual(bill)
})

test('of approve, void and delete of one draft at once, what is done can be done in some order', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { bill_id } = await draft()
    const [approved, voided, deleted] = await Promise.all([
      ours.client.post(`/bills/${bill_id}/approve`), ours.client.post(`/bills/${bill_id}/void`), ours.client.delete(`/bills/${bill_id}`),
    ])
    for (const { status } of [approved, voided, deleted]) expect([200, 404, 409]).toContain(status)
    if (deleted.status === 200) expect([approved.status, voided.status]).toEqual([404, 404])
    else expect((await read(bill_id)).status).toBe(voided.status === 200 ? 'CANCELLED' : 'OPEN')
  }
})

test('deleted or replaced, a number of ours is in the register of gaps and never given again; a vendor\'s own is not', async () => {
  const other = await openOrganization(service)
  const date = THIS_YEAR.start
  const [first, second, own] = [await other.bill({ date }), await other.bill({ date }), await other.bill({ date, bill_number: 'TM/1' })]
  expect(await other.send('DELETE', `/bills/${first.bill_id}`)).toEqual({ code: 0, message: 'Bill deleted.' })
  await other.send('PUT', `/bills/${second.bill_id}`, { bill_number: 'TM/2' })
  for (const { bill_id } of [second, own]) await other.send('DELETE', `/bills/${bill_id}`)
  expect(await other.refusal('GET', `/bills/${first.bill_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect((await other.get('/bills')).bills).toEqual([])
  expect(await service.sql('SELECT document, number FROM number_gaps WHERE org_id = $1 ORDER BY number', other.orgId)).toEqual([
    { document: 'bill', number: first.bill_number }, { document: 'bill', number: second.bill_number },
  ])
  // A token that may only read invoices learns nothing of bills there.
  expect((await other.get('/invoices/series/gaps')).gaps).toEqual([])
  expect((await other.bill({ date })).bill_number).toBe(first.bill_number.replace('001', '003'))
})

describe('the duplicate guard', () => {
  let org: TestOrganization
  beforeAll(async () => { org = await openOrganization(service) })
  const refusedAs = ({ bill_id, bill_number }: Json) => (
    { status: 400, code: 'validation.invalid_value', field: 'reference_number', details: { bill_id, bill_number } }
  )

  test('stops a bill of the vendor, date and total of a posted one, but for a reference of its own', async () => {
    const reference_number = null
    const sent = { reference_number, date: '2026-10-01', auto_approve: true }
    await org.bill({ ...sent, auto_approve: false })
    const posted = await org.bill(sent)
    for (const again of [{}, { reference_number: '' }, { reference_number: ' ' }, { auto_approve: false }, { line_items: [line({ rate: 50 }), line({ rate: 50 })] }]) {
      expect(await org.refusedBill({ ...sent, ...again })).toEqual(refusedAs(posted))
    }
    const second = await org.bill({ ...sent, reference_number: 'second parcel' })
    expect(await org.refusedBill({ ...sent, reference_number: 'second parcel' })).toEqual(refusedAs(second))
    await org.bill({ ...sent, reference_number: 'third parcel' })
    for (const different of [{ date: '2026-10-02' }, { line_items: [line({ rate: 100.01 })] }, { vendor_id: await vendor() }]) {
      expect((await org.bill({ ...sent, ...different })).status).toBe('OPEN')
    }
  })

  test('stops a draft at its approval, when another one has been posted meanwhile', async () => {
    const sent = { date: '2026-10-05', reference_number: 'R' }
    const [first, second] = [await org.bill(sent), await org.bill(sent)]
    await org.send('POST', `/bills/${first.bill_id}/approve`)
    expect(await org.refusal('POST', `/bills/${second.bill_id}/approve`)).toEqual(refusedAs(first))
    await org.send('PUT', `/bills/${second.bill_id}`, { reference_number: 'R again' })
    expect((await org.send('POST', `/bills/${second.bill_id}/approve`)).bill.status).toBe('OPEN')
  })

  test('forgets a bill that is void', async () => {
    const sent = { date: '2026-10-09', reference_number: null, auto_approve: true }
    const { bill_id } = await org.bill(sent)
    await org.send('POST', `/bills/${bill_id}/void`)
    expect((await org.bill(sent)).status).toBe('OPEN')
  })

  test('lets one of many at once through', async () => {
    const body = billBody(org, { date: '2026-10-15', reference_number: null, auto_approve: true })
    const answers = await Promise.all(Array.from({ length: 12 }, () => org.client.post('/bills', body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(400)])
    for (const { body: { code, field } } of answers.filter(({ status }) => status === 400)) {
      expect([code, field]).toEqual(['validation.invalid_value', 'reference_number'])
    }
  })

  const vendor = async () => (await org.send('POST', '/contacts', { contact_name: 'Erode Looms', contact_type: 'VENDOR' })).contact.contact_id
})
