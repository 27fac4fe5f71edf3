// What is done to invoices and bills in the model: drawing up, approving, editing, cancelling, deleting.
import {
  amountOf, BAD_SHAPE, BAD_STATE, BAD_VALUE, choose, MISSING, NOBODY, rateOf, refusalsOf, type Books, type Pick, type Plan,
} from './books.ts'
import { contactOf, type Contact, type ContactPick } from './contact.ts'
import { autoRoundOff, Document, isOfDeleted, KINDS, linesOf, pricedOf, priceOf, type Kind, type LineInput, type Terms } from './document.ts'
import type { Order } from './order.ts'
import { Payment } from './payment.ts'

export interface DocumentInput {
  kind: Kind
  contact: ContactPick
  /** Rupees for a dollar; null for a document in rupees. */
  dollars: number | null
  lines: LineInput[]
  daysAgo: number
  dueIn: number | null
  roundOff: number | null
  reference: string | null
  approve: boolean
  inState: boolean
  wrong: 'other party' | 'nobody' | 'no lines' | 'a rate for rupees' | 'due before its date' | null
}

/**
 * The duplicate guard of bills: one of this vendor, date and total stands, and no reference tells the new one apart. Parts of
 * one order are not compared.
 */
export function isDuplicateBill(books: Books, { contact, date, currency, price, reference }: Terms, of: Order | null = null): boolean {
  return books.documents.some(({ kind, isPosted, terms, order }) => kind === 'bill' && isPosted && (of === null || order !== of)
    && terms.contact === contact && terms.date === date && terms.currency === currency && terms.price.total === price.total
    && (reference === null || terms.reference === reference))
}

/** For the contact that is picked, unless one is named. */
export function drawUp(books: Books, input: DocumentInput, named?: Contact): Plan {
  const { kind, wrong } = input
  const contact = named ?? contactOf(books, input.contact, ({ type }) => (type === KINDS[kind].otherParty) === (wrong === 'other party'))
  const date = books.daysFromNow(-input.daysAgo)
  const lines = pricedOf(books, input.lines)
  const roundOff = input.roundOff === null ? autoRoundOff(books, kind, priceOf(lines, input.inState)) : BigInt(input.roundOff)
  const dueIn = wrong === 'due before its date' ? -1 : input.dueIn
  const terms: Terms = {
    contact, date, due: books.daysFromNow((dueIn ?? contact.paymentTerms) - input.daysAgo), reference: input.reference, inState: input.inState, roundOff, lines,
    currency: input.dollars === null ? 'INR' : 'USD', rate: rateOf(input.dollars), price: priceOf(lines, input.inState, roundOff),
  }
  return {
    method: 'POST',
    path: KINDS[kind].path,
    body: {
      [KINDS[kind].party]: wrong === 'nobody' ? NOBODY : contact.id, date, place_of_supply: input.inState ? 'IN-KA' : 'IN-MH',
      line_items: wrong === 'no lines' ? [] : linesOf(books, input.lines), reference_number: input.reference,
      ...(input.dollars === null ? {} : { currency_code: 'USD', exchange_rate: input.dollars }),
      ...(wrong === 'a rate for rupees' ? { currency_code: 'INR', exchange_rate: 84 } : {}),
      ...(dueIn === null ? {} : { due_date: terms.due }),
      ...(input.roundOff === null ? {} : { round_off: amountOf(roundOff) }),
      auto_approve: input.approve,
    },
    refusals: refusalsOf([
      [wrong === 'no lines', BAD_SHAPE],
      [wrong === 'nobody' || contact.gone || lines.some(isOfDeleted), MISSING],
      [wrong !== null, BAD_VALUE],
      [terms.price.total < 0n, BAD_VALUE],
      [kind === 'bill' && isDuplicateBill(books, terms), BAD_VALUE],
    ]),
    move({ [kind]: answered }) {
      addDocument(books, new Document(kind, answered[KINDS[kind].id], terms), input.approve).input = input
    },
  }
}

/** The same once more, with the same reference or another. */
export function drawUpAgain(books: Books, { reference, ...pick }: Pick & { reference: 'same' | 'other' | 'none' }): Plan | null {
  const drawnUp = books.documents.flatMap(({ input, terms: { contact } }) => (input ? [{ input, contact }] : []))
  const chosen = choose(drawnUp, ({ input: { kind } }) => kind === 'bill', pick)
  if (!chosen) return null
  const { input, contact } = chosen
  return drawUp(books, { ...input, wrong: null, reference: { same: input.reference, other: 'R-9', none: null }[reference] }, contact)
}

export function addDocument(books: Books, document: Document, approved: boolean): Document {
  books.documents.push(books.add(document))
  if (approved) document.post(books)
  return document
}

export interface DocumentPick extends Pick {
  kind: Kind
}

const ofKind = (books: Books, kind: Kind) => books.documents.filter((document) => document.kind === kind)
const isDraft = ({ status, gone }: Document) => status === 'DRAFT' && !gone

export function approve(books: Books, { kind, ...pick }: DocumentPick): Plan | null {
  const document = choose(ofKind(books, kind), isDraft, pick)
  if (!document) return null
  return {
    method: 'POST',
    path: `${document.path}/approve`,
    refusals: refusalsOf([
      [document.gone, MISSING],
      [document.status !== 'DRAFT', BAD_STATE],
      [kind === 'bill' && document.status === 'DRAFT' && isDuplicateBill(books, document.terms, document.order), BAD_VALUE],
    ]),
    move() {
      document.post(books)
      document.tell(books, 'UPDATED', null)
    },
    about: [document],
  }
}

export interface EditInput extends DocumentPick {
  reference: string | null
  dueIn: number
  wrong: 'its lines' | null
}

export function edit(books: Books, { kind, reference, dueIn, wrong, ...pick }: EditInput): Plan | null {
  const document = choose(ofKind(books, kind), isDraft, pick)
  if (!document) return null
  const due = new Date(Date.parse(document.terms.date) + dueIn * 86_400_000).toISOString().slice(0, 10)
  return {
    method: 'PUT',
    path: document.path,
    body: { reference_number: reference, due_date: due, ...(wrong ? { line_items: [{ name: 'Other', quantity: 1, rate: 1 }] } : {}) },
    refusals: refusalsOf([
      [document.gone, MISSING], [document.status !== 'DRAFT', BAD_STATE], [wrong !== null, BAD_VALUE], [dueIn < 0, BAD_VALUE],
    ]),
    move() {
      const { terms } = document
      const before = terms.price.total - terms.roundOff
      // What was rounded by less than a rupee is rounded again.
      const isMoved = terms.reference !== reference || terms.due !== due
      const isAnew = kind === 'invoice' && isMoved && books.rounding !== null && terms.roundOff > -100n && terms.roundOff < 100n
      const roundOff = isAnew ? books.roundOffOn(before) : terms.roundOff
      if (!isMoved) return
      Object.assign(terms, { reference, due, roundOff, price: { ...terms.price, total: before + roundOff } })
      document.tell(books, 'UPDATED')
    },
    about: [document],
  }
}

export function discard(books: Books, { kind, ...pick }: DocumentPick): Plan | null {
  const document = choose(ofKind(books, kind), isDraft, pick)
  if (!document) return null
  return {
    method: 'DELETE',
    path: document.path,
    refusals: refusalsOf([[document.gone, MISSING], [document.status !== 'DRAFT', BAD_STATE]]),
    move() {
      document.gone = true
      document.tell(books, 'DELETED')
      document.letGo(books)
    },
    about: [document],
  }
}

export interface CancelInput extends DocumentPick {
  daysAgo: number | null
}

export function cancel(books: Books, { kind, daysAgo, ...pick }: CancelInput): Plan | null {
  const document = choose(ofKind(books, kind), ({ isPosted }) => isPosted, pick)
  if (!document) return null
  const { status, gone, credited } = document
  const date = daysAgo === null ? books.today : books.daysFromNow(-daysAgo)
  return {
    method: 'POST',
    path: `${document.path}/void`,
    body: daysAgo === null ? {} : { date },
    refusals: refusalsOf([
      [gone, MISSING],
      [status === 'CANCELLED', '409 conflict.already_cancelled'],
      [status === 'PAID', KINDS[kind].paid],
      [status === 'CREDIT_APPLIED' || (credited > 0n && status !== 'CANCELLED'), '409 conflict.credit_applied'],
    ]),
    move() {
      for (const payment of books.all(Payment)) payment.letGo(books, document, date)
      if (document.isPosted) books.ledger.undoAll(KINDS[kind].source, document.id, date)
      document.status = 'CANCELLED'
      document.paid = 0n
      document.offBase = 0n
      document.letGo(books)
      document.tell(books, 'VOIDED')
    },
    about: [document],
  }
}
