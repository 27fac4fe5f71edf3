// What the nightly housekeeping moves, and what its schedules are called.
import { expect, test } from '@jest/globals'
import { housekeepingId, sweptText } from '../../domain/housekeeping.ts'
import { fallsDue } from '../../domain/overdue.ts'

const TODAY = '2026-11-21'
const YESTERDAY = '2026-11-20'

test.each([
  ['INVOICE', 'SENT', YESTERDAY, 1n, true],
  ['INVOICE', 'PARTIALLY_PAID', YESTERDAY, 1n, true],
  ['INVOICE', 'SENT', TODAY, 1n, false],
  ['INVOICE', 'SENT', '2026-11-22', 1n, false],
  ['INVOICE', 'SENT', null, 1n, false],
  ['INVOICE', 'SENT', YESTERDAY, 0n, false],
  ['INVOICE', 'OVERDUE', YESTERDAY, 1n, false],
  ['INVOICE', 'DRAFT', YESTERDAY, 1n, false],
  ['INVOICE', 'PAID', YESTERDAY, 0n, false],
  ['INVOICE', 'CREDIT_APPLIED', YESTERDAY, 0n, false],
  ['INVOICE', 'CANCELLED', YESTERDAY, 1n, false],
  ['BILL', 'OPEN', YESTERDAY, 1n, true],
  ['BILL', 'PARTIALLY_PAID', YESTERDAY, 1n, true],
  ['BILL', 'OPEN', TODAY, 1n, false],
  ['BILL', 'OVERDUE', YESTERDAY, 1n, false],
  ['BILL', 'DRAFT', YESTERDAY, 1n, false],
  ['BILL', 'PAID', YESTERDAY, 0n, false],
  ['BILL', 'CANCELLED', YESTERDAY, 1n, false],
] as const)('%s %s due %s with %s left: falls due %s', (document, status, dueDate, balance, falls) => {
  expect(fallsDue(document, { status, due_date: dueDate, balance }, TODAY)).toBe(falls)
})

test('a schedule is called by its zone, and by its installation where there are several', () => {
  expect(housekeepingId('Asia/Kolkata', '')).toBe('housekeeping/Asia/Kolkata')
  expect(housekeepingId('America/Port-au-Prince', 'b')).toBe('housekeeping-b/America/Port-au-Prince')
})

test('what was swept is said in words', () => {
  expect(sweptText({ organizations: 2, invoices: 12, bills: 1 })).toBe('12 invoices and 1 bill overdue, in 2 organisations')
  expect(sweptText({ organizations: 0, invoices: 0, bills: 0 })).toBe('0 invoices and 0 bills overdue, in 0 organisations')
})
