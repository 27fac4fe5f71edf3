// What is done with orders in the model: drawing up, changing, opening, closing, cancelling, deleting, converting.
import {
  BAD_SHAPE, BAD_STATE, BAD_VALUE, choose, MISSING, NOBODY, rateOf, refusalsOf, type Books, type Pick, type Plan,
} from './books.ts'
import { contactOf, type ContactPick } from './contact.ts'
import { autoRoundOff, Document, isOfDeleted, linesOf, pricedOf, priceOf, type LineInput, type Priced, type Terms } from './document.ts'
import { addDocument, isDuplicateBill } from './documents.ts'
import { Order, ORDERS, type OrderKind, type OrderLine, type OrderTerms, type Taken } from './order.ts'
import type { Json } from '../fixtures/client.ts'

export interface OrderInput {
  kind: OrderKind
  contact: ContactPick
  dollars: number | null
  lines: LineInput[]
  daysAgo: number | null
  reference: string | null
  inState: boolean
  wrong: 'other party' | 'nobody' | 'no lines' | null
}

export const orderLinesOf = (lines: Priced[], answered: Json[]): OrderLine[] => lines.map((line, place) => (
  { ...line, id: answered[place].line_item_id, converted: 0n }
))

export function order(books: Books, { kind, wrong, lines, daysAgo, dollars, ...input }: OrderInput): Plan {
  const { path, party, otherParty, id } = ORDERS[kind]
  const priced = pricedOf(books, lines)
  const terms: OrderTerms = {
    contact: contactOf(books, input.contact, ({ type }) => (type === otherParty) === (wrong === 'other party')), currency: dollars === null ? 'INR' : 'USD', rate: rateOf(dollars),
    date: books.daysFromNow(-(daysAgo ?? 0)), reference: input.reference, inState: input.inState,
  }
  return {
    method: 'POST',
    path,
    body: {
      [party]: wrong === 'nobody' ? NOBODY : terms.contact.id, ...(daysAgo === null ? {} : { date: terms.date }),
      place_of_supply: input.inState ? 'IN-KA' : 'IN-MH', line_items: wrong === 'no lines' ? [] : linesOf(books, lines),
      ...(dollars === null ? {} : { currency_code: 'USD', exchange_rate: dollars }), reference_number: input.reference,
    },
    refusals: refusalsOf([
      [wrong === 'no lines', BAD_SHAPE], [wrong === 'nobody' || terms.contact.gone || priced.some(isOfDeleted), MISSING], [wrong !== null, BAD_VALUE],
    ]),
    move({ [kind]: answered }) {
      books.add(new Order(kind, answered[id], terms, orderLinesOf(priced, answered.line_items)))
    },
  }
}

export interface OrderPick extends Pick {
  kind: OrderKind
}

const ofKind = (books: Books, kind: OrderKind) => books.all(Order).filter((one) => one.kind === kind)
const isDraft = ({ status, gone }: Order) => status === 'DRAFT' && !gone

export type Move = 'open' | 'close' | 'cancel'

const FROM: Record<OrderKind, Partial<Record<Move, string[]>>> = {
  sales_order: { open: ['DRAFT'], close: ['OPEN', 'PARTIALLY_INVOICED'], cancel: ['DRAFT', 'OPEN'] },
  purchase_order: { open: ['DRAFT'], cancel: ['DRAFT', 'OPEN'] },
}
const TO = { open: 'OPEN', close: 'CLOSED', cancel: 'CANCELLED' }

export function moveOrder(books: Books, { kind, move, ...pick }: OrderPick & { move: Move }): Plan | null {
  const from = FROM[kind][move]
  const chosen = choose(ofKind(books, kind), ({ status }) => from?.includes(status) ?? false, pick)
  if (!chosen || !from) return null
  const isBegun = chosen.lines.some(({ converted }) => converted > 0n)
  return {
    method: 'POST',
    path: `${chosen.path}/${move}`,
    refusals: refusalsOf([[chosen.gone, MISSING], [!from.includes(chosen.status) || (move === 'cancel' && isBegun), BAD_STATE]]),
    move() {
      chosen.status = TO[move]
      books.touched.add(chosen)
    },
    about: [chosen],
  }
}

export function discardOrder(books: Books, pick: Pick): Plan | null {
  const chosen = choose(ofKind(books, 'purchase_order'), isDraft, pick)
  if (!chosen) return null
  return {
    method: 'DELETE',
    path: chosen.path,
    refusals: refusalsOf([[chosen.gone, MISSING], [chosen.status !== 'DRAFT', BAD_STATE]]),
    move() {
      chosen.gone = true
      // Sales orders are not deleted.
      chosen.events.push('PURCHASE_ORDER_DELETED')
      books.touched.add(chosen)
    },
    about: [chosen],
  }
}

export interface ReorderInput extends OrderPick {
  reference: string | null
  lines: LineInput[] | null
}

export function reorder(books: Books, { kind, reference, lines, ...pick }: ReorderInput): Plan | null {
  const chosen = choose(ofKind(books, kind), isDraft, pick)
  if (!chosen) return null
  const { status } = chosen
  const priced = lines && pricedOf(books, lines)
  return {
    method: 'PUT',
    path: chosen.path,
    body: { reference_number: reference, ...(lines ? { line_items: linesOf(books, lines) } : {}) },
    refusals: refusalsOf([
      [chosen.gone, MISSING], [status !== 'DRAFT' && status !== 'OPEN', BAD_STATE], [status === 'OPEN' && lines !== null, BAD_VALUE],
      [status === 'DRAFT' && (priced?.some(isOfDeleted) ?? false), MISSING],
    ]),
    move({ [kind]: answered }) {
      chosen.terms = { ...chosen.terms, reference }
      if (priced) chosen.lines = orderLinesOf(priced, answered.line_items)
      books.touched.add(chosen)
    },
    about: [chosen],
  }
}

/** What is made of a part of an order: on the order's terms, dated today. */
export function termsOfPart(books: Books, { kind, terms, pricedPart }: Order, taken: Taken[]): Terms {
  const lines = taken.map(pricedPart)
  const roundOff = autoRoundOff(books, ORDERS[kind].makes, priceOf(lines, terms.inState))
  return { ...terms, date: books.today, due: books.daysFromNow(terms.contact.paymentTerms), roundOff, lines, price: priceOf(lines, terms.inState, roundOff) }
}

export type OrderPart = 'all' | 'a piece' | 'half' | 'none' | 'one more'

export interface ConvertInput extends OrderPick {
  /** Of each line in turn; null for everything that is left. */
  parts: OrderPart[] | null
  approve: boolean
  /** A line of no order. */
  wrong: 'no line' | null
}

/** Of what is left of a line: hundredths of a piece. */
const PARTS: Record<OrderPart, (left: bigint) => bigint> = {
  'all': (left) => left, 'a piece': (left) => (left < 100n ? left : 100n), 'half': (left) => (left + 1n) / 2n, 'none': () => 0n,
  'one more': (left) => left + 1n,
}

export function convertOrder(books: Books, { kind, parts, approve, wrong, ...pick }: ConvertInput): Plan | null {
  const chosen = choose(ofKind(books, kind), ({ isConvertible }) => isConvertible, pick)
  if (!chosen) return null
  const asked = chosen.lines
    .map((line, place) => ({ line, hundredths: PARTS[parts?.[place % parts.length] ?? 'all'](left(line)) }))
    .filter(({ hundredths }) => hundredths > 0n)
  const isWhole = parts === null || asked.length === 0
  const taken: Taken[] = isWhole ? chosen.lines.map((line) => ({ line, hundredths: left(line) })).filter(({ hundredths }) => hundredths > 0n) : asked
  return conversion(books, chosen, { taken, isWhole, approve, wrong })
}

/** Bills once more what was billed of an order before: an equal part of it, on the same day as a rule. */
export function billAgain(books: Books, { approve, ...pick }: Pick & { approve: boolean }): Plan | null {
  const billed = ofKind(books, 'purchase_order').filter(({ made, lines }) => made[0]?.taken.every(({ line }) => lines.includes(line)) ?? false)
  const chosen = choose(billed, ({ isConvertible }) => isConvertible, pick)
  return chosen && conversion(books, chosen, { taken: chosen.made[0]!.taken, isWhole: false, approve, wrong: null })
}

const left = ({ hundredths, converted }: OrderLine) => hundredths - converted

interface Conversion {
  approve: boolean
  wrong: ConvertInput['wrong']
  taken: Taken[]
  isWhole: boolean
}

function conversion(books: Books, chosen: Order, { taken, isWhole, approve, wrong }: Conversion): Plan {
  const { kind } = chosen
  const { makes, done, made } = ORDERS[kind]
  const terms = termsOfPart(books, chosen, taken)
  const line_items = taken.map(({ line, hundredths }) => ({ line_item_id: line.id, quantity: Number(hundredths) / 100 }))
  return {
    method: 'POST',
    path: `${chosen.path}/convert`,
    body: {
      auto_approve: approve,
      ...(isWhole && !wrong ? {} : { line_items: wrong ? [{ line_item_id: NOBODY, quantity: 1 }] : line_items }),
    },
    refusals: chosen.gone ? [MISSING] : refusalsOf([
      [chosen.status === done, '409 conflict.already_converted'],
      [!chosen.isConvertible && chosen.status !== done, BAD_STATE],
      [wrong !== null, MISSING],
      ...(chosen.isConvertible ? [
        [taken.some(({ line, hundredths }) => hundredths > left(line)), BAD_VALUE],
        [makes === 'bill' && isDuplicateBill(books, terms, chosen), BAD_VALUE],
      ] satisfies [boolean, string][] : []),
    ]),
    move({ [kind]: answered }) {
      const document = new Document(makes, answered[made].at(-1), terms, chosen)
      addDocument(books, document, approve)
      chosen.take(books, document, taken)
    },
    about: [chosen],
  }
}
