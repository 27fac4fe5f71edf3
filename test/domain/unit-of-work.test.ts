// Deeds one after the other on the pure rules: whatever is sold, bought, paid, applied and undone, the ledger stays right.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { allocate, relievedAtNewRate, statusAfterMoney, type Money, type OpenDocument } from '../../domain/allocation.ts'
import { nextStatus, settledStatus } from '../../domain/lifecycle.ts'
import { sum, toBase, type Minor } from '../../domain/money.ts'
import { billPosting, type BillFigures } from '../../domain/posting/bill.ts'
import { creditNotePosting } from '../../domain/posting/credit-note.ts'
import { debitNotePosting } from '../../domain/posting/debit-note.ts'
import { invoicePosting, type InvoiceFigures } from '../../domain/posting/invoice.ts'
import { exchangePosting, paymentPosting, type Flow, type PaymentAccounts } from '../../domain/posting/payment.ts'
import { assertBalanced, debitBalance, mergeByAccount, reversalOf, type PostingLine } from '../../domain/posting/posting.ts'
import { pricePurchase, priceSale } from '../../domain/totals.ts'
import { anySale, decimal } from './sale.ts'

const PAID: PaymentAccounts = {
  bank: 'Bank', receivable: 'Accounts Receivable', payable: 'Accounts Payable', tdsReceivable: 'TDS Receivable', tdsPayable: 'TDS Payable',
  bankCharges: 'Bank Charges', exchange: 'Exchange Gain or Loss',
}
const SOLD: InvoiceFigures['accounts'] = {
  receivable: PAID.receivable, sales: 'Sales', outputCgst: 'Output CGST', outputSgst: 'Output SGST', outputIgst: 'Output IGST', outputCess: 'Output Cess',
  roundOff: 'Round Off',
}
const BOUGHT: BillFigures['accounts'] = {
  payable: PAID.payable, input: { cgst: 'Input CGST', sgst: 'Input SGST', igst: 'Input IGST', cess: 'Input Cess' },
  reverseCharge: { cgst: 'RCM CGST', sgst: 'RCM SGST', igst: 'RCM IGST', cess: 'RCM Cess' }, roundOff: 'Round Off',
}
const rate = decimal(6, 300_000_000).filter((text) => Number(text) > 0)

const anyTrade = fc.tuple(anySale, rate, fc.constantFrom('sell', 'buy', 'take back', 'give back')).map(([figures, exchangeRate, step]) => {
  const { rounding: _rounding, ...purchase } = figures
  const { lines: sold, ...sums } = priceSale(figures)
  const invoice: InvoiceFigures = {
    customerId: 'Asha', currency: figures.currency, exchangeRate, baseCurrency: 'INR', ...sums,
    lines: sold.map(({ taxable }) => ({ accountId: 'Sales', taxable })), accounts: SOLD,
  }
  const { lines: bought, cgst, sgst, igst, cess, total, roundOff } = pricePurchase(purchase)
  const bill: BillFigures = {
    vendorId: 'Asha', currency: figures.currency, exchangeRate, baseCurrency: 'INR', total, roundOff, charged: { cgst, sgst, igst, cess },
    selfAssessed: {
      cgst: sum(bought.map((line) => line.selfAssessed.cgst)), sgst: sum(bought.map((line) => line.selfAssessed.sgst)),
      igst: sum(bought.map((line) => line.selfAssessed.igst)), cess: sum(bought.map((line) => line.selfAssessed.cess)),
    },
    lines: bought.map(({ taxable }) => ({ accountId: 'Purchases', taxable })), accounts: BOUGHT,
  }
  switch (step) {
    case 'sell': return invoicePosting(invoice)
    case 'buy': return billPosting(bill)
    case 'take back': return creditNotePosting(invoice)
    default: return debitNotePosting(bill)
  }
})

describe('whatever is traded', () => {
  test('every journal balances, so do all together, and what undoes them leaves every account as it was', () => {
    fc.assert(fc.property(fc.array(anyTrade, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (journals, order) => {
      for (const lines of journals) assertBalanced(lines)
      expect(sum(journals.flat().map(debitBalance))).toBe(0n)
      const undone = journals.map(reversalOf)
      for (const lines of undone) assertBalanced(lines)
      // Undone in any order.
      const shuffled = undone.map((lines) => ({ lines, place: order.next().value })).toSorted((a, b) => a.place - b.place)
      expect(mergeByAccount([...journals.flat(), ...shuffled.flatMap(({ lines }) => lines)])).toEqual([])
    }), { numRuns: 200 })
  })

  test('a note of the same figures leaves nothing of its document', () => {
    fc.assert(fc.property(anySale, rate, (figures, exchangeRate) => {
      const { lines, ...sums } = priceSale(figures)
      const invoice = {
        customerId: 'Asha', currency: figures.currency, exchangeRate, baseCurrency: 'INR', ...sums,
        lines: lines.map(({ taxable }) => ({ accountId: 'Sales', taxable })), accounts: SOLD,
      }
      expect(mergeByAccount([...invoicePosting(invoice), ...creditNotePosting(invoice)])).toEqual([])
    }))
  })
})

/** A document or a payment of the run, in minor units of its currency; bases in paise. */
interface Owed {
  total: Minor
  balance: Minor
  exchangeRate: string
  status: string
  postings: PostingLine[][]
}

interface Paid {
  amount: Minor
  exchangeRate: string
  allocations: { owed: Owed; amount: Minor; settledBase: Minor; relievedBase: Minor }[]
  postings: PostingLine[][]
}

type Step = (run: Run) => void

/** One contact, one currency, one flow of money, and a ledger. */
class Run {
  readonly owed: Owed[] = []
  paid: Paid[] = []
  readonly ledger: PostingLine[] = []
  readonly flow: Flow
  readonly currency: string

  constructor(flow: Flow, currency: string) {
    this.flow = flow
    this.currency = currency
  }

  get kind() { return this.flow === 'INCOMING' ? 'INVOICE' as const : 'BILL' as const }

  post(lines: PostingLine[], postings: PostingLine[][]): void {
    assertBalanced(lines)
    postings.push(lines)
    this.ledger.push(...lines)
  }

  undo(postings: PostingLine[][]): void {
    for (const lines of postings) this.ledger.push(...reversalOf(lines))
    postings.length = 0
  }

  inBase(amount: Minor, exchangeRate: string): Minor {
    return toBase(amount, this.currency, exchangeRate)
  }

  moneyOf(paid: Paid): Money {
    return {
      contactId: 'Asha', currency: this.currency, exchangeRate: paid.exchangeRate, baseCurrency: 'INR', amount: paid.amount,
      unapplied: paid.amount - sum(paid.allocations.map(({ amount }) => amount)), relievedBase: sum(paid.allocations.map((each) => each.relievedBase)),
    }
  }

  /** What a payment posts at its rate, with what was gained or lost on all that it is put onto. */
  figuresOf(paid: Paid, difference: Minor) {
    return {
      flow: this.flow, type: 'REGULAR' as const, contactId: 'Asha', currency: this.currency, exchangeRate: paid.exchangeRate, baseCurrency: 'INR',
      amount: paid.amount, tds: 0n, bankCharges: 0n, exchangeDifference: difference, accounts: PAID,
    }
  }

  /** What is taken off a document in the ledger. */
  settledOf(owed: Owed): Minor {
    return sum(this.paid.flatMap(({ allocations }) => allocations.filter((each) => each.owed === owed).map(({ settledBase }) => settledBase)))
  }

  /** The control account, against open documents less money that is not put onto any. */
  check(): void {
    const control = this.flow === 'INCOMING' ? PAID.receivable : PAID.payable
    const side = this.flow === 'INCOMING' ? 1n : -1n
    const open = sum(this.owed.map((owed) => this.inBase(owed.total, owed.exchangeRate) - this.settledOf(owed)))
    const loose = sum(this.paid.map((paid) => this.inBase(paid.amount, paid.exchangeRate) - this.moneyOf(paid).relievedBase))
    expect(side * sum(this.ledger.filter(({ accountId }) => accountId === control).map(debitBalance))).toBe(open - loose)
    for (const owed of this.owed) {
      const put = sum(this.paid.flatMap(({ allocations }) => allocations.filter((each) => each.owed === owed).map(({ amount }) => amount)))
      expect(owed.balance).toBe(owed.total - put)
      if (owed.balance === 0n) expect(this.settledOf(owed)).toBe(this.inBase(owed.total, owed.exchangeRate))
      expect(owed.status).toBe(settledStatus(this.kind, { total: owed.total, balance: owed.balance, by: 'payment' }))
    }
    for (const paid of this.paid) {
      const { unapplied, relievedBase } = this.moneyOf(paid)
      if (unapplied === 0n) expect(relievedBase).toBe(this.inBase(paid.amount, paid.exchangeRate))
    }
  }
}

const draw = (total: Minor, exchangeRate: string): Step => (run) => {
  const parts = { cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }
  const figures = { currency: run.currency, exchangeRate, baseCurrency: 'INR', total, roundOff: 0n }
  const owed: Owed = { total, balance: total, exchangeRate, status: nextStatus(run.kind, 'approve', 'DRAFT'), postings: [] }
  const lines = [{ accountId: run.flow === 'INCOMING' ? 'Sales' : 'Purchases', taxable: total }]
  run.post(run.flow === 'INCOMING'
    ? invoicePosting({ ...figures, ...parts, customerId: 'Asha', lines, accounts: SOLD })
    : billPosting({ ...figures, charged: parts, selfAssessed: parts, vendorId: 'Asha', lines, accounts: BOUGHT }), owed.postings)
  run.owed.push(owed)
}

const pay = (amount: Minor, exchangeRate: string): Step => (run) => {
  const paid: Paid = { amount, exchangeRate, allocations: [], postings: [] }
  run.post(paymentPosting(run.figuresOf(paid, 0n)), paid.postings)
  run.paid.push(paid)
}

const apply = (from: number, onto: number, share: number): Step => (run) => {
  const [paid, owed] = [run.paid[from % run.paid.length], run.owed[onto % run.owed.length]]
  if (!paid || !owed) return
  const money = run.moneyOf(paid)
  const most = money.unapplied < owed.balance ? money.unapplied : owed.balance
  const amount = most * BigInt(share) / 4n
  if (amount === 0n) return
  const document: OpenDocument = {
    kind: run.kind, id: 'it', contactId: 'Asha', currency: run.currency, exchangeRate: owed.exchangeRate, status: owed.status, total: owed.total,
    balance: owed.balance, settledBase: run.settledOf(owed),
  }
  const wanted = { documentId: 'it', amount, fields: { document: 'invoice_id', amount: 'amount' } }
  const { settledBase, relievedBase } = allocate(money, [wanted], new Map([['it', document]]))[0]!
  settle(run, owed, amount)
  paid.allocations.push({ owed, amount, settledBase, relievedBase })
  run.post(exchangePosting(run.figuresOf(paid, relievedBase - settledBase)), paid.postings)
}

function settle(run: Run, owed: Owed, amount: Minor): void {
  const { total, balance } = owed
  owed.status = statusAfterMoney(run.kind, { status: settledStatus(run.kind, { total, balance, by: 'payment' }), total, balance }, amount)
  owed.balance -= amount
}

const unpay = (which: number): Step => (run) => {
  const paid = run.paid[which % run.paid.length]
  if (!paid) return
  for (const { owed, amount } of paid.allocations) settle(run, owed, -amount)
  run.undo(paid.postings)
  run.paid = run.paid.filter((one) => one !== paid)
}

const revalue = (which: number, exchangeRate: string): Step => (run) => {
  const paid = run.paid[which % run.paid.length]
  if (!paid || run.currency === 'INR') return
  run.undo(paid.postings)
  paid.exchangeRate = exchangeRate
  const relieved = relievedAtNewRate(run.moneyOf(paid), paid.allocations.map(({ amount }) => amount))
  paid.allocations.forEach((each, place) => { each.relievedBase = relieved[place]! })
  const difference = sum(paid.allocations.map(({ relievedBase, settledBase }) => relievedBase - settledBase))
  run.post(paymentPosting(run.figuresOf(paid, difference)), paid.postings)
}

const minor = fc.bigInt({ min: 1n, max: 10n ** 9n })
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(minor, rate).map((args) => draw(...args)),
  fc.tuple(minor, rate).map((args) => pay(...args)),
  { weight: 3, arbitrary: fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 4 })).map((args) => apply(...args)) },
  fc.nat().map(unpay),
  fc.tuple(fc.nat(), rate).map((args) => revalue(...args)),
)

describe.each(['INCOMING', 'OUTGOING'] as const)('whatever is paid, %s', (flow) => {
  test.each(['INR', 'USD', 'JPY', 'KWD'])('the control account is the open documents less loose money, in %s at any rates', (currency) => {
    fc.assert(fc.property(fc.array(anyStep, { maxLength: 25 }), (steps) => {
      const run = new Run(flow, currency)
      for (const step of steps) {
        step(run)
        run.check()
      }
      for (const { postings } of [...run.paid, ...run.owed]) run.undo(postings)
      expect(mergeByAccount(run.ledger)).toEqual([])
    }), { numRuns: 150 })
  })
})
