// The calls of a run as fast-check generates them: mostly such as an accountant would make, some that must be refused.
import fc from 'fast-check'
import type { Books, Part, Pick, Plan } from './books.ts'
import { CarryBack, type Altered } from './carry-back.ts'
import { addContact, archiveContact, changeContact, deleteContact } from './contacts.ts'
import type { LineInput } from './document.ts'
import { approve, cancel, discard, drawUp, drawUpAgain, edit } from './documents.ts'
import { accept, convertEstimate, offer, reoffer, withdraw } from './estimates.ts'
import { respend, spend, unspend } from './expenses.ts'
import { addItem, archiveItem, changeItem, deleteItem } from './items.ts'
import { unwriteJournal, writeJournal } from './journals.ts'
import { applyNote, cancelNote, changeNote, credit, issue } from './notes.ts'
import { billAgain, convertOrder, discardOrder, moveOrder, order, reorder, type OrderPart } from './orders.ts'
import { apply, change, deletePayment, pay } from './payments.ts'
import { Repeat, Step, type Session } from './step.ts'
import { Sweep } from './sweep.ts'

type AnyStep = fc.Arbitrary<fc.AsyncCommand<Books, Session>>

/** Null but for one draw in so many. */
const oneIn = <T>(many: number, drawn: fc.Arbitrary<T>): fc.Arbitrary<T | null> => (
  fc.oneof({ weight: many - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: drawn })
)
const wrongly = <T extends string>(...wrong: T[]) => oneIn(8, fc.constantFrom(...wrong))

// The input of the calls. Half of all documents are in dollars.
const aFew = fc.nat({ max: 11 })
const daysAgo = fc.constantFrom(0, 0, 1, 6, 9)
const kind = fc.constantFrom('invoice' as const, 'bill' as const)
/** Rupees for a dollar; the last for the paise that rounding leaves. */
const rates = [80, 84, 83.3333, 84.2517, 0.0333]
const dollars = oneIn(2, fc.constantFrom(...rates))
const reference = fc.constantFrom(null, 'R-1', 'R-2', 'R-3', 'R-4', 'R-5')
const part = fc.constantFrom<Part>('all', 'all', 'half', 'third', 'coin', 'one more')
const of = { n: aFew, any: oneIn(4, fc.constant(true)).map(Boolean) }
const pick: fc.Arbitrary<Pick> = fc.record(of)
const target = fc.record({ ...of, part })
const contact = fc.record({ n: aFew, gone: oneIn(20, fc.constant(true)).map(Boolean) })

const line: fc.Arbitrary<LineInput> = fc.record({
  quantity: fc.integer({ min: 1, max: 3 }), rate: fc.constantFrom(100, 100, 250, 999, 0), discount: fc.constantFrom(0, 0, 50), taxed: fc.boolean(),
  item: oneIn(2, fc.record({ n: aFew, any: oneIn(9, fc.constant(true)).map(Boolean) })),
}).map((drawn) => ({ ...drawn, discount: Math.min(drawn.discount, drawn.rate) }))
const lines = fc.array(line, { minLength: 1, maxLength: 2 })

function stepOf<Input>(name: string, input: fc.Arbitrary<Input>, done: (books: Books, input: Input) => Plan | null): AnyStep {
  return input.map((each) => new Step(name, each, done))
}

const drawn = (approved: boolean) => fc.record({
  kind, contact, dollars, lines, daysAgo, dueIn: oneIn(2, fc.constantFrom(0, 2, 30)), roundOff: oneIn(3, fc.constantFrom(0, 49, -25)),
  reference, approve: fc.constant(approved), inState: fc.boolean(),
  wrong: wrongly('other party', 'nobody', 'no lines', 'a rate for rupees', 'due before its date'),
}).map((input) => ({ ...input, dollars: input.wrong === 'a rate for rupees' ? null : input.dollars }))

const paid = fc.record({
  flow: fc.constantFrom('INCOMING' as const, 'OUTGOING' as const), type: fc.constantFrom('REGULAR' as const, 'REGULAR' as const, 'ADVANCE' as const, 'REFUND' as const),
  contact, targets: fc.array(target, { maxLength: 2 }), spare: fc.constantFrom(0, 0, 1, 5_000, 12_345, -1), tds: fc.constantFrom(0, 0, 1_000),
  charges: fc.constantFrom(0, 0, 250), rate: fc.constantFrom(...rates), daysAgo, reference, cash: fc.boolean(),
  wrong: wrongly('another contact', 'another currency', 'the other side', 'no rate', 'nobody', 'no bank', 'more withheld than paid'),
}).map((input) => (input.type === 'REFUND' && input.wrong === null ? { ...input, targets: [] } : input))

const changed = fc.record({
  ...of, daysAgo: oneIn(3, daysAgo), amount: oneIn(4, fc.constantFrom<Part>('half', 'one more')), rate: oneIn(3, fc.constantFrom(...rates, 1)),
  charges: oneIn(3, fc.constantFrom(0, 250)), description: oneIn(4, fc.constantFrom('By cheque', 'Second part')), contact: oneIn(6, contact),
  currency: oneIn(8, fc.constantFrom('INR' as const, 'USD' as const)),
  account: oneIn(5, fc.constantFrom('Cash in Hand' as const, 'Bank Account' as const, 'Rent' as const)),
  turn: oneIn(8, fc.constant(true)).map(Boolean),
})

const spent = fc.record({
  amount: fc.constantFrom(50_000, 11_800, 12_345, 1, 99_999), tax: fc.constantFrom('none' as const, 'on top' as const, 'inside' as const),
  reverseCharge: fc.boolean(), rcmRate: oneIn(2, fc.constantFrom(5, 12)),
  blocked: fc.boolean(), account: fc.constantFrom('Rent' as const, 'Travelling and Conveyance' as const, 'Computers' as const), cash: fc.boolean(), daysAgo,
  vendor: oneIn(2, contact), wrong: wrongly('a customer', 'income', 'paid through rent', 'nothing', 'no rate'),
}).map((input) => (input.tax === 'none' && input.rcmRate === null && input.wrong !== 'no rate' ? { ...input, reverseCharge: false } : input))

const written = fc.record({
  pair: aFew, amount: fc.constantFrom(100, 2_500, 9_999), off: fc.constantFrom(0 as const, 0 as const, 1 as const, -1 as const, 2 as const, -2 as const),
  contact: fc.option(contact, { freq: 2 }), parties: fc.tuple(oneIn(3, contact), oneIn(3, contact)), daysAgo, wrong: wrongly('no account'),
})

const often = <T>(all: T[], times = 2): T[] => Array.from({ length: times }, () => all).flat()

const orderKind = fc.constantFrom('sales_order' as const, 'purchase_order' as const)
// Three pieces, so that a piece takes a third of the discount.
const orderLines = lines.map((each) => each.map((one, place) => (one.rate === 0 ? one : { ...one, quantity: 3 - place, discount: one.discount + 20 })))
const ordered = {
  contact, dollars, lines: orderLines, daysAgo: oneIn(2, daysAgo), reference, inState: fc.boolean(), wrong: wrongly('other party', 'nobody', 'no lines'),
}
const orderPart = fc.constantFrom<OrderPart>('all', 'a piece', 'a piece', 'half', 'none', 'one more')
const parts = fc.oneof(fc.constant(null), ...often([fc.array(orderPart, { minLength: 1, maxLength: 2 })]))
const input = fc.constantFrom('SENT' as const, 'SENT' as const, 'DECLINED' as const, 'CANCELLED' as const, 'ACCEPTED' as const, 'CONVERTED' as const, null)

const CARRYING_BACK = often([
  fc.record({ n: fc.nat({ max: 60 }), altered: fc.constantFrom<Altered>(null, null, 'created_time', 'total') }).map(({ n, altered }) => new CarryBack(n, altered)),
], 3)

const DRAWING_UP = [
  stepOf('draw up', drawn(false), drawUp),
  ...often([stepOf('draw up and approve', drawn(true), drawUp)], 3),
  stepOf('draw up again', fc.record({ ...of, reference: fc.constantFrom('same' as const, 'same' as const, 'other' as const, 'none' as const) }), drawUpAgain),
]

const UNDOING = [
  stepOf('discard', fc.record({ ...of, kind }), discard),
  stepOf('cancel', fc.record({ ...of, kind, daysAgo: oneIn(3, daysAgo) }), cancel),
]

const DOCUMENTS = [
  stepOf('approve', fc.record({ ...of, kind }), approve),
  ...often([stepOf('edit', fc.record({ ...of, kind, reference, dueIn: fc.constantFrom(0, 3, 3, 10, -1), wrong: wrongly('its lines') }), edit)]),
  ...UNDOING,
  ...often([fc.constant(null).map(() => new Sweep())]),
  fc.nat({ max: 60 }).map((n) => new Repeat(n)),
]

const PAYMENTS = [
  ...often([stepOf('pay', paid, pay)], 4),
  ...often([stepOf('apply', fc.record({ ...of, target, ofMoney: fc.boolean() }), apply)]),
  stepOf('change a payment', changed, change),
  ...often([stepOf('delete a payment', pick, deletePayment)]),
]

const noteKind = fc.constantFrom('credit_note' as const, 'credit_note' as const, 'debit_note' as const)
const credited = fc.record({
  kind: noteKind, against: oneIn(2, pick), side: fc.constantFrom('customer' as const, 'vendor' as const), contact, dollars, lines, daysAgo, reference,
  inState: fc.boolean(), draft: oneIn(4, fc.constant(true)).map(Boolean), wrong: wrongly('another contact', 'nobody', 'no lines', 'both parents'),
})

const NOTES = [
  ...often([stepOf('credit', credited, credit)], 3),
  stepOf('issue', fc.record({ ...of, kind: noteKind }), issue),
  stepOf('cancel a note', fc.record({ ...of, kind: noteKind, daysAgo: oneIn(3, daysAgo) }), cancelNote),
  stepOf('change a note', fc.record({ ...of, kind: noteKind, reference, daysAgo: oneIn(2, daysAgo), lines: oneIn(3, lines) }), changeNote),
  ...often([stepOf('apply a note', fc.record({ ...of, target, ofCredit: fc.boolean(), otherSide: oneIn(9, fc.constant(true)).map(Boolean) }), applyNote)], 4),
]

const ENTRIES = [
  stepOf('spend', spent, spend),
  stepOf('change an expense', fc.record({ ...of, amount: oneIn(2, fc.constantFrom(50_000, 70_001)), daysAgo: oneIn(2, daysAgo), blocked: fc.boolean(), vendor: oneIn(3, contact) }), respend),
  stepOf('delete an expense', pick, unspend),
  stepOf('write a journal', written, writeJournal),
  stepOf('delete a journal', pick, unwriteJournal),
]

const ORDERS = [
  stepOf('offer', fc.record({ ...ordered, expiresIn: oneIn(2, fc.constantFrom(0, 7, -1)) }), offer),
  stepOf('change an estimate', fc.record({ ...of, status: input, reference, wrong: wrongly('its lines') }), reoffer),
  stepOf('accept', pick, accept),
  stepOf('withdraw', pick, withdraw),
  stepOf('convert an estimate', fc.record({ ...of, through: fc.boolean(), approve: fc.boolean() }), convertEstimate),
  ...often([stepOf('order', fc.record({ ...ordered, kind: orderKind }), order)], 3),
  stepOf('move an order', fc.record({ ...of, kind: orderKind, move: fc.constantFrom('open' as const, 'open' as const, 'close' as const, 'cancel' as const) }), moveOrder),
  stepOf('delete an order', pick, discardOrder),
  stepOf('change an order', fc.record({ ...of, kind: orderKind, reference, lines: oneIn(2, orderLines) }), reorder),
  ...often([stepOf('convert an order', fc.record({ ...of, kind: orderKind, parts, approve: fc.boolean(), wrong: wrongly('no line') }), convertOrder)], 5),
  ...often([stepOf('bill an equal part', fc.record({ ...of, approve: oneIn(4, fc.constant(false)).map((draft) => draft !== false) }), billAgain)], 2),
]

const contactName = fc.constantFrom('Madurai Looms', 'Erode Dyers', 'Salem Weavers')
const itemName = fc.constantFrom('Zari border', 'Cotton yarn', 'Indigo')
// Never less than the discount of a line.
const itemRate = fc.constantFrom(100, 250, 999)
const status = oneIn(3, fc.constantFrom('ACTIVE' as const, 'INACTIVE' as const))
const paymentTerms = fc.constantFrom(0, 0, 15)

const MASTERS = [
  stepOf('add a contact', fc.record({
    type: fc.constantFrom('CUSTOMER' as const, 'VENDOR' as const, 'BOTH' as const), name: contactName, paymentTerms, wrong: wrongly('no name'),
  }), addContact),
  stepOf('change a contact', fc.record({ ...of, name: oneIn(2, contactName), paymentTerms: oneIn(2, paymentTerms), status }), changeContact),
  stepOf('archive a contact', pick, archiveContact),
  ...often([stepOf('delete a contact', pick, deleteContact)]),
  stepOf('add an item', fc.record({ name: itemName, rate: itemRate, wrong: wrongly('no name') }), addItem),
  stepOf('change an item', fc.record({ ...of, name: oneIn(2, itemName), rate: oneIn(2, itemRate), status }), changeItem),
  stepOf('archive an item', pick, archiveItem),
  ...often([stepOf('delete an item', pick, deleteItem)]),
]

// What names a contact or an item in every way, and what takes the name away again.
const NAMING = [
  stepOf('draw up', drawn(false), drawUp), stepOf('draw up and approve', drawn(true), drawUp), ...often(UNDOING),
  stepOf('pay', paid, pay), stepOf('change a payment', changed, change), stepOf('delete a payment', pick, deletePayment),
  stepOf('credit', credited, credit), stepOf('change a note', fc.record({ ...of, kind: noteKind, reference, daysAgo: oneIn(2, daysAgo), lines: oneIn(2, lines) }), changeNote),
  ...ORDERS, ...ENTRIES,
]

/** Every kind of call by the subject of a run; those that others build on are listed more than once. */
export const STEPS: Record<'money' | 'credits' | 'orders' | 'names', AnyStep[]> = {
  money: [...DRAWING_UP, ...DOCUMENTS, ...PAYMENTS, ...ENTRIES, ...CARRYING_BACK],
  credits: [...DRAWING_UP, ...DOCUMENTS, ...NOTES, ...PAYMENTS, ...CARRYING_BACK],
  names: [...often(MASTERS), ...NAMING, ...CARRYING_BACK],
  // Most documents come of orders there.
  orders: [...CARRYING_BACK, ...DOCUMENTS, ...often(UNDOING), ...ORDERS, stepOf('draw up', drawn(true), drawUp), stepOf('pay', paid, pay), stepOf('delete a payment', pick, deletePayment)],
}
