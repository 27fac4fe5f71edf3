// What a refusal says to people: what is wrong with which field, and what would be right.
import { describe, expect, test } from '@jest/globals'
import { billBody, creditNoteBody, estimateBody, invoiceBody, receiptBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)

describe('the form of a value is described in words', () => {
  test.each([
    ['/contacts', { contact_name: ' ' }, 'contact_name', 'must be a text that is not blank'],
    ['/contacts', { contact_name: 'Ravi', email: 'ravi' }, 'email', 'must be an e-mail address'],
    ['/invoices', { date: '20-11-2026' }, 'date', 'must be a date (2026-04-01) or an instant (2026-04-01T10:00:00Z)'],
    ['/invoices', { currency_code: 'inr' }, 'currency_code', 'must be an ISO 4217 code, three capital letters'],
  ])('POST %s %j', async (path, body, field, message) => {
    const { status, body: { errors } } = await org.client.post(path, path === '/invoices' ? invoiceBody(org, body) : body)
    expect([status, errors.find((each: Json) => each.field === field).message]).toEqual([422, message])
  })

  test.each([
    ['date_from=x', 'date_from', 'a date (2026-04-01) or an instant (2026-04-01T10:00:00Z)'],
    ['overdue=maybe', 'overdue', 'true or false'],
    ['per_page=201', 'per_page', 'a number from 1 to 200'],
    ['status=NEW', 'status', 'one of the values in details'],
  ])('GET /invoices?%s', async (query, field, form) => {
    const { status, body } = await org.client.get(`/invoices?${query}`)
    expect([status, body.message]).toEqual([400, `The query parameter ${field} is invalid; it must be ${form}.`])
  })
})

describe('the error of a wrong state names the right ones', () => {
  test('of an invoice', async () => {
    const { invoice } = await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))
    expect((await org.client.delete(`/invoices/${invoice.invoice_id}`)).body.message).toBe('The status is SENT; this call is allowed while it is DRAFT.')
  })

  test.each([
    ['ACCEPTED', 'use POST /estimates/{estimate_id}/accept'], ['CONVERTED', 'use POST /estimates/{estimate_id}/convert'],
    ['DRAFT', 'only a new estimate is a draft'],
  ])('of an estimate: which call makes it %s', async (status, advice) => {
    const { estimate } = await created(org.client.post('/estimates', estimateBody(org)))
    const path = `/estimates/${estimate.estimate_id}`
    await org.client.put(path, { status: 'SENT' })
    expect((await org.client.put(path, { status })).body.message).toBe(`A PUT cannot set the status ${status}; ${advice}.`)
  })

  test('of a bill that credits alone have settled: there is no payment to reverse', async () => {
    const { bill } = await created(org.client.post('/bills', billBody(org, { auto_approve: true })))
    const whole = { bill_id: bill.bill_id, line_items: [{ name: 'All', quantity: 1, rate: bill.total }] }
    const { credit_note: { credit_note_id } } = await created(org.client.post('/credit_notes', creditNoteBody({ ...org, customerId: org.vendorId }, whole)))
    expect(await org.client.post(`/credit_notes/${credit_note_id}/apply-to-bill`, { bill_id: bill.bill_id, amount: bill.total })).toMatchObject({ body: { bill: { status: 'PAID' } } })
    const { status, body } = await org.client.post(`/bills/${bill.bill_id}/void`, {})
    expect([status, body.code]).toEqual([409, 'conflict.bill_paid'])
    expect(body.message).toBe('A credit is applied to this document; a document with an applied credit cannot be voided.')
  })
})

test.each<[Json, string, string]>([
  [{ amount: 5, tds_amount: 6 }, 'tds_amount', "tds_amount: 6.00 is above the payment's amount, 5.00 INR."],
  [{ amount: 5, tds_amount: 4, bank_charges: 2 }, 'bank_charges', 'bank_charges: 2.00 is above the amount less tds_amount, 1.00 INR.'],
  [{ amount: 5, allocations: [{ invoice_id: '$invoice', amount: 6 }] }, 'allocations', "allocations: 6.00 is above the payment's amount, 5.00 INR."],
])('a figure that is too large is told with its limit: %j', async (wrong, field, message) => {
  const { invoice } = await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))
  const { body } = await org.client.post('/payments', JSON.parse(JSON.stringify(receiptBody(org, wrong)).replace('$invoice', invoice.invoice_id)))
  expect([body.code, body.field, body.message]).toEqual(['validation.invalid_value', field, message])
})
