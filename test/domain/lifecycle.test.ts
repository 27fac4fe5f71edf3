// States and moves: what each state allows, what a void is refused for, what settles and falls due.
import { describe, expect, test } from '@jest/globals'
import { MOVES, nextStatus, refuseVoid, settledStatus, STATUSES, type StatedKind } from '../../domain/lifecycle.ts'
import { daysOverdue, isOverdue } from '../../domain/overdue.ts'
import { refusalOf } from './refusal.ts'

/** The calls that a status allows. */
const allowedVerbs = (kind: StatedKind, status: string) => (
  Object.entries<{ from: readonly string[] }>(MOVES[kind]).filter(([, { from }]) => from.includes(status)).map(([verb]) => verb)
)

describe('an invoice', () => {
  test.each<[string, string[]]>([
    ['DRAFT', ['approve', 'edit', 'delete', 'void']],
    ['SENT', ['void', 'pay', 'credit', 'fallDue', 'dispute', 'remind']],
    ['PARTIALLY_PAID', ['void', 'pay', 'credit', 'release', 'fallDue', 'dispute', 'remind']],
    ['OVERDUE', ['void', 'pay', 'credit', 'release', 'dispute', 'remind']],
    ['PAID', ['release']],
    ['CREDIT_APPLIED', ['release']],
    ['CANCELLED', []],
    ['NONE', []],
  ])('%s allows %j', (status, verbs) => {
    expect(allowedVerbs('INVOICE', status)).toEqual(verbs)
  })

  test('moves by its calls, or stays', () => {
    expect(nextStatus('INVOICE', 'approve', 'DRAFT')).toBe('SENT')
    expect(nextStatus('INVOICE', 'void', 'OVERDUE')).toBe('CANCELLED')
    expect(nextStatus('INVOICE', 'fallDue', 'PARTIALLY_PAID')).toBe('OVERDUE')
    expect(nextStatus('INVOICE', 'edit', 'DRAFT')).toBe('DRAFT')
    expect(nextStatus('INVOICE', 'pay', 'SENT')).toBe('SENT')
  })

  test.each(['SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED', 'CREDIT_APPLIED'])(
    '%s is not edited, deleted or approved',
    status => {
      for (const verb of ['edit', 'delete', 'approve'] as const) {
        expect(refusalOf(() => nextStatus('INVOICE', verb, status))).toEqual({
          code: 'conflict.invalid_state', status: 409, field: undefined, details: { status, allowed: ['DRAFT'] },
        })
      }
    },
  )
})

describe('the other documents', () => {
  test('a bill opens where an invoice is sent', () => {
    expect(nextStatus('BILL', 'approve', 'DRAFT')).toBe('OPEN')
    expect(allowedVerbs('BILL', 'OPEN')).toEqual(['void', 'pay', 'credit', 'fallDue'])
  })

  test('an estimate is accepted, then converted, and not cancelled after', () => {
    expect(nextStatus('ESTIMATE', 'accept', 'SENT')).toBe('ACCEPTED')
    expect(nextStatus('ESTIMATE', 'convert', 'ACCEPTED')).toBe('CONVERTED')
    expect(allowedVerbs('ESTIMATE', 'CONVERTED')).toEqual([])
    expect(refusalOf(() => nextStatus('ESTIMATE', 'convert', 'DRAFT')).details).toEqual({
      status: 'DRAFT', allowed: ['ACCEPTED'],
    })
  })

  test('orders convert whole or in part', () => {
    expect(nextStatus('SALES_ORDER', 'convert', 'PARTIALLY_INVOICED')).toBe('INVOICED')
    expect(nextStatus('SALES_ORDER', 'convertPart', 'DRAFT')).toBe('PARTIALLY_INVOICED')
    expect(nextStatus('PURCHASE_ORDER', 'convertPart', 'DRAFT')).toBe('OPEN')
    expect(nextStatus('PURCHASE_ORDER', 'convert', 'OPEN')).toBe('BILLED')
    expect(allowedVerbs('SALES_ORDER', 'CLOSED')).toEqual([])
    expect(allowedVerbs('SALES_ORDER', 'CANCELLED')).toEqual([])
  })

  test('notes are issued, applied while issued, void while nothing is applied', () => {
    for (const kind of ['CREDIT_NOTE', 'DEBIT_NOTE'] as const) {
      expect(allowedVerbs(kind, 'DRAFT')).toEqual(['issue', 'edit', 'void'])
      expect(allowedVerbs(kind, 'ISSUED')).toEqual(['edit', 'apply', 'void'])
      expect(allowedVerbs(kind, 'APPLIED')).toEqual([])
    }
  })

  test('a schedule runs while it is active', () => {
    expect(nextStatus('RECURRING', 'pause', 'ACTIVE')).toBe('PAUSED')
    expect(allowedVerbs('RECURRING', 'COMPLETED')).toEqual([])
  })

  test('every move is between states that the document has, and out of none that is final', () => {
    for (const kind of Object.keys(STATUSES) as StatedKind[]) {
      const states: readonly string[] = STATUSES[kind]
      for (const move of Object.values(MOVES[kind])) {
        const { from, to }: { from: readonly string[]; to: string | null } = move
        expect(states).toEqual(expect.arrayContaining(to === null ? [...from] : [...from, to]))
        expect(from).not.toHaveLength(0)
      }
    }
  })
})

describe('a void', () => {
  test.each<['INVOICE' | 'BILL' | 'CREDIT_NOTE' | 'DEBIT_NOTE', string, bigint, string]>([
    ['INVOICE', 'PAID', 0n, 'conflict.invoice_paid'],
    ['INVOICE', 'PAID', 500n, 'conflict.invoice_paid'],
    ['INVOICE', 'CREDIT_APPLIED', 0n, 'conflict.credit_applied'],
    ['INVOICE', 'PARTIALLY_PAID', 1n, 'conflict.credit_applied'],
    ['INVOICE', 'OVERDUE', 1n, 'conflict.credit_applied'],
    ['INVOICE', 'CANCELLED', 0n, 'conflict.already_cancelled'],
    ['BILL', 'PAID', 0n, 'conflict.bill_paid'],
    ['BILL', 'OVERDUE', 1n, 'conflict.credit_applied'],
    ['BILL', 'CANCELLED', 0n, 'conflict.already_cancelled'],
    ['CREDIT_NOTE', 'ISSUED', 1n, 'conflict.credit_applied'],
    ['CREDIT_NOTE', 'APPLIED', 1n, 'conflict.credit_applied'],
    ['DEBIT_NOTE', 'CANCELLED', 0n, 'conflict.already_cancelled'],
  ])('of %s %s with %s of credit: %s', (document, status, credit, code) => {
    expect(refusalOf(() => refuseVoid(document, status, credit))).toMatchObject({ code, status: 409 })
  })

  test.each<['INVOICE' | 'BILL' | 'CREDIT_NOTE', string]>([
    ['INVOICE', 'DRAFT'], ['INVOICE', 'SENT'], ['INVOICE', 'PARTIALLY_PAID'], ['INVOICE', 'OVERDUE'],
    ['BILL', 'OPEN'], ['CREDIT_NOTE', 'ISSUED'],
  ])('of %s %s goes', (document, status) => {
    expect(() => refuseVoid(document, status)).not.toThrow()
  })
})

describe('settling', () => {
  test.each<['INVOICE' | 'BILL', bigint, 'payment' | 'credit', string]>([
    ['INVOICE', 100n, 'payment', 'SENT'],
    ['INVOICE', 99n, 'payment', 'PARTIALLY_PAID'],
    ['INVOICE', 1n, 'credit', 'PARTIALLY_PAID'],
    ['INVOICE', 0n, 'payment', 'PAID'],
    ['INVOICE', 0n, 'credit', 'CREDIT_APPLIED'],
    ['BILL', 100n, 'credit', 'OPEN'],
    ['BILL', 40n, 'payment', 'PARTIALLY_PAID'],
    ['BILL', 0n, 'payment', 'PAID'],
    ['BILL', 0n, 'credit', 'PAID'],
  ])('%s of 100 with %s left after a %s is %s', (document, balance, by, status) => {
    expect(settledStatus(document, { total: 100n, balance, by })).toBe(status)
  })
})

describe('falling due', () => {
  test.each<[string, string | null, bigint, number]>([
    ['SENT', '2026-03-31', 100n, 1],
    ['SENT', '2026-04-01', 100n, 0],
    ['OPEN', '2026-03-01', 100n, 31],
    ['PARTIALLY_PAID', '2026-03-30', 1n, 2],
    ['OVERDUE', '2026-03-30', 1n, 2],
    ['SENT', '2026-03-31', 0n, 0],
    ['SENT', null, 100n, 0],
    ['DRAFT', '2026-03-31', 100n, 0],
    ['CANCELLED', '2026-03-31', 100n, 0],
    ['PAID', '2026-03-31', 0n, 0],
  ])('%s due on %s with %s left is %d days over on 1 April', (status, dueDate, balance, days) => {
    const dues = { status, due_date: dueDate, balance }
    expect(daysOverdue(dues, '2026-04-01')).toBe(days)
    expect(isOverdue(dues, '2026-04-01')).toBe(days > 0)
  })
})
