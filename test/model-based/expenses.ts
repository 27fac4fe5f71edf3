// Expenses in the model: booking, changing, deleting; the tax charged, inside the amount, or assessed upon oneself.
import type { Json } from '../fixtures/client.ts'
import { amountOf, BAD_SHAPE, BAD_VALUE, choose, dateTime, MISSING, refusalsOf, shareOf, type Books, type Pick, type Plan, type Thing } from './books.ts'
import { contactOf, type Contact, type ContactPick } from './contact.ts'
import { cr, dr, entryText, type Line } from './ledger.ts'

export interface ExpenseInput {
  /** Paise. */
  amount: number
  tax: 'none' | 'on top' | 'inside'
  reverseCharge: boolean
  /** Per cent to assess upon oneself; null for the tax's own. */
  rcmRate: number | null
  blocked: boolean
  account: 'Rent' | 'Travelling and Conveyance' | 'Computers'
  cash: boolean
  daysAgo: number
  vendor: ContactPick | null
  wrong: 'a customer' | 'income' | 'paid through rent' | 'nothing' | 'no rate' | null
}

interface ExpenseTerms extends Omit<ExpenseInput, 'wrong' | 'daysAgo' | 'amount' | 'vendor'> {
  date: string
  vendor: Contact | null
  amount: bigint
}

function priceOf({ amount, tax, reverseCharge, rcmRate }: ExpenseTerms) {
  if (reverseCharge && rcmRate !== null) return { taxable: amount, charged: 0n, assessed: shareOf(amount, BigInt(rcmRate), 200n) }
  if (tax === 'none') return { taxable: amount, charged: 0n, assessed: 0n }
  if (reverseCharge) return { taxable: amount, charged: 0n, assessed: shareOf(amount, 9n, 100n) }
  const half = tax === 'inside' ? shareOf(amount, 9n, 118n) : shareOf(amount, 9n, 100n)
  return { taxable: tax === 'inside' ? amount - 2n * half : amount, charged: half, assessed: 0n }
}

export class Expense implements Thing {
  readonly key = 'expense'
  gone = false
  readonly id: string
  terms: ExpenseTerms

  constructor(id: string, terms: ExpenseTerms) {
    this.id = id
    this.terms = terms
  }

  get path() { return `/expenses/${this.id}` }
  get name() { return `expense of ${amountOf(this.terms.amount)}` }

  shown({ accounts }: Books): Json {
    const { taxable, charged, assessed } = priceOf(this.terms)
    const { amount, date, vendor, account, cash } = this.terms
    return {
      amount: amountOf(amount), date: dateTime(date), vendor_id: vendor?.id ?? null, account_id: accounts[account], paid_through_account_id: accounts[through(cash)],
      sub_total: amountOf(taxable), tax_total: amountOf(2n * charged), rcm_tax_total: amountOf(2n * assessed), total: amountOf(taxable + 2n * charged),
    }
  }

  get lines(): Line[] {
    const { taxable, charged, assessed } = priceOf(this.terms)
    const half = charged + assessed
    const { account, cash, blocked } = this.terms
    return [
      dr(account, taxable + (blocked ? 2n * half : 0n)), dr('Input CGST', blocked ? 0n : half), dr('Input SGST', blocked ? 0n : half),
      cr('Output CGST (RCM)', assessed), cr('Output SGST (RCM)', assessed), cr(through(cash), taxable + 2n * charged),
    ]
  }

  post(books: Books): void {
    books.ledger.post('EXPENSE', this.id, this.terms.date, this.lines, this.contact)
  }

  private get contact() { return this.terms.vendor?.id ?? null }

  get entry(): string {
    return entryText({ source: 'EXPENSE', of: this.id, date: this.terms.date, contact: this.contact, lines: this.lines })
  }
}

const through = (cash: boolean) => (cash ? 'Cash in Hand' : 'Bank Account')

export function spend(books: Books, { wrong, daysAgo, amount, vendor: pick, ...input }: ExpenseInput): Plan {
  const vendor = vendorOf(books, pick, wrong === 'a customer')
  const terms = { ...input, vendor, amount: BigInt(amount), date: books.daysFromNow(-daysAgo) }
  const noRate = terms.reverseCharge && terms.tax === 'none' && terms.rcmRate === null
  return {
    method: 'POST',
    path: '/expenses',
    body: {
      date: terms.date, account_id: books.accounts[wrong === 'income' ? 'Sales' : terms.account], amount: wrong === 'nothing' ? 0 : amountOf(terms.amount),
      paid_through_account_id: books.accounts[wrong === 'paid through rent' ? 'Rent' : through(terms.cash)],
      ...(terms.tax === 'none' ? {} : { tax_id: books.taxId, is_inclusive_tax: terms.tax === 'inside' }),
      vendor_id: vendor?.id ?? null, is_rcm: terms.reverseCharge, rcm_rate: terms.rcmRate, itc_blocked_reason: terms.blocked ? 'Section 17(5)' : null,
    },
    refusals: refusalsOf([
      [wrong === 'nothing' || noRate, BAD_SHAPE], [wrong === 'paid through rent' || (vendor?.gone ?? false), MISSING],
      [wrong === 'income' || vendor?.type === 'CUSTOMER', BAD_VALUE],
    ]),
    move({ expense }) {
      books.add(new Expense(expense.expense_id, terms)).post(books)
    },
  }
}

const vendorOf = (books: Books, pick: ContactPick | null, isStranger = false): Contact | null => (
  pick && contactOf(books, pick, ({ type }) => (type === 'CUSTOMER') === isStranger)
)

export interface RespendInput extends Pick {
  amount: number | null
  daysAgo: number | null
  blocked: boolean
  vendor: ContactPick | null
}

export function respend(books: Books, { amount, daysAgo, blocked, vendor: named, ...pick }: RespendInput): Plan | null {
  const expense = choose(books.all(Expense), ({ gone }) => !gone, pick)
  if (!expense) return null
  const vendor = vendorOf(books, named)
  const input = {
    ...(vendor ? { vendor } : {}), ...(amount === null ? {} : { amount: BigInt(amount) }), ...(daysAgo === null ? {} : { date: books.daysFromNow(-daysAgo) }), blocked,
  }
  return {
    method: 'PUT',
    path: expense.path,
    body: {
      ...(amount === null ? {} : { amount: amountOf(BigInt(amount)) }), ...(input.date ? { date: input.date } : {}),
      ...(vendor ? { vendor_id: vendor.id } : {}),
      itc_blocked_reason: blocked ? 'Section 17(5)' : null,
    },
    refusals: refusalsOf([[expense.gone || (vendor?.gone ?? false), MISSING]]),
    move() {
      const before = expense.entry
      expense.terms = { ...expense.terms, ...input }
      if (before !== expense.entry) {
        books.ledger.undoAll('EXPENSE', expense.id, null)
        expense.post(books)
      }
      books.touched.add(expense)
    },
    about: [expense],
  }
}

export function unspend(books: Books, pick: Pick): Plan | null {
  const expense = choose(books.all(Expense), ({ gone }) => !gone, pick)
  if (!expense) return null
  return {
    method: 'DELETE',
    path: expense.path,
    refusals: refusalsOf([[expense.gone, MISSING]]),
    move() {
      expense.gone = true
      books.ledger.undoAll('EXPENSE', expense.id, books.today)
      books.touched.add(expense)
    },
    about: [expense],
  }
}
