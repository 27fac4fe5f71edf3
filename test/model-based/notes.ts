// What is done with credit notes and debit notes in the model: drawing up, issuing, changing, applying, cancelling.
import { expect } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import {
  amountOf, BAD_SHAPE, BAD_STATE, BAD_VALUE, choose, MISSING, NOBODY, partOf, rateOf, refusalsOf, type Books, type Part, type Pick, type Plan,
} from './books.ts'
import { contactOf, type ContactPick } from './contact.ts'
import { isOfDeleted, isOpenTo, KINDS, linesOf, pricedOf, type LineInput, type Priced } from './document.ts'
import { Note, NOTES, type NoteKind, type NoteTerms, type Side } from './note.ts'

export interface NoteInput {
  kind: NoteKind
  /** An invoice or bill that it is given against; null for nothing in particular. */
  against: Pick | null
  side: Side
  contact: ContactPick
  dollars: number | null
  lines: LineInput[]
  daysAgo: number
  reference: string | null
  inState: boolean
  draft: boolean
  wrong: 'another contact' | 'nobody' | 'no lines' | 'both parents' | null
}

const isParty = (contact: { type: string }, side: Side) => contact.type !== (side === 'customer' ? 'VENDOR' : 'CUSTOMER')

export function credit(books: Books, { kind, wrong, lines, daysAgo, dollars, draft, against, ...input }: NoteInput): Plan {
  const wantedSide = kind === 'debit_note' ? 'vendor' : input.side
  const parents = books.documents.filter((one) => one.kind === (wantedSide === 'customer' ? 'invoice' : 'bill'))
  const parent = against && choose(parents, ({ isPosted }) => isPosted, against)
  const other = contactOf(books, input.contact)
  const contact = wrong === 'another contact' ? other : parent?.terms.contact ?? contactOf(books, input.contact, (one) => isParty(one, wantedSide))
  const priced = pricedOf(books, lines)
  // Without a document the contact decides: a vendor's who is nothing else, else a customer's.
  const side: Side = kind === 'debit_note' ? 'vendor' : parent ? wantedSide : contact.type === 'VENDOR' ? 'vendor' : 'customer'
  const terms: NoteTerms = {
    contact, date: books.daysFromNow(-daysAgo), reference: input.reference,
    inState: parent?.terms.inState ?? input.inState, currency: parent?.terms.currency ?? (dollars === null ? 'INR' : 'USD'),
    rate: parent?.terms.rate ?? rateOf(dollars),
  }
  const { path, party, id } = NOTES[kind]
  const twoParents = wrong === 'both parents' && kind === 'credit_note'
  return {
    method: 'POST',
    path,
    body: {
      [party]: wrong === 'nobody' ? NOBODY : contact.id, date: terms.date, line_items: wrong === 'no lines' ? [] : linesOf(books, lines),
      reference_number: input.reference, is_draft: draft,
      ...(parent ? { [KINDS[parent.kind].id]: parent.id } : { place_of_supply: input.inState ? 'IN-KA' : 'IN-MH' }),
      ...(parent || dollars === null ? {} : { currency_code: 'USD', exchange_rate: dollars }),
      ...(twoParents ? { invoice_id: parent?.id ?? NOBODY, bill_id: parent?.id ?? NOBODY } : {}),
    },
    refusals: refusalsOf([
      [wrong === 'no lines', BAD_SHAPE],
      // No invoice has the id of a bill: of two parents with one id at least one is missing.
      [wrong === 'nobody' || twoParents || contact.gone || (parent?.gone ?? false) || priced.some(isOfDeleted), MISSING],
      [!isParty(contact, side), BAD_VALUE],
      [parent !== null && parent.terms.contact !== contact, BAD_VALUE],
      [parent !== null && !parent.isPosted, BAD_STATE],
    ]),
    move({ [kind]: answered }) {
      const note = books.add(new Note(kind, side, answered[id], terms, priced, parent))
      if (!draft) note.issue(books)
    },
  }
}

export interface NotePick extends Pick {
  kind: NoteKind
}

const ofKind = (books: Books, kind: NoteKind) => books.all(Note).filter((one) => one.kind === kind)

export function issue(books: Books, { kind, ...pick }: NotePick): Plan | null {
  const note = choose(ofKind(books, kind), ({ status }) => status === 'DRAFT', pick)
  if (!note) return null
  return {
    method: 'POST',
    path: `${note.path}/issue`,
    refusals: refusalsOf([[note.status !== 'DRAFT', BAD_STATE]]),
    move() {
      note.issue(books)
      books.touched.add(note)
    },
    about: [note],
  }
}

export function cancelNote(books: Books, { kind, daysAgo, ...pick }: NotePick & { daysAgo: number | null }): Plan | null {
  const note = choose(ofKind(books, kind), ({ status, applied }) => status !== 'CANCELLED' && applied === 0n, pick)
  if (!note) return null
  const date = daysAgo === null ? books.today : books.daysFromNow(-daysAgo)
  return {
    method: 'POST',
    path: `${note.path}/void`,
    body: daysAgo === null ? {} : { date },
    refusals: refusalsOf([[note.status === 'CANCELLED', '409 conflict.already_cancelled'], [note.applied > 0n, '409 conflict.credit_applied']]),
    move() {
      books.ledger.undoAll(NOTES[kind].source, note.id, date)
      note.status = 'CANCELLED'
      note.actions.push('VOIDED')
      if (kind === 'credit_note') note.events.push('CREDIT_NOTE_VOIDED')
      books.touched.add(note)
    },
    about: [note],
  }
}

export interface RenoteInput extends NotePick {
  reference: string | null
  daysAgo: number | null
  lines: LineInput[] | null
}

export function changeNote(books: Books, { kind, reference, daysAgo, lines, ...pick }: RenoteInput): Plan | null {
  const note = choose(ofKind(books, kind), ({ status, applied }) => status === 'DRAFT' || (status === 'ISSUED' && applied === 0n), pick)
  if (!note) return null
  const date = daysAgo === null ? note.terms.date : books.daysFromNow(-daysAgo)
  const priced = lines && pricedOf(books, lines)
  return {
    method: 'PUT',
    path: note.path,
    body: { reference_number: reference, ...(daysAgo === null ? {} : { date }), ...(lines ? { line_items: linesOf(books, lines) } : {}) },
    refusals: refusalsOf([
      [note.applied > 0n || (note.status !== 'DRAFT' && note.status !== 'ISSUED'), BAD_STATE],
      [note.status === 'ISSUED' && lines !== null, BAD_VALUE],
      [note.status === 'DRAFT' && (priced?.some(isOfDeleted) ?? false), MISSING],
    ]),
    move() {
      const isMoved = note.status === 'ISSUED' && date !== note.terms.date
      const isChanged = reference !== note.terms.reference || date !== note.terms.date || (priced !== null && saidOf(priced) !== saidOf(note.lines))
      if (isChanged) note.actions.push('UPDATED')
      note.terms = { ...note.terms, reference, date }
      if (priced) note.lines = priced
      if (isMoved) {
        books.ledger.undoAll(NOTES[kind].source, note.id, null)
        note.post(books)
      }
      books.touched.add(note)
    },
    about: [note],
  }
}

const saidOf = (lines: Priced[]) => lines.map(({ item, ...line }) => [item?.id, ...Object.values(line)].join()).join(' ')

export interface ApplyNoteInput extends Pick {
  target: Pick & { part: Part }
  ofCredit: boolean
  /** The call of the other side. */
  otherSide: boolean
}

export function applyNote(books: Books, { target: { part, ...aim }, ofCredit, otherSide, ...pick }: ApplyNoteInput): Plan | null {
  const note = choose(ofKind(books, 'credit_note'), ({ status, left, terms, targetKind }) => status === 'ISSUED' && left > 0n
    && books.documents.some((one) => one.kind === targetKind && isOpenTo(terms)(one)), pick)
  if (!note) return null
  const kind = (note.targetKind === 'invoice') === otherSide ? 'bill' as const : 'invoice' as const
  const { contact, currency } = note.terms
  const document = choose(books.documents.filter((one) => one.kind === kind), isOpenTo(note.terms), aim)
  if (!document) return null
  const limit = note.left < document.balance ? note.left : document.balance
  const amount = partOf(ofCredit ? note.left : limit, part)
  return {
    method: 'POST',
    path: `${note.path}/apply-to-${kind}`,
    body: { [KINDS[kind].id]: document.id, amount: amountOf(amount) },
    refusals: refusalsOf([
      [document.gone, MISSING],
      [note.status === 'DRAFT' || note.status === 'CANCELLED' || document.status === 'DRAFT' || document.status === 'CANCELLED', BAD_STATE],
      [otherSide || document.terms.contact !== contact || document.terms.currency !== currency || amount > limit, BAD_VALUE],
    ]),
    limit: otherSide || document.terms.contact !== contact || document.terms.currency !== currency ? undefined : amountOf(limit),
    move(answered: Json) {
      note.apply(books, document, amount)
      const { credit_note, [kind]: input } = answered
      expect(credit_note).toEqual({
        credit_note_id: note.id, applied_amount: amountOf(note.applied), balance_amount: amountOf(note.left), status: note.status,
      })
      expect(input).toEqual({
        [KINDS[kind].id]: document.id, balance: amountOf(document.balance), status: document.status,
        paid_amount: amountOf(document.paid + document.credited),
        ...(kind === 'bill' ? { vendor_credits_applied: amountOf(document.credited) } : {}),
      })
    },
    about: [note, document],
  }
}
