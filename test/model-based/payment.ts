// A payment in the model: what it posts, what it is put onto, what is let go of it again.
import type { Json } from '../fixtures/client.ts'
import { amountOf, dateTime, inBase, type Books, type Thing } from './books.ts'
import type { Contact } from './contact.ts'
import type { Document } from './document.ts'
import { cr, dr, type Line } from './ledger.ts'

export type Flow = 'INCOMING' | 'OUTGOING'
export type PaymentType = 'REGULAR' | 'ADVANCE' | 'REFUND'

export interface Allocation {
  document: Document
  amount: bigint
  /** What it takes off the document, and off the payment, in the ledger: paise. */
  settled: bigint
  relieved: bigint
  /** The day of a later apply; null for what was allocated at once. */
  later: string | null
}

/** What a payment says; a change replaces some of it. */
export interface PaymentTerms {
  flow: Flow
  contact: Contact
  /** What the contact was called when the payment was made out to it. */
  contactName: string
  date: string
  amount: bigint
  currency: string
  rate: bigint
  charges: bigint
  account: string
  description: string | null
  reference: string | null
}

export class Payment implements Thing {
  readonly key = 'payment'
  gone = false
  allocations: Allocation[] = []
  readonly actions = ['CREATED']
  readonly id: string
  readonly type: PaymentType
  readonly tds: bigint
  terms: PaymentTerms

  constructor(id: string, type: PaymentType, tds: bigint, terms: PaymentTerms) {
    this.id = id
    this.type = type
    this.tds = tds
    this.terms = terms
  }

  get path() { return `/payments/${this.id}` }
  get name() { return `${this.terms.flow} payment of ${amountOf(this.terms.amount)} ${this.terms.currency}` }
  get allocated() { return this.allocations.reduce((sum, { amount }) => sum + amount, 0n) }
  get left() { return this.type === 'REFUND' ? 0n : this.terms.amount - this.allocated }
  get target() { return targetOf(this.terms.flow) }

  shown({ accounts }: Books): Json {
    const { flow, contact, contactName, date, amount, currency, rate, charges, account, description, reference } = this.terms
    return {
      flow, contact_id: contact.id, contact_name: contactName, date: dateTime(date), payment_type: this.type, amount: amountOf(amount),
      unapplied_amount: amountOf(this.left), currency_code: currency, exchange_rate: Number(rate) / 10_000, bank_charges: amountOf(charges),
      tds_amount: amountOf(this.tds), bank_account_id: accounts[account], description, reference_number: reference,
      allocations: this.allocations.map((each) => ({ [this.target]: each.document.id, amount: amountOf(each.amount) })),
    }
  }

  /** Books it: what was allocated at once in its own entry, the exchange difference of later applies on their days. */
  post(books: Books): void {
    const { flow, contact, rate, account } = this.terms
    const [amount, tds, charges] = [this.terms.amount, this.tds, this.terms.charges].map((each) => inBase(each, rate)) as [bigint, bigint, bigint]
    const atOnce = this.differenceOf(this.allocations.filter(({ later }) => later === null))
    const control = this.controlAccount
    const lines: Line[] = flow === 'INCOMING'
      ? [
        dr(account, amount - tds - charges), dr('TDS Receivable', tds), dr('Bank Charges', charges),
        cr(control, amount - atOnce, contact.id), cr('Exchange Gain or Loss', atOnce),
      ]
      : [
        dr(control, amount - atOnce, contact.id), dr('Bank Charges', charges), dr('Exchange Gain or Loss', atOnce),
        cr('TDS Payable', tds), cr(account, amount - tds + charges),
      ]
    books.ledger.post('PAYMENT', this.id, this.terms.date, lines, contact.id)
    for (const [date, allocations] of Map.groupBy(this.allocations, ({ later }) => later)) {
      if (date !== null) this.postDifference(books, this.differenceOf(allocations), date)
    }
  }

  apply(books: Books, document: Document, amount: bigint): void {
    const allocation = this.allocate(document, amount, books.today)
    document.settle(books, amount, 'money')
    this.postDifference(books, this.differenceOf([allocation]), books.today)
    this.actions.push('UPDATED')
    books.touched.add(this)
  }

  /** Puts money onto a document in the ledger; the document itself is not changed yet. `taken`: what this call has used of it before. */
  allocate(document: Document, amount: bigint, later: string | null, taken = 0n): Allocation {
    const relieved = this.relieve(amount, this.allocations)
    const allocation = { document, amount, settled: document.takeOff(amount, taken), relieved, later }
    this.allocations.push(allocation)
    return allocation
  }

  /** At another rate every allocation takes something else off the payment. */
  relieveAnew(): void {
    this.allocations.forEach((each, place) => { each.relieved = this.relieve(each.amount, this.allocations.slice(0, place)) })
  }

  /** Takes its money off a document that is cancelled, and undoes what was gained or lost by it. */
  letGo(books: Books, document: Document, date: string): void {
    const off = this.allocations.filter((each) => each.document === document)
    if (this.gone || off.length === 0) return
    this.postDifference(books, -this.differenceOf(off), date)
    this.allocations = this.allocations.filter((each) => each.document !== document)
    this.actions.push('UPDATED')
    books.touched.add(this)
  }

  delete(books: Books): void {
    for (const [document, allocations] of Map.groupBy(this.allocations, (each) => each.document)) {
      for (const { settled } of allocations) document.offBase -= settled
      document.settle(books, -allocations.reduce((sum, { amount }) => sum + amount, 0n), 'money')
    }
    this.gone = true
    this.actions.push('DELETED')
    books.ledger.undoAll('PAYMENT', this.id, books.today)
    books.touched.add(this)
  }

  /** What it adds to what its contact owes, or is owed, while it is not put onto anything; in paise. */
  openAt(control: string): bigint {
    if (this.gone || this.controlAccount !== control) return 0n
    const amount = inBase(this.terms.amount, this.terms.rate)
    return this.type === 'REFUND' ? amount : this.allocations.reduce((sum, { relieved }) => sum + relieved, 0n) - amount
  }

  private get controlAccount() {
    return (this.terms.flow === 'INCOMING') === (this.type !== 'REFUND') ? 'Accounts Receivable' : 'Accounts Payable'
  }

  // Each part is converted by itself; the last one takes all that is left, so that nothing stays behind.
  private relieve(amount: bigint, before: Allocation[]): bigint {
    const { rate, amount: whole } = this.terms
    const left = before.reduce((sum, each) => sum - each.amount, whole)
    return amount === left ? before.reduce((sum, { relieved }) => sum - relieved, inBase(whole, rate)) : inBase(amount, rate)
  }

  private differenceOf(allocations: Allocation[]): bigint {
    return allocations.reduce((sum, { relieved, settled }) => sum + relieved - settled, 0n)
  }

  private postDifference(books: Books, difference: bigint, date: string): void {
    const gain = this.terms.flow === 'INCOMING' ? difference : -difference
    const { id } = this.terms.contact
    books.ledger.post('PAYMENT', this.id, date, [dr(this.controlAccount, gain, id), cr('Exchange Gain or Loss', gain)], id)
  }
}

/** The field of an allocation that names the document. */
export const targetOf = (flow: Flow) => (flow === 'INCOMING' ? 'invoice_id' : 'bill_id')

/** Whether a contact can be the one who pays, or is paid. */
export function isParty(contact: Contact, flow: Flow, type: PaymentType): boolean {
  return contact.type !== ((flow === 'INCOMING') === (type !== 'REFUND') ? 'VENDOR' : 'CUSTOMER')
}
