// Estimates in the model: drawing up, changing, accepting, deleting, and their conversion to an order and its invoice.
import type { Json } from '../fixtures/client.ts'
import {
  amountOf, BAD_SHAPE, BAD_STATE, BAD_VALUE, choose, dateTime, MISSING, NOBODY, rateOf, refusalsOf, type Books, type Pick, type Plan, type Thing,
} from './books.ts'
import { contactOf } from './contact.ts'
import { Document, isOfDeleted, linesOf, pricedOf, priceOf, type Priced } from './document.ts'
import { addDocument } from './documents.ts'
import { Order, type OrderTerms } from './order.ts'
import { orderLinesOf, termsOfPart, type OrderInput } from './orders.ts'

export class Estimate implements Thing {
  readonly key = 'estimate'
  readonly name = 'estimate'
  gone = false
  status = 'DRAFT'
  order: Order | null = null
  readonly events = ['ESTIMATE_CREATED']
  readonly id: string
  readonly lines: Priced[]
  terms: OrderTerms & { expiry: string | null }

  constructor(id: string, terms: OrderTerms & { expiry: string | null }, lines: Priced[]) {
    this.id = id
    this.terms = terms
    this.lines = lines
  }

  get path() { return `/estimates/${this.id}` }

  shown(): Json {
    const { date, expiry, reference, inState } = this.terms
    return {
      status: this.status, date: dateTime(date), expiry_date: expiry === null ? null : dateTime(expiry), reference_number: reference,
      total: amountOf(priceOf(this.lines, inState).total), converted_to_sales_order_id: this.order?.id ?? null,
      invoices: (this.order?.made ?? []).filter(({ document }) => !document.gone).map(({ document }) => document.id),
    }
  }
}

export interface EstimateInput extends Omit<OrderInput, 'kind'> {
  expiresIn: number | null
}

export function offer(books: Books, { wrong, lines, daysAgo, dollars, expiresIn, ...input }: EstimateInput): Plan {
  const ago = daysAgo ?? 0
  const priced = pricedOf(books, lines)
  const terms = {
    contact: contactOf(books, input.contact, ({ type }) => (type === 'VENDOR') === (wrong === 'other party')), currency: dollars === null ? 'INR' : 'USD', rate: rateOf(dollars),
    date: books.daysFromNow(-ago), reference: input.reference, inState: input.inState,
    expiry: expiresIn === null ? null : books.daysFromNow(expiresIn - ago),
  }
  return {
    method: 'POST',
    path: '/estimates',
    body: {
      customer_id: wrong === 'nobody' ? NOBODY : terms.contact.id, ...(daysAgo === null ? {} : { date: terms.date }), expiry_date: terms.expiry,
      place_of_supply: input.inState ? 'IN-KA' : 'IN-MH', line_items: wrong === 'no lines' ? [] : linesOf(books, lines),
      ...(dollars === null ? {} : { currency_code: 'USD', exchange_rate: dollars }), reference_number: input.reference,
    },
    refusals: refusalsOf([
      [wrong === 'no lines', BAD_SHAPE], [wrong === 'nobody' || terms.contact.gone || priced.some(isOfDeleted), MISSING], [wrong !== null || (expiresIn ?? 0) < 0, BAD_VALUE],
    ]),
    move({ estimate }) {
      books.add(new Estimate(estimate.estimate_id, terms, priced))
    },
  }
}

const FROM: Record<string, string[]> = { SENT: ['DRAFT'], DECLINED: ['DRAFT', 'SENT'], CANCELLED: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED'] }

export interface ReofferInput extends Pick {
  status: 'SENT' | 'DECLINED' | 'CANCELLED' | 'ACCEPTED' | 'CONVERTED' | null
  reference: string | null
  wrong: 'its lines' | null
}

export function reoffer(books: Books, { status, reference, wrong, ...pick }: ReofferInput): Plan | null {
  const estimate = choose(books.all(Estimate), ({ gone, status: from }) => !gone && (status === null || (FROM[status]?.includes(from) ?? false)), pick)
  if (!estimate) return null
  const mayBe = status === null || status === estimate.status || (FROM[status]?.includes(estimate.status) ?? false)
  return {
    method: 'PUT',
    path: estimate.path,
    body: { reference_number: reference, ...(status ? { status } : {}), ...(wrong ? { line_items: [{ name: 'Other', quantity: 1, rate: 1 }] } : {}) },
    refusals: refusalsOf([[estimate.gone, MISSING], [estimate.status === 'CONVERTED' || !mayBe, BAD_STATE], [wrong !== null, BAD_VALUE]]),
    move() {
      estimate.terms = { ...estimate.terms, reference }
      estimate.status = status ?? estimate.status
      books.touched.add(estimate)
    },
    about: [estimate],
  }
}

export function accept(books: Books, pick: Pick): Plan | null {
  const estimate = choose(books.all(Estimate), ({ gone, status }) => !gone && (status === 'DRAFT' || status === 'SENT'), pick)
  if (!estimate) return null
  return {
    method: 'POST',
    path: `${estimate.path}/accept`,
    refusals: refusalsOf([[estimate.gone, MISSING], [estimate.status !== 'DRAFT' && estimate.status !== 'SENT', BAD_STATE]]),
    move() {
      estimate.status = 'ACCEPTED'
      estimate.events.push('ESTIMATE_ACCEPTED')
      books.touched.add(estimate)
    },
    about: [estimate],
  }
}

export function withdraw(books: Books, pick: Pick): Plan | null {
  const estimate = choose(books.all(Estimate), ({ gone }) => !gone, pick)
  if (!estimate) return null
  return {
    method: 'DELETE',
    path: estimate.path,
    refusals: refusalsOf([[estimate.gone, MISSING], [estimate.status === 'CONVERTED', BAD_STATE]]),
    move() {
      estimate.gone = true
      estimate.events.push('ESTIMATE_DELETED')
      books.touched.add(estimate)
    },
    about: [estimate],
  }
}

export interface ConvertEstimateInput extends Pick {
  through: boolean
  approve: boolean
}

export function convertEstimate(books: Books, { through, approve, ...pick }: ConvertEstimateInput): Plan | null {
  const estimate = choose(books.all(Estimate), ({ gone, status }) => !gone && status === 'ACCEPTED', pick)
  if (!estimate) return null
  const { status, gone } = estimate
  return {
    method: 'POST',
    path: `${estimate.path}/convert`,
    body: { auto_approve: approve, ...(through ? { through: 'invoice' } : {}) },
    refusals: refusalsOf([
      [gone, MISSING], [status === 'CONVERTED', '409 conflict.already_converted'], [status !== 'ACCEPTED' && status !== 'CONVERTED', BAD_STATE],
    ]),
    move({ estimate: answered }) {
      const { expiry: _expiry, ...terms } = estimate.terms
      const lines = orderLinesOf(estimate.lines, estimate.lines.map(() => ({ line_item_id: null })))
      const order = books.add(new Order('sales_order', answered.converted_to_sales_order_id, { ...terms, date: books.today }, lines, estimate.id))
      order.status = approve ? 'OPEN' : 'DRAFT'
      estimate.order = order
      estimate.status = 'CONVERTED'
      estimate.events.push('ESTIMATE_CONVERTED')
      books.touched.add(estimate)
      if (!through) return
      const taken = order.lines.map((line) => ({ line, hundredths: line.hundredths }))
      const invoice = new Document('invoice', answered.invoices[0], termsOfPart(books, order, taken), order)
      addDocument(books, invoice, approve)
      order.take(books, invoice, taken)
    },
    about: [estimate],
  }
}
