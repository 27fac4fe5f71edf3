// What is done with contacts in the model: adding, changing, archiving, and deleting those that nothing names.
import { choose, BAD_SHAPE, IN_USE, MISSING, refusalsOf, type Books, type Pick, type Plan } from './books.ts'
import { Contact, type ContactType } from './contact.ts'
import { Estimate } from './estimates.ts'
import { Expense } from './expenses.ts'
import { Note } from './note.ts'
import { Order } from './order.ts'
import { Payment } from './payment.ts'

export interface ContactInput {
  type: ContactType
  name: string
  paymentTerms: number
  wrong: 'no name' | null
}

export function addContact(books: Books, { type, name, paymentTerms, wrong }: ContactInput): Plan {
  return {
    method: 'POST',
    path: '/contacts',
    body: { ...(wrong ? {} : { contact_name: name }), contact_type: type, place_of_contact: 'IN-KA', payment_terms: paymentTerms },
    refusals: refusalsOf([[wrong !== null, BAD_SHAPE]]),
    move({ contact }) {
      books.add(new Contact({ id: contact.contact_id, type, name, paymentTerms }))
    },
  }
}

const stands = ({ gone }: Contact) => !gone

export interface ContactChange extends Pick {
  name: string | null
  paymentTerms: number | null
  status: 'ACTIVE' | 'INACTIVE' | null
}

export function changeContact(books: Books, { name, paymentTerms, status, ...pick }: ContactChange): Plan | null {
  const contact = choose(books.contacts, stands, pick)
  if (!contact) return null
  const after = { name: name ?? contact.name, paymentTerms: paymentTerms ?? contact.paymentTerms, status: status ?? contact.status }
  return {
    method: 'PUT',
    path: contact.path,
    body: {
      ...(name === null ? {} : { contact_name: name }), ...(paymentTerms === null ? {} : { payment_terms: paymentTerms }),
      ...(status === null ? {} : { status }),
    },
    refusals: refusalsOf([[contact.gone, MISSING]]),
    move() {
      const { name: called, paymentTerms: days, status: stood } = contact
      if (called !== after.name || days !== after.paymentTerms || stood !== after.status) contact.actions.push('UPDATED')
      Object.assign(contact, after)
    },
    about: [contact],
  }
}

export function archiveContact(books: Books, pick: Pick): Plan | null {
  const contact = choose(books.contacts, stands, pick)
  if (!contact) return null
  return {
    method: 'POST',
    path: `${contact.path}/archive`,
    refusals: refusalsOf([[contact.gone, MISSING]]),
    move() {
      if (contact.status === 'ACTIVE') contact.actions.push('STATUS_CHANGED')
      contact.status = 'INACTIVE'
    },
    about: [contact],
  }
}

export function deleteContact(books: Books, pick: Pick): Plan | null {
  const contact = choose(books.contacts, stands, pick)
  if (!contact) return null
  const uses = usesOf(books, contact)
  return {
    method: 'DELETE',
    path: contact.path,
    refusals: refusalsOf([[contact.gone, MISSING], [Object.values(uses).some((count) => count > 0), IN_USE]]),
    uses,
    move() {
      contact.gone = true
      contact.actions.push('DELETED')
    },
    about: [contact],
  }
}

/** How many of each kind name the contact. What is deleted names nobody, but for its entries in the ledger. */
function usesOf(books: Books, contact: Contact): Record<string, number> {
  const remaining = books.things.filter(({ gone }) => !gone)
  const count = (isNaming: (thing: unknown) => boolean) => remaining.filter(isNaming).length
  const documents = (kind: string) => books.documents.filter((one) => one.kind === kind && !one.gone && one.terms.contact === contact).length
  const orders = (kind: string) => count((one) => one instanceof Order && one.kind === kind && one.terms.contact === contact)
  const notes = (kind: string) => count((one) => one instanceof Note && one.kind === kind && one.terms.contact === contact)
  const { entries } = books.ledger
  return {
    invoices: documents('invoice'), bills: documents('bill'), credit_notes: notes('credit_note'), debit_notes: notes('debit_note'),
    sales_orders: orders('sales_order'), purchase_orders: orders('purchase_order'),
    estimates: count((one) => one instanceof Estimate && one.terms.contact === contact),
    payments: count((one) => one instanceof Payment && one.terms.contact === contact),
    expenses: count((one) => one instanceof Expense && one.terms.vendor === contact),
    journals: entries.filter((entry) => entry.contact === contact.id).length,
    journal_lines: entries.flatMap(({ lines }) => lines).filter((line) => line.contact === contact.id).length,
  }
}
