// Which rows of a bulk must wait for an earlier one, and what is said of a bulk.
import { expect, test } from '@jest/globals'
import { bulkText, conflictKey } from '../../domain/bulk.ts'

const VENDOR = '01A1FDDD-4F6A-7198-A564-A53951D19D99'
const bill = (changes: object = {}) => ({ vendor_id: VENDOR, date: '2026-11-21', ...changes })

test('bills of one vendor and date wait for each other, however they are written', () => {
  const key = conflictKey('BILL', bill())
  expect(conflictKey('BILL', bill({ vendor_id: VENDOR.toLowerCase() }))).toBe(key)
  expect(conflictKey('BILL', bill({ date: '2026-11-20T18:30:00Z' }))).toBe(key)
  expect(conflictKey('BILL', bill({ date: '2026-11-22' }))).not.toBe(key)
  expect(conflictKey('BILL', bill({ vendor_id: VENDOR.replace('01', '02') }))).not.toBe(key)
})

test('invoices wait for none', () => {
  expect(conflictKey('INVOICE', { customer_id: VENDOR, date: '2026-11-21', invoice_number: 'OWN-1' })).toBeNull()
})

test.each([
  [{ total: 3, succeeded: 3, failed: 0 }, '3 of 3 bills created, 0 failed.'],
  [{ total: 3, succeeded: 0, failed: 2 }, '0 of 3 bills created, 2 failed, 1 waiting.'],
])('%p', (counts, text) => {
  expect(bulkText('BILL', counts)).toBe(text)
})
