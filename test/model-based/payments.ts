// What is done with payments in the model: recording, applying, changing, deleting.
import type { Json } from '../fixtures/client.ts'
import {
  amountOf, BAD_SHAPE, BAD_STATE, BAD_VALUE, choose, MISSING, NOBODY, partOf, rateOf, refusalsOf, type Books, type Part, type Pick, type Plan,
} from './books.ts'
import { contactOf, type ContactPick } from './contact.ts'
import { isOpenTo, type Document } from './document.ts'
import { isParty, Payment, targetOf, type Flow, type PaymentTerms, type PaymentType } from './payment.ts'

export interface Target extends Pick {
  part: Part
}

export interface PaymentInput {
  flow: Flow
  type: PaymentType
  contact: ContactPick
  targets: Target[]
  /** Paise above what is allocated; below 0, less than that. */
  spare: number
  tds: number
  charges: number
  rate: number
  daysAgo: number
  reference: string | null
  cash: boolean
  wrong: 'another contact' | 'another currency' | 'the other side' | 'no rate' | 'nobody' | 'no bank' | 'more withheld than paid' | null
}

const isPayable = ({ isOpen, balance, gone }: Document) => isOpen && balance > 0n && !gone

/** The documents wanted, and how much onto each: those of one contact and currency, unless a pick says any. */
function chosenBy(books: Books, { flow, targets }: PaymentInput): { document: Document; amount: bigint }[] {
  const kind = flow === 'INCOMING' ? 'invoice' : 'bill'
  const candidates = books.documents.filter((document) => document.kind === kind)
  const chosen: { document: Document; amount: bigint }[] = []
  for (const { part, ...pick } of targets) {
    const first = chosen[0]?.document.terms
    const isLike = ({ terms }: Document) => !first || (terms.contact === first.contact && terms.currency === first.currency)
    const document = choose(candidates, (one) => isPayable(one) && isLike(one), pick)
    if (document) chosen.push({ document, amount: partOf(document.balance, part) })
  }
  return chosen
}

/** Why money may not be put onto these documents, taken one after the other. */
function allocationRefusals(
  { contact, currency, left }: { contact: PaymentTerms['contact']; currency: string; left: bigint }, chosen: { document: Document; amount: bigint }[],
): [boolean, string][] {
  const taken = new Map<Document, bigint>()
  for (const { document, amount } of chosen) taken.set(document, (taken.get(document) ?? 0n) + amount)
  return [
    [chosen.some(({ document }) => document.gone), MISSING],
    [chosen.some(({ document: { terms } }) => terms.contact !== contact || terms.currency !== currency), BAD_VALUE],
    [chosen.some(({ document: { status } }) => status === 'DRAFT' || status === 'CANCELLED'), BAD_STATE],
    [[...taken].some(([document, amount]) => amount > document.balance), BAD_VALUE],
    [chosen.reduce((sum, { amount }) => sum + amount, 0n) > left, BAD_VALUE],
  ]
}

export function pay(books: Books, input: PaymentInput): Plan {
  const { flow, type, wrong, daysAgo } = input
  const chosen = chosenBy(books, input)
  const first = chosen[0]?.document.terms
  const contact = first && wrong !== 'another contact' ? first.contact : contactOf(books, input.contact, (one) => isParty(one, flow, type))
  const dollars = wrong === 'another currency' ? first?.currency !== 'USD' : (first?.currency ?? (input.contact.n % 3 === 0 ? 'USD' : 'INR')) === 'USD'
  const [currency, rate] = dollars ? ['USD', rateOf(input.rate)] as const : ['INR', rateOf(1)] as const
  const allocated = chosen.reduce((sum, { amount }) => sum + amount, 0n)
  const amount = allocated + BigInt(chosen.length === 0 ? Math.abs(input.spare) + 100 : input.spare)
  const tds = wrong === 'more withheld than paid' ? amount + 1n : smaller(BigInt(input.tds), amount)
  const charges = smaller(BigInt(input.charges), amount - tds)
  const otherSide = wrong === 'the other side' && chosen.length > 0
  const terms: PaymentTerms = {
    flow, contact, contactName: contact.name, date: books.daysFromNow(-daysAgo), amount, currency, rate, charges,
    account: input.cash ? 'Cash in Hand' : 'Bank Account', description: null, reference: input.reference,
  }
  const target = targetOf(otherSide ? (flow === 'INCOMING' ? 'OUTGOING' : 'INCOMING') : flow)
  return {
    method: 'POST',
    path: '/payments',
    body: {
      flow, payment_type: type, contact_id: wrong === 'nobody' ? NOBODY : contact.id, date: terms.date, amount: amountOf(amount),
      reference_number: input.reference, tds_amount: amountOf(tds), bank_charges: amountOf(charges), currency_code: currency,
      ...(dollars && wrong !== 'no rate' ? { exchange_rate: input.rate } : {}),
      bank_account_id: books.accounts[wrong === 'no bank' ? 'Rent' : terms.account],
      allocations: chosen.map((each) => ({ [target]: each.document.id, amount: amountOf(each.amount) })),
    },
    refusals: orMissingRate(dollars && wrong === 'no rate', refusalsOf([
      [amount <= 0n || tds < 0n || charges < 0n, BAD_SHAPE],
      // No invoice has the id of a bill: what is asked for on the other side is missing there.
      [wrong === 'nobody' || wrong === 'no bank' || otherSide || contact.gone, MISSING],
      [!isParty(contact, flow, type) || tds > amount || (type === 'REFUND' && chosen.length > 0), BAD_VALUE],
      ...allocationRefusals({ contact, currency, left: amount }, chosen),
    ])),
    move({ payment: answered, warnings }) {
      const alike = looksLikeAnother(books, terms)
      if (alike !== (warnings?.[0]?.code === 'validation.duplicate_resource')) {
        throw new Error(`a payment ${alike ? 'like' : 'unlike'} any other was answered with ${JSON.stringify(warnings)}`)
      }
      const payment = books.add(new Payment(answered.payment_id, type, tds, terms))
      const taken = new Map<Document, bigint>()
      for (const { document, amount: part } of chosen) {
        payment.allocate(document, part, null, taken.get(document))
        taken.set(document, (taken.get(document) ?? 0n) + part)
      }
      for (const [document, parts] of Map.groupBy(chosen, (each) => each.document)) {
        document.settle(books, parts.reduce((sum, part) => sum + part.amount, 0n), 'money')
      }
      payment.post(books)
    },
    about: chosen.map(({ document }) => document),
  }
}

const smaller = (one: bigint, other: bigint) => (one < other ? one : other > 0n ? other : 0n)

function looksLikeAnother(books: Books, { flow, contact, date, amount, currency, reference }: PaymentTerms): boolean {
  return books.all(Payment).some(({ gone, terms }) => !gone && terms.flow === flow && terms.contact === contact && terms.amount === amount
    && terms.currency === currency && Math.abs(Date.parse(terms.date) - Date.parse(date)) <= 7 * 86_400_000
    && (!reference || !terms.reference || terms.reference === reference))
}

export interface ApplyInput extends Pick {
  target: Target
  /** Of the payment's money rather than of the document's balance. */
  ofMoney: boolean
}

export function apply(books: Books, { target, ofMoney, ...pick }: ApplyInput): Plan | null {
  const targetsOf = ({ flow }: PaymentTerms) => books.documents.filter(({ kind }) => kind === (flow === 'INCOMING' ? 'invoice' : 'bill'))
  const payment = choose(books.all(Payment), ({ gone, left, terms }) => !gone && left > 0n && targetsOf(terms).some(isOpenTo(terms)), pick)
  if (!payment) return null
  const { contact, currency } = payment.terms
  const document = choose(targetsOf(payment.terms), isOpenTo(payment.terms), target)
  if (!document) return null
  const amount = partOf(ofMoney ? payment.left : smaller(payment.left, document.balance), target.part)
  return {
    method: 'POST',
    path: `${payment.path}/apply`,
    body: { [payment.target]: document.id, amount: amountOf(amount) },
    refusals: payment.gone ? [MISSING] : refusalsOf([
      [payment.type === 'REFUND', BAD_VALUE], ...allocationRefusals({ contact, currency, left: payment.left }, [{ document, amount }]),
    ]),
    move: () => payment.apply(books, document, amount),
    about: [payment, document],
  }
}

export interface ChangeInput extends Pick {
  daysAgo: number | null
  amount: Part | null
  rate: number | null
  charges: number | null
  description: string | null
  contact: ContactPick | null
  currency: 'INR' | 'USD' | null
  /** Rent is no account that money goes through. */
  account: 'Cash in Hand' | 'Bank Account' | 'Rent' | null
  turn: boolean
}

export function change(books: Books, input: ChangeInput): Plan | null {
  const payment = choose(books.all(Payment), ({ gone }) => !gone, input)
  if (!payment) return null
  const { terms, tds, type } = payment
  const contact = input.contact === null ? terms.contact : contactOf(books, input.contact)
  const flow: Flow = input.turn ? (terms.flow === 'INCOMING' ? 'OUTGOING' : 'INCOMING') : terms.flow
  // A new contact brings its own currency, and all of them trade in rupees.
  const currency = input.currency ?? (contact === terms.contact ? terms.currency : 'INR')
  const rate = input.rate === null ? (currency === terms.currency ? terms.rate : rateOf(1)) : rateOf(input.rate)
  const isRateMissing = input.rate === null && currency !== terms.currency && currency !== 'INR'
  const after: PaymentTerms = {
    ...terms, flow, contact, contactName: contact === terms.contact ? terms.contactName : contact.name, currency, rate, date: input.daysAgo === null ? terms.date : books.daysFromNow(-input.daysAgo),
    amount: input.amount === null ? terms.amount : partOf(terms.amount, input.amount),
    charges: input.charges === null ? terms.charges : BigInt(input.charges), description: input.description ?? terms.description,
    account: input.account ?? terms.account,
  }
  const moved = flow !== terms.flow || contact !== terms.contact
  const allocated = payment.allocations.length > 0
  return {
    method: 'PUT',
    path: payment.path,
    body: bodyOfChange(books, input, after),
    refusals: payment.gone || contact.gone || input.account === 'Rent' ? [MISSING] : refusalsOf([
      [isRateMissing, BAD_SHAPE],
      [currency === 'INR' && rate !== rateOf(1), BAD_VALUE],
      [allocated && (moved || currency !== terms.currency), BAD_VALUE],
      [allocated && after.amount !== terms.amount, '409 conflict.allocated'],
      [moved && !isParty(contact, flow, type), BAD_VALUE],
      [tds > after.amount, BAD_VALUE],
      [flow === 'INCOMING' && after.charges > after.amount - tds, BAD_VALUE],
    ]),
    move() {
      const posted = postedOf(terms) !== postedOf(after)
      if (posted) payment.actions.push('UPDATED')
      payment.terms = after
      if (after.rate !== terms.rate) payment.relieveAnew()
      if (posted) {
        books.ledger.undoAll('PAYMENT', payment.id, null)
        payment.post(books)
      }
      books.touched.add(payment)
    },
    about: [payment],
  }
}

function bodyOfChange({ accounts }: Books, input: ChangeInput, { flow, contact, date, amount, charges }: PaymentTerms): Json {
  return {
    ...(input.turn ? { flow } : {}),
    ...(input.contact === null ? {} : { contact_id: contact.id }),
    ...(input.daysAgo === null ? {} : { date }),
    ...(input.amount === null ? {} : { amount: amountOf(amount) }),
    ...(input.rate === null ? {} : { exchange_rate: input.rate }),
    ...(input.currency === null ? {} : { currency_code: input.currency }),
    ...(input.account === null ? {} : { bank_account_id: accounts[input.account] }),
    ...(input.charges === null ? {} : { bank_charges: amountOf(charges) }),
    ...(input.description === null ? {} : { description: input.description }),
  }
}

const postedOf = ({ flow, contact, contactName: _name, reference: _reference, ...figures }: PaymentTerms) => [flow, contact.id, ...Object.values(figures).map(String)].join()

export function deletePayment(books: Books, pick: Pick): Plan | null {
  const payment = choose(books.all(Payment), ({ gone }) => !gone, pick)
  if (!payment) return null
  return {
    method: 'DELETE',
    path: payment.path,
    refusals: refusalsOf([[payment.gone, MISSING]]),
    move: () => payment.delete(books),
    about: [payment, ...payment.allocations.map(({ document }) => document)],
  }
}

// Whether the organisation keeps a rate is known after the records are found: one of the rules, told with the code of a shape.
function orMissingRate(isMissing: boolean, refusals: string[]): string[] {
  return isMissing && refusals.join() !== MISSING ? [...new Set([...refusals, BAD_SHAPE])] : refusals
}
