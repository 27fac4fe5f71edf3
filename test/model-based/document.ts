// An invoice or a bill in the model: what it comes to, what it posts, what settles it.
import type { Json } from '../fixtures/client.ts'
import { amountOf, dateTime, inBase, shareOf, type Books, type Pick as PickOf, type Thing } from './books.ts'
import type { Contact } from './contact.ts'
import type { DocumentInput } from './documents.ts'
import { itemOf, type Item } from './item.ts'
import { cr, dr, type Line } from './ledger.ts'
import type { Order } from './order.ts'

export type Kind = 'invoice' | 'bill'

export const KINDS = {
  invoice: {
    path: '/invoices', id: 'invoice_id', party: 'customer_id', otherParty: 'VENDOR', open: 'SENT', source: 'INVOICE',
    control: 'Accounts Receivable', credits: 'credits_applied', paid: '409 conflict.invoice_paid', credited: 'CREDIT_APPLIED',
  },
  bill: {
    path: '/bills', id: 'bill_id', party: 'vendor_id', otherParty: 'CUSTOMER', open: 'OPEN', source: 'BILL',
    control: 'Accounts Payable', credits: 'vendor_credits_applied', paid: '409 conflict.bill_paid', credited: 'PAID',
  },
} as const

export interface LineInput {
  quantity: number
  /** Whole units of the currency, so that 9 per cent of them are whole minor units. */
  rate: number
  discount: number
  taxed: boolean
  /** An item that says what the line is of and what a piece costs; null for a line that says so itself. */
  item: PickOf | null
}

/** A line to price: hundredths of a piece, whole units of the currency a piece, millionths of a unit of discount. */
export interface Priced {
  hundredths: bigint
  rate: bigint
  discount: bigint
  taxed: boolean
  item: Item | null
}

export interface Price {
  subTotal: bigint
  central: bigint
  state: bigint
  integrated: bigint
  total: bigint
}

export const pricedOf = (books: Books, lines: LineInput[]): Priced[] => lines.map(({ quantity, rate, discount, taxed, item: pick }) => {
  const item = itemOf(books, { item: pick })
  return { hundredths: BigInt(quantity * 100), rate: BigInt(item?.rate ?? rate), discount: BigInt(discount) * 1_000_000n, taxed, item }
})

/** Whether a line names an item that was deleted. */
export const isOfDeleted = ({ item }: Priced): boolean => item?.gone ?? false

/** What lines come to at 18 per cent, within the state or across. */
export function priceOf(lines: Priced[], inState: boolean, roundOff = 0n): Price {
  let [subTotal, half, whole] = [0n, 0n, 0n]
  for (const { hundredths, rate, discount, taxed } of lines) {
    const taxable = shareOf(hundredths * rate * 10_000n - discount, 1n, 10_000n)
    subTotal += taxable
    if (taxed) half += shareOf(taxable, 9n, 100n)
    if (taxed) whole += shareOf(taxable, 18n, 100n)
  }
  const [central, integrated] = inState ? [half, 0n] : [0n, whole]
  return { subTotal, central, state: central, integrated, total: subTotal + 2n * central + integrated + roundOff }
}

export const linesOf = (books: Books, lines: LineInput[]): Json[] => lines.map(({ taxed, item: pick, rate, ...line }) => {
  const item = itemOf(books, { item: pick })
  return { ...(item ? { item_id: item.id } : { name: 'Silk thread', rate }), ...line, ...(taxed ? { tax_id: books.taxId } : {}) }
})

/** What a document says at its head and foot. */
export interface Terms {
  contact: Contact
  currency: string
  rate: bigint
  date: string
  due: string
  reference: string | null
  inState: boolean
  roundOff: bigint
  lines: Priced[]
  price: Price
}

/** What an invoice's total is rounded by, where nobody says; a bill's never is. */
export const autoRoundOff = (books: Books, kind: Kind, { total }: Price): bigint => (kind === 'invoice' ? books.roundOffOn(total) : 0n)

/** The entry of a trade in paise: each amount converted by itself, what was sold or bought takes what remains. */
export function tradeLines(kind: Kind, contactId: string, price: Price, roundOff: bigint, rate: bigint): Line[] {
  const paise = (amount: bigint) => inBase(amount, rate)
  const [total, central, state] = [paise(price.total), paise(price.central), paise(price.state)]
  const [integrated, rounding] = [paise(price.integrated), paise(roundOff)]
  const traded = total - central - state - integrated - rounding
  const sale = [
    dr('Accounts Receivable', total, contactId), cr('Sales', traded), cr('Output CGST', central), cr('Output SGST', state),
    cr('Output IGST', integrated), cr('Round Off', rounding),
  ]
  return kind === 'invoice' ? sale : [
    cr('Accounts Payable', total, contactId), dr('Purchases', traded), dr('Input CGST', central), dr('Input SGST', state),
    dr('Input IGST', integrated), dr('Round Off', rounding),
  ]
}

/** Whether money or credit of a contact and currency can be put onto the document. */
export const isOpenTo = ({ contact, currency }: Pick<Terms, 'contact' | 'currency'>) => ({ gone, isOpen, balance, terms }: Document): boolean => (
  !gone && isOpen && balance > 0n && terms.contact === contact && terms.currency === currency
)

/** An invoice or a bill. */
export class Document implements Thing {
  paid = 0n
  credited = 0n
  /** What has been taken off it in the ledger, in paise. */
  offBase = 0n
  gone = false
  readonly isWhollyGiven = true
  status = 'DRAFT'
  /** What it was drawn up of, unless it was made of an order. */
  input: DocumentInput | null = null
  readonly events: string[]
  readonly actions = ['CREATED']
  readonly kind: Kind
  readonly id: string
  readonly terms: Terms
  /** The order that it was made of. */
  readonly order: Order | null

  constructor(kind: Kind, id: string, terms: Terms, order: Order | null = null) {
    this.kind = kind
    this.id = id
    this.terms = terms
    this.order = order
    this.events = [`${KINDS[kind].source}_CREATED`]
  }

  get key() { return this.kind }
  get path() { return `${KINDS[this.kind].path}/${this.id}` }
  get name() { return `${this.kind} of ${amountOf(this.terms.price.total)} ${this.terms.currency}` }
  get total() { return this.terms.price.total }
  get balance() { return this.status === 'CANCELLED' ? 0n : this.total - this.paid - this.credited }
  get isOpen() { return [KINDS[this.kind].open, 'PARTIALLY_PAID', 'OVERDUE'].includes(this.status) }
  get isPosted() { return !this.gone && this.status !== 'DRAFT' && this.status !== 'CANCELLED' }

  shown({ today }: Books): Json {
    const late = this.isOpen && this.balance > 0n && this.terms.due < today
    return {
      status: this.status, date: dateTime(this.terms.date), due_date: dateTime(this.terms.due), reference_number: this.terms.reference,
      line_items: this.terms.lines.map(({ hundredths, rate, discount, item }) => (
        { item_id: item?.id ?? null, quantity: Number(hundredths) / 100, rate: Number(rate), discount: Number(discount) / 1_000_000 }
      )),
      sub_total: amountOf(this.terms.price.subTotal), round_off: amountOf(this.terms.roundOff), total: amountOf(this.total),
      ...(this.kind === 'invoice'
        ? { sales_order_id: this.order?.id ?? null, estimate_id: this.order?.estimateId ?? null }
        : { purchase_order_id: this.order?.id ?? null }),
      payment_made: amountOf(this.paid), [KINDS[this.kind].credits]: amountOf(this.credited), balance: amountOf(this.balance),
      is_overdue: late, days_overdue: late ? (Date.parse(today) - Date.parse(this.terms.due)) / 86_400_000 : 0,
    }
  }

  post(books: Books): void {
    this.status = KINDS[this.kind].open
    this.actions.push(this.kind === 'invoice' ? 'SENT' : 'APPROVED')
    const { contact, rate, date, price, roundOff } = this.terms
    books.ledger.post(KINDS[this.kind].source, this.id, date, tradeLines(this.kind, contact.id, price, roundOff, rate), contact.id)
  }

  /** Deleted or cancelled: what it took of its order is given back. */
  letGo(books: Books): void {
    this.order?.release(books, this)
    books.touched.add(this)
  }

  /**
   * The share of the ledger's amount that a part takes with it: converted by itself, the last takes what remains. `taken`
   * is off the balance already, and not yet told.
   */
  takeOff(amount: bigint, taken = 0n): bigint {
    const { rate } = this.terms
    const off = amount === this.balance - taken ? inBase(this.total, rate) - this.offBase : inBase(amount, rate)
    this.offBase += off
    return off
  }

  /** Money or a credit put onto it, or taken off it when below 0. */
  settle(books: Books, amount: bigint, by: 'money' | 'credit'): void {
    if (by === 'money') this.paid += amount
    else this.credited += amount
    const late = amount < 0n && this.status === 'OVERDUE'
    if (!late) this.status = this.settledStatus(by)
    const isPaid = this.balance === 0n
    this.tell(books, isPaid ? 'PAID' : 'UPDATED', amount < 0n ? 'UPDATED' : isPaid ? 'PAID' : 'PARTIALLY_PAID')
  }

  /** Tells of a change by an event and an entry of the log; null where that is written already. */
  tell(books: Books, event: string, action: string | null = event): void {
    if (action) this.actions.push(action)
    this.events.push(`${KINDS[this.kind].source}_${event}`)
    books.touched.add(this)
  }

  private settledStatus(by: 'money' | 'credit'): string {
    if (this.balance === this.total) return KINDS[this.kind].open
    if (this.balance > 0n) return 'PARTIALLY_PAID'
    return by === 'credit' ? KINDS[this.kind].credited : 'PAID'
  }
}
