// The catalogue of events is the specification's, and each schema takes its own data and nothing else.
import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { DELETION_EVENTS, EVENT_TYPES, TEST_EVENT, deliverySchema, eventSchema, isEventType } from '../../domain/events.ts'

const ajv = new Ajv({ allErrors: true, strict: false })
addFormats.default(ajv)

const ID = '0197f2a0-0000-7000-8000-000000000001'
const sale = { id: ID, number: 'INV-1', customer_id: ID, total: 1180, status: 'SENT', sequence: 1 }
const purchase = { id: ID, number: 'BILL-1', vendor_id: ID, total: 1180, status: 'OPEN', sequence: 1 }
const payment = { id: ID, number: 'PAY-1', contact_id: ID, total: 50.5, status: null, sequence: 1, amount: 50.5 }
const estimate = { ...sale, converted_to_sales_order_id: null }
const bulk = { count: 2, failed: 1, batch_size: 3 }
const comment = { id: ID, entity_type: 'invoice', entity_id: ID, author_user_id: ID }

const EXAMPLES: [string, Record<string, unknown>][] = [
  ['INVOICE_CREATED', sale],
  ['INVOICE_UPDATED', { ...sale, changed: ['notes'] }],
  ['INVOICE_VOIDED', sale],
  ['INVOICE_PAID', sale],
  ['BILL_CREATED', purchase],
  ['BILL_UPDATED', { ...purchase, changed: [] }],
  ['BILL_VOIDED', purchase],
  ['BILL_PAID', purchase],
  ['PAYMENT_RECEIVED', { ...payment, flow: 'INCOMING' }],
  ['PAYMENT_MADE', { ...payment, flow: 'OUTGOING' }],
  ['CREDIT_NOTE_CREATED', sale],
  ['CREDIT_NOTE_VOIDED', sale],
  ['DEBIT_NOTE_CREATED', purchase],
  ['ESTIMATE_CREATED', estimate],
  ['ESTIMATE_ACCEPTED', estimate],
  ['ESTIMATE_CONVERTED', { ...estimate, converted_to_sales_order_id: ID }],
  ['SALES_ORDER_CREATED', sale],
  ['PURCHASE_ORDER_CREATED', purchase],
  ['EXPENSE_CREATED', { ...purchase, vendor_id: null, status: null }],
  ['JOURNAL_POSTED', { id: ID, number: 'JV-1', contact_id: null, total: 10, status: null, sequence: 1, source: 'MANUAL' }],
  ['INVOICE_BULK_CREATED', bulk],
  ['BILL_BULK_CREATED', bulk],
  ['comment.created', comment],
  ['comment.updated', comment],
  ['comment.deleted', comment],
  ['invoice.sent', sale],
  ['RECURRING_PAUSED', {
    id: ID, name: 'Rent', entity_type: 'INVOICE', status: 'PAUSED', failures: 3, error: 'There is no such contact.', next_run_at: '2026-11-01T03:30:00.000Z', sequence: 4,
  }],
  ['invoice.reminded', sale],
]

test('the catalogue has every event of the specification, RECURRING_PAUSED and invoice.reminded, and no other', () => {
  expect([...EVENT_TYPES]).toEqual(EXAMPLES.map(([type]) => type))
})

describe.each(EXAMPLES)('%s', (type, data) => {
  if (!isEventType(type)) throw new Error(`${type} is no event type`)
  const validate = ajv.compile(eventSchema(type))

  test('takes its data', () => {
    expect(validate(data) || validate.errors).toBe(true)
  })

  test.each(Object.keys(data))('does not do without %s', (field) => {
    expect(validate({ ...data, [field]: undefined })).toBe(false)
  })

  test('takes no field beside them', () => {
    expect(validate({ ...data, surprise: 1 })).toBe(false)
  })
})

test('every deletion has a schema, and cannot be subscribed to', () => {
  expect(DELETION_EVENTS.length).toBeGreaterThan(0)
  for (const type of DELETION_EVENTS) {
    expect([type, isEventType(type)]).toEqual([type, false])
    expect(eventSchema(type)).toMatchObject({ properties: { id: {}, number: {}, total: {}, sequence: {}, status: {} } })
  }
})

test('a payment received does not pass for one made', () => {
  expect(ajv.validate(eventSchema('PAYMENT_MADE'), { ...payment, flow: 'INCOMING' })).toBe(false)
})

test.each(['INVOICE_DELETED', 'invoice_created', '', 'toString', TEST_EVENT])('%p is nothing to subscribe to', (name) => {
  expect(isEventType(name)).toBe(false)
})

test('the body that is delivered wraps the data', () => {
  const body = { event_type: 'INVOICE_PAID', delivery_id: ID, occurred_at: '2026-04-01T03:30:00.000Z', org_id: ID, data: sale }
  expect(ajv.validate(deliverySchema('INVOICE_PAID'), body)).toBe(true)
  expect(ajv.validate(deliverySchema('INVOICE_VOIDED'), body)).toBe(false)
  expect(ajv.validate(deliverySchema(TEST_EVENT), { ...body, event_type: TEST_EVENT, data: { id: ID } })).toBe(true)
})
