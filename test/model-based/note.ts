// A credit note or a debit note in the model: what it posts, what it is applied to.
import type { Json } from '../fixtures/client.ts'
import { amountOf, dateTime, inBase, type Books, type Thing } from './books.ts'
import type { Contact } from './contact.ts'
import { priceOf, tradeLines, type Document, type Priced } from './document.ts'
import { cr, dr } from './ledger.ts'

export type NoteKind = 'credit_note' | 'debit_note'
export type Side = 'customer' | 'vendor'

export const NOTES = {
  credit_note: { path: '/credit_notes', id: 'credit_note_id', party: 'customer_id', source: 'CREDIT_NOTE' },
  debit_note: { path: '/debit_notes', id: 'debit_note_id', party: 'vendor_id', source: 'DEBIT_NOTE' },
} as const

export interface NoteTerms {
  contact: Contact
  currency: string
  rate: bigint
  date: string
  reference: string | null
  inState: boolean
}

export class Note implements Thing {
  readonly gone = false
  status = 'DRAFT'
  applications: { document: Document; amount: bigint; date: string; relieved: bigint }[] = []
  readonly events: string[]
  readonly actions = ['CREATED']
  readonly kind: NoteKind
  readonly side: Side
  readonly id: string
  readonly parent: Document | null
  terms: NoteTerms
  lines: Priced[]

  constructor(kind: NoteKind, side: Side, id: string, terms: NoteTerms, lines: Priced[], parent: Document | null) {
    this.kind = kind
    this.side = side
    this.id = id
    this.terms = terms
    this.lines = lines
    this.parent = parent
    this.events = [`${NOTES[kind].source}_CREATED`]
  }

  get key() { return this.kind }
  get path() { return `${NOTES[this.kind].path}/${this.id}` }
  get name() { return `${this.side}'s ${this.kind}` }
  get total() { return priceOf(this.lines, this.terms.inState).total }
  get applied() { return this.applications.reduce((sum, { amount }) => sum + amount, 0n) }
  get left() { return this.status === 'CANCELLED' ? 0n : this.total - this.applied }
  /** What it can be put onto. */
  get targetKind() { return this.side === 'customer' ? 'invoice' as const : 'bill' as const }

  shown(): Json {
    const { contact, currency, rate, date, reference, inState } = this.terms
    const { subTotal, total } = priceOf(this.lines, inState)
    const isCredit = this.kind === 'credit_note'
    return {
      [NOTES[this.kind].id]: this.id, [NOTES[this.kind].party]: contact.id, status: this.status, date: dateTime(date), reference_number: reference,
      currency_code: currency, exchange_rate: Number(rate) / 10_000, place_of_supply: inState ? 'IN-KA' : 'IN-MH', sub_total: amountOf(subTotal),
      total: amountOf(total), applied_amount: amountOf(this.applied), balance_amount: amountOf(this.left),
      bill_id: this.parent?.kind === 'bill' ? this.parent.id : null,
      stock_direction: this.side === 'customer' ? 'SALES_RETURN_IN' : 'PURCHASE_RETURN_OUT',
      ...(isCredit ? {
        type: this.side, invoice_id: this.parent?.kind === 'invoice' ? this.parent.id : null,
        applications: this.applications.map(({ document, amount, date: day }) => ({
          invoice_id: document.kind === 'invoice' ? document.id : null, bill_id: document.kind === 'bill' ? document.id : null,
          amount: amountOf(amount), date: dateTime(day),
        })),
      } : {}),
    }
  }

  issue(books: Books): void {
    this.status = 'ISSUED'
    this.actions.push('ISSUED')
    this.post(books)
  }

  post(books: Books): void {
    const { contact, rate, date, inState } = this.terms
    const mirrored = tradeLines(this.targetKind, contact.id, priceOf(this.lines, inState), 0n, rate)
    books.ledger.post(NOTES[this.kind].source, this.id, date, mirrored.map((line) => ({ ...line, debit: -line.debit })), contact.id)
  }

  apply(books: Books, document: Document, amount: bigint): void {
    const relieved = amount === this.left ? inBase(this.total, this.terms.rate) - this.relieved : inBase(amount, this.terms.rate)
    const difference = relieved - document.takeOff(amount)
    this.actions.push('APPLIED')
    this.applications.push({ document, amount, date: books.today, relieved })
    if (this.left === 0n) this.status = 'APPLIED'
    const gain = this.side === 'customer' ? difference : -difference
    const { id } = this.terms.contact
    books.ledger.post('CREDIT_NOTE', this.id, books.today, [dr(this.control, gain, id), cr('Exchange Gain or Loss', gain)], id)
    document.settle(books, amount, 'credit')
    books.touched.add(this)
  }

  /** What it takes off what its contact owes, or is owed, while it is not applied; in paise, below 0. */
  openAt(control: string): bigint {
    const stands = this.status === 'ISSUED' || this.status === 'APPLIED'
    return stands && control === this.control ? this.relieved - inBase(this.total, this.terms.rate) : 0n
  }

  /** What applications have taken off it in the ledger, in paise. */
  private get relieved() { return this.applications.reduce((sum, each) => sum + each.relieved, 0n) }
  private get control() { return this.side === 'customer' ? 'Accounts Receivable' : 'Accounts Payable' }
}
