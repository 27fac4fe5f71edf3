// A sales order or a purchase order in the model: how much of its lines is invoiced or billed, and what is given back.
import type { Json } from '../fixtures/client.ts'
import { amountOf, dateTime, shareOf, type Books, type Thing } from './books.ts'
import type { Contact } from './contact.ts'
import { priceOf, type Document, type Priced } from './document.ts'

export type OrderKind = 'sales_order' | 'purchase_order'

export const ORDERS = {
  sales_order: {
    path: '/sales_orders', id: 'sales_order_id', party: 'customer_id', otherParty: 'VENDOR', makes: 'invoice', made: 'invoices',
    quantity: 'quantity_invoiced', done: 'INVOICED', begun: 'PARTIALLY_INVOICED', event: 'SALES_ORDER_CREATED',
  },
  purchase_order: {
    path: '/purchase_orders', id: 'purchase_order_id', party: 'vendor_id', otherParty: 'CUSTOMER', makes: 'bill', made: 'bills',
    quantity: 'quantity_billed', done: 'BILLED', begun: 'OPEN', event: 'PURCHASE_ORDER_CREATED',
  },
} as const

export interface OrderTerms {
  contact: Contact
  currency: string
  rate: bigint
  date: string
  reference: string | null
  inState: boolean
}

export interface OrderLine extends Priced {
  /** The line_item_id; null until it is known. */
  id: string | null
  /** Hundredths of a piece that are invoiced or billed. */
  converted: bigint
}

/** What is taken of a line, in hundredths of a piece. */
export interface Taken {
  line: OrderLine
  hundredths: bigint
}

export class Order implements Thing {
  gone = false
  status = 'DRAFT'
  readonly events: string[]
  readonly kind: OrderKind
  readonly id: string
  readonly estimateId: string | null
  terms: OrderTerms
  lines: OrderLine[]
  readonly made: { document: Document; taken: Taken[] }[] = []

  constructor(kind: OrderKind, id: string, terms: OrderTerms, lines: OrderLine[], estimateId: string | null = null) {
    this.kind = kind
    this.id = id
    this.terms = terms
    this.lines = lines
    this.estimateId = estimateId
    this.events = [ORDERS[kind].event]
  }

  get key() { return this.kind }
  get path() { return `${ORDERS[this.kind].path}/${this.id}` }
  get name() { return this.kind }
  get isConvertible() { return ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'].includes(this.status) && !this.gone }

  shown(): Json {
    const { id, made, quantity } = ORDERS[this.kind]
    return {
      [id]: this.id, status: this.status, date: dateTime(this.terms.date), reference_number: this.terms.reference,
      total: amountOf(priceOf(this.lines, this.terms.inState).total), ...(this.kind === 'sales_order' ? { estimate_id: this.estimateId } : {}),
      [made]: this.made.filter(({ document }) => !document.gone).map(({ document }) => document.id),
      line_items: this.lines.map(({ hundredths, rate, converted, item }) => (
        { item_id: item?.id ?? null, rate: Number(rate), quantity: Number(hundredths) / 100, [quantity]: Number(converted) / 100 }
      )),
    }
  }

  /** The ids of lines, learned from the first answer. */
  learn({ line_items }: Json): void {
    this.lines.forEach((line, place) => { line.id ??= line_items[place].line_item_id })
  }

  /** What a part comes to: its share of the discount is that of all that is taken by then, less that of what was before. */
  readonly pricedPart = ({ line, hundredths }: Taken): Priced => {
    const upTo = (taken: bigint) => shareOf(line.discount, taken, line.hundredths)
    const share = upTo(line.converted + hundredths) - upTo(line.converted)
    const gross = hundredths * line.rate * 10_000n
    return { hundredths, rate: line.rate, discount: share < gross ? share : gross, taxed: line.taxed, item: line.item }
  }

  take(books: Books, document: Document, taken: Taken[]): void {
    for (const { line, hundredths } of taken) line.converted += hundredths
    this.made.push({ document, taken })
    this.status = this.lines.every((line) => line.converted === line.hundredths) ? ORDERS[this.kind].done : ORDERS[this.kind].begun
    books.touched.add(this)
  }

  release(books: Books, document: Document): void {
    for (const { line, hundredths } of this.made.find((each) => each.document === document)!.taken) line.converted -= hundredths
    const { done, begun } = ORDERS[this.kind]
    if (this.status === done || this.status === begun) this.status = this.lines.some((line) => line.converted > 0n) ? begun : 'OPEN'
    books.touched.add(this)
  }
}
