// Credits: whose a note is, what it may be given against, and how much of it an invoice or bill takes.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { OpenDocument } from '../../domain/allocation.ts'
import { creditTaken, refuseParent, sideOfContact, sideOfParent, statusAfterApplying, STOCK_DIRECTION, type Credit } from '../../domain/credit.ts'
import { toBase, type Minor } from '../../domain/money.ts'
import { refusalOf } from './refusal.ts'

const BAD = { code: 'validation.invalid_value', status: 400, field: undefined, details: undefined }
const STATE = { code: 'conflict.invalid_state', status: 409, field: undefined, details: undefined }

describe('the side of a note', () => {
  test('is that of its parent', () => {
    expect(sideOfParent({ invoiceId: 'I', billId: null })).toBe('customer')
    expect(sideOfParent({ invoiceId: null, billId: 'B' })).toBe('vendor')
    expect(sideOfParent({ invoiceId: null, billId: null })).toBeNull()
    expect(refusalOf(() => sideOfParent({ invoiceId: 'I', billId: 'B' }))).toEqual({ ...BAD, field: 'bill_id' })
  })

  test.each([['CUSTOMER', 'customer'], ['BOTH', 'customer'], ['VENDOR', 'vendor'], ['', 'customer']] as const)(
    'without one, of a contact that is %j: %s', (type, side) => expect(sideOfContact(type)).toBe(side),
  )

  test('decides where the goods go', () => {
    expect(STOCK_DIRECTION).toEqual({ customer: 'SALES_RETURN_IN', vendor: 'PURCHASE_RETURN_OUT' })
  })
})

describe('a note is given against', () => {
  const parent = (kind: 'INVOICE' | 'BILL', status: string, contactId = 'Asha') => refusalOf(() => refuseParent({ kind, status, contactId }, 'Asha'))

  test.each([
    ['INVOICE', ['SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CREDIT_APPLIED']], ['BILL', ['OPEN', 'PARTIALLY_PAID', 'PAID', 'OVERDUE']],
  ] as const)('an %s that is posted, and no other', (kind, posted) => {
    for (const status of posted) expect(refuseParent({ kind, status, contactId: 'Asha' }, 'Asha')).toBeUndefined()
    for (const status of ['DRAFT', 'CANCELLED']) expect(parent(kind, status)).toEqual({ ...STATE, details: { status, allowed: posted } })
  })

  test('a document of the same contact', () => {
    expect(parent('INVOICE', 'SENT', 'Ravi')).toEqual({ ...BAD, field: 'invoice_id' })
    expect(parent('BILL', 'DRAFT', 'Ravi')).toEqual({ ...BAD, field: 'bill_id' })
  })
})

const credit = (particulars: Partial<Credit> = {}): Credit => ({
  side: 'customer', status: 'ISSUED', contactId: 'Asha', currency: 'INR', exchangeRate: '1', baseCurrency: 'INR', amount: 100n, unapplied: 100n,
  relievedBase: 0n, ...particulars,
})
const target = (particulars: Partial<OpenDocument> = {}): OpenDocument => ({
  kind: 'INVOICE', id: 'A', contactId: 'Asha', currency: 'INR', exchangeRate: '1', status: 'SENT', total: 100n, balance: 100n, settledBase: 0n,
  ...particulars,
})
const wanted = (amount: Minor) => ({ documentId: 'A', amount, fields: { document: 'invoice_id', amount: 'amount' } })

describe('applying', () => {
  const LIMIT = (limit: number) => ({ ...BAD, field: 'amount', details: { limit } })
  test.each<[string, Partial<Credit>, Partial<OpenDocument>, Minor, unknown]>([
    ['a draft', { status: 'DRAFT' }, {}, 1n, { ...STATE, details: { status: 'DRAFT', allowed: ['ISSUED'] } }],
    ['a cancelled note', { status: 'CANCELLED', unapplied: 0n }, {}, 1n, { ...STATE, details: { status: 'CANCELLED', allowed: ['ISSUED'] } }],
    ["a vendor's credit to an invoice", { side: 'vendor' }, {}, 1n, { ...BAD, field: 'invoice_id' }],
    ["a customer's credit to a bill", {}, { kind: 'BILL', status: 'OPEN' }, 1n, { ...BAD, field: 'invoice_id' }],
    ['to another contact', {}, { contactId: 'Ravi' }, 1n, { ...BAD, field: 'invoice_id' }],
    ['in another currency', {}, { currency: 'USD' }, 1n, { ...BAD, field: 'invoice_id' }],
    ['to a draft', {}, { status: 'DRAFT' }, 1n, { ...STATE, details: { status: 'DRAFT', allowed: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] } }],
    ['to a cancelled bill', { side: 'vendor' }, { kind: 'BILL', status: 'CANCELLED', balance: 0n }, 1n,
      { ...STATE, details: { status: 'CANCELLED', allowed: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'] } }],
    ['more than the note has', { unapplied: 30n }, { balance: 40n }, 31n, LIMIT(0.3)],
    ['more than the invoice owes', { unapplied: 40n }, { balance: 30n }, 31n, LIMIT(0.3)],
    ['more than both, limited by the smaller', { unapplied: 40n }, { balance: 30n }, 99n, LIMIT(0.3)],
    ['a used-up note', { status: 'APPLIED', unapplied: 0n }, {}, 1n, LIMIT(0)],
    ['to a paid invoice', {}, { status: 'PAID', balance: 0n }, 1n, LIMIT(0)],
    ['to an invoice that a credit settled', {}, { status: 'CREDIT_APPLIED', balance: 0n }, 1n, LIMIT(0)],
  ])('%s is refused', (_what, of, to, amount, refused) => {
    expect(refusalOf(() => creditTaken(credit(of), wanted(amount), target(to)))).toEqual(refused)
  })

  test('of several faults that of the note comes first, then that of the document, that of the amount last', () => {
    const codes = (of: Partial<Credit>, to: Partial<OpenDocument>) => refusalOf(() => creditTaken(credit(of), wanted(999n), target(to)))
    expect(codes({ status: 'DRAFT' }, { contactId: 'Ravi' }).code).toBe('conflict.invalid_state')
    expect(codes({}, { contactId: 'Ravi', status: 'DRAFT' })).toEqual({ ...BAD, field: 'invoice_id' })
    expect(codes({}, { status: 'DRAFT' }).code).toBe('conflict.invalid_state')
  })

  test('whatever is applied, no more is taken than there is, and what is used up carries nothing in the ledger', () => {
    const rate = fc.integer({ min: 1, max: 2_000_000 }).map((n) => (n / 10_000).toFixed(4))
    const some = fc.bigInt({ min: 1n, max: 100_000n })
    fc.assert(fc.property(rate, rate, some, some, fc.array(some, { minLength: 1, maxLength: 20 }), (given, booked, total, owed, amounts) => {
      const note = credit({ currency: 'USD', exchangeRate: given, amount: total, unapplied: total })
      const invoice = target({ currency: 'USD', exchangeRate: booked, total: owed, balance: owed })
      for (const each of amounts) {
        const limit = note.unapplied < invoice.balance ? note.unapplied : invoice.balance
        if (each > limit) {
          expect(refusalOf(() => creditTaken(note, wanted(each), invoice)).details).toEqual({ limit: Number(limit) / 100 })
          continue
        }
        const taken = creditTaken(note, wanted(each), invoice)
        note.unapplied -= taken.amount
        note.relievedBase += taken.relievedBase
        invoice.balance -= taken.amount
        invoice.settledBase += taken.settledBase
      }
      if (note.unapplied === 0n) expect(note.relievedBase).toBe(toBase(total, 'USD', given))
      if (invoice.balance === 0n) expect(invoice.settledBase).toBe(toBase(owed, 'USD', booked))
    }))
  })

  test.each([[100n, 100n, 'APPLIED'], [100n, 99n, 'ISSUED'], [100n, 0n, 'ISSUED'], [0n, 0n, 'ISSUED']] as const)(
    'of %s so much as %s leaves it %s', (total, applied, status) => expect(statusAfterApplying(total, applied)).toBe(status),
  )
})
