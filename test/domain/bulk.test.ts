// Which rows of a bulk must wait for an earlier one, and what is said of a bulk.
import { expect, test } from '@jest/globals'
import { bulkText, conflictsOf, type BulkKind } from '../../domain/bulk.ts'

const VENDOR = '01A1FDDD-4F6A-7198-A564-A53951D19D99'
const bill = (changes: object = {}) => ({ vendor_id: VENDOR, date: '2026-11-21', auto_approve: true, bill_number: 'KPM/1', ...changes })
const invoice = (changes: object = {}) => ({ customer_id: VENDOR, date: '2026-11-21', ...changes })

const waits = (kind: BulkKind, later: object, earlier: object) => {
  const { leaves } = conflictsOf(kind, earlier)
  return conflictsOf(kind, later).waitsFor.some((key) => leaves.includes(key))
}

test('bills of one vendor and date wait for each other, however they are written', () => {
  expect(waits('BILL', bill(), bill())).toBe(true)
  expect(waits('BILL', bill({ vendor_id: VENDOR.toLowerCase() }), bill())).toBe(true)
  expect(waits('BILL', bill({ date: '2026-11-20T18:30:00Z' }), bill())).toBe(true)
  expect(waits('BILL', bill({ date: '2026-11-22' }), bill())).toBe(false)
  expect(waits('BILL', bill({ vendor_id: VENDOR.replace('01', '02') }), bill())).toBe(false)
})

test.each<[string, boolean, object, object]>([
  ['an equal reference', true, { reference_number: ' A ' }, { reference_number: 'A' }],
  ['another reference', false, { reference_number: 'B' }, { reference_number: 'A' }],
  ['none, after one with a reference', true, {}, { reference_number: 'A' }],
  ['a reference, after one with none', false, { reference_number: 'A' }, {}],
  ['a draft before it', false, {}, { auto_approve: false }],
  ['a draft after it', true, { auto_approve: false }, {}],
  ["a number of our own, after a vendor's", true, { vendor_id: 'x', bill_number: null }, {}],
  ["a vendor's number, after one of our own", false, { vendor_id: 'x' }, { bill_number: null }],
  ['two equal numbers of vendors', false, { vendor_id: 'x' }, {}],
])('a bill with %s: %p', (_what, waiting, later, earlier) => {
  expect(waits('BILL', bill(later), bill(earlier))).toBe(waiting)
})

test.each<[string, boolean, object, object]>([
  ['none', false, {}, {}],
  ['the same', true, { invoice_number: 'OWN-1' }, { invoice_number: 'OWN-1' }],
  ['another', false, { invoice_number: 'OWN-2' }, { invoice_number: 'OWN-1' }],
  ['none, after one with a number', true, {}, { invoice_number: 'OWN-1' }],
  ['a number, after one without', false, { invoice_number: 'OWN-1' }, {}],
])('an invoice with a number, %s: %p', (_what, waiting, later, earlier) => {
  expect(waits('INVOICE', invoice(later), invoice(earlier))).toBe(waiting)
})

test.each([
  [{ total: 3, succeeded: 3, failed: 0 }, '3 of 3 bills created, 0 failed.'],
  [{ total: 3, succeeded: 0, failed: 2 }, '0 of 3 bills created, 2 failed, 1 waiting.'],
])('%p', (counts, text) => {
  expect(bulkText('BILL', counts)).toBe(text)
})
