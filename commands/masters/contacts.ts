// The commands on contacts: create, change, archive, delete.
import { contactRegistration } from '../../domain/contact-registration.ts'
import { Exact } from '../../domain/decimal.ts'
import { fault } from '../../domain/faults.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { toDecimalText, toMinor } from '../../domain/money.ts'
import { checkedCurrency, checkedPan, checkedState } from '../../domain/registration.ts'
import { contacts, countContactUses, type ContactPerson, type ContactRow } from '../../models/contact.ts'
import { existingRow, type Lock, type Scope } from '../../models/find.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { mergedAddress, type AddressFields } from './addresses.ts'
import { personsOf, type ContactPersonInput } from './contact-persons.ts'

/** The fields of a contact in a body. A field that is left out stays as it is, null clears it. */
export interface ContactFields {
  contact_name?: string
  contact_type?: string
  display_name?: string | null
  legal_name?: string | null
  company_name?: string | null
  gst_no?: string | null
  gst_treatment?: string | null
  pan?: string | null
  place_of_contact?: string | null
  email?: string | null
  phone?: string | null
  website?: string | null
  billing_address?: AddressFields | null
  shipping_address?: AddressFields | null
  contact_persons?: ContactPersonInput[] | null
  payment_terms?: number | null
  opening_balance?: number | null
  credit_limit?: number | null
  currency_code?: string | null
  status?: string
}

const CHANGEABLE = [
  'contact_name',
  'contact_type',
  'display_name',
  'legal_name',
  'company_name',
  'gst_no',
  'gst_treatment',
  'pan',
  'place_of_contact',
  'email',
  'phone',
  'website',
  'billing_address',
  'shipping_address',
  'contact_persons',
  'payment_terms',
  'opening_balance',
  'credit_limit',
  'currency_code',
  'status',
] as const satisfies (keyof ContactFields)[]

/** The contact of this id. Throws not_found.resource for one that the organisation does not have. */
export const contactOf = (scope: Scope, id: string, lock: Lock = ''): Promise<ContactRow> =>
  existingRow(scope, contacts, id, 'contact', lock)

/** Adds a contact. Throws validation.invalid_value for an invalid GSTIN, PAN, state or currency. */
export async function createContact(
  books: Books,
  fields: ContactFields & { contact_name: string },
): Promise<ContactRow> {
  const contact = books.create(contacts, {
    ...EMPTY,
    ...checked(EMPTY, fields),
  })
  books.record({
    action: 'CONTACT_CREATED',
    entityType: 'CONTACT',
    entityId: contact.id,
    entityRef: contact.contact_name,
  })
  return contact
}

/**
 * Merges changes into a contact: addresses merge by field, null clears, contact_persons replaces the whole list (persons
 * with an id are changed, those without are added). Throws not_found.resource for an unknown contact or person,
 * validation.invalid_value for a person who is sent twice, and as compareFields does.
 */
export async function changeContact(
  books: Books,
  id: string,
  fields: Sent<ContactFields>,
  answered: Answered<ContactRow>,
): Promise<ContactRow> {
  const contact = await contactOf(books, id, 'FOR UPDATE')
  const { changed, refusal } = compareFields(fields, answered(contact), { fields: CHANGEABLE })
  const columns = changed.size === 0 ? null : checked(contact, fields)
  throwRefusal(refusal)
  return columns ? change(books, contact, columns, 'CONTACT_UPDATED') : contact
}

/** Sets a contact to INACTIVE: pickers leave it out, documents keep it. Does nothing when it is INACTIVE already. */
export async function archiveContact(books: Books, id: string): Promise<ContactRow> {
  const contact = await contactOf(books, id, 'FOR UPDATE')
  return change(books, contact, { status: 'INACTIVE' }, 'CONTACT_STATUS_CHANGED')
}

/** Deletes a contact that nothing refers to. Throws conflict.in_use, with the number of references by kind in details. */
export async function deleteContact(books: Books, id: string): Promise<void> {
  const contact = await contactOf(books, id, 'FOR UPDATE')
  const uses = await countContactUses(books, contact.id)
  if (Object.values(uses).some((count) => count > 0)) {
    throw fault('conflict.in_use', { message: 'Documents refer to this contact; archive it instead.', details: uses })
  }
  books.delete(contacts, contact)
  books.record({
    action: 'CONTACT_DELETED',
    entityType: 'CONTACT',
    entityId: contact.id,
    entityRef: contact.contact_name,
  })
}

function change(books: Books, contact: ContactRow, changed: Partial<ContactRow>, action: string): ContactRow {
  const changes = changesBetween(contact, { ...contact, ...changed })
  if (changes === null) return contact
  books.record({ action, entityType: 'CONTACT', entityId: contact.id, entityRef: contact.contact_name, changes })
  return books.change(contacts, contact, changed)
}

const EMPTY = {
  contact_type: 'CUSTOMER',
  contact_name: '',
  display_name: null,
  legal_name: null,
  company_name: null,
  gst_no: null,
  gst_treatment: null,
  pan: null,
  place_of_contact: null,
  email: null,
  phone: null,
  website: null,
  billing_address: null,
  shipping_address: null,
  contact_persons: [] as ContactPerson[],
  payment_terms: 0,
  opening_balance: '0',
  credit_limit: null,
  currency_code: 'INR',
  status: 'ACTIVE' as const,
}

type Before = Omit<ContactRow, 'org_id' | 'id' | 'version' | 'created_time' | 'last_modified_time'>

// The columns that the fields set, checked and in canonical form.
function checked(before: Before, fields: ContactFields): Partial<ContactRow> {
  const set: Partial<ContactRow> = {}
  // Errors for records that do not exist come before errors for values (decisions §1).
  if (fields.contact_persons !== undefined)
    set.contact_persons = personsOf(before.contact_persons, fields.contact_persons ?? [])
  for (const name of TEXTS) if (fields[name] !== undefined) set[name] = blankAsNull(fields[name])
  if (fields.contact_name !== undefined) set.contact_name = fields.contact_name.trim()
  if (fields.contact_type !== undefined) set.contact_type = fields.contact_type
  if (fields.status !== undefined) set.status = fields.status as ContactRow['status']
  if (fields.gst_no !== undefined) Object.assign(set, contactRegistration(before, fields))
  if (fields.pan !== undefined) set.pan = checkedPan(fields.pan)
  if (fields.place_of_contact !== undefined) set.place_of_contact = stateOf(fields.place_of_contact)
  for (const name of ['billing_address', 'shipping_address'] as const) {
    const sent = fields[name]
    if (sent !== undefined) set[name] = sent === null ? null : mergedAddress(before[name], sent)
  }
  if (fields.payment_terms !== undefined) set.payment_terms = fields.payment_terms ?? 0
  if (fields.currency_code !== undefined) set.currency_code = checkedCurrency(fields.currency_code ?? 'INR')
  return { ...set, ...amountsOf(before, fields, set.currency_code ?? before.currency_code) }
}

const TEXTS = ['display_name', 'legal_name', 'company_name', 'gst_treatment', 'email', 'phone', 'website'] as const

// Rounded to the minor unit of the contact's currency, and again when the currency changes.
function amountsOf(before: Before, fields: ContactFields, currency: string): Partial<ContactRow> {
  const moved = currency !== before.currency_code
  const {
    opening_balance = moved ? before.opening_balance : undefined,
    credit_limit = moved ? before.credit_limit : undefined,
  } = fields
  return {
    ...(opening_balance === undefined ? {} : { opening_balance: keptAmount(opening_balance ?? 0, currency) }),
    ...(credit_limit === undefined
      ? {}
      : { credit_limit: credit_limit === null ? null : keptAmount(credit_limit, currency) }),
  }
}

// With the four decimals of the column, so that responses and comparisons use the stored value.
const keptAmount = (amount: number | string, currency: string) =>
  new Exact(toDecimalText(toMinor(amount, currency), currency)).toFixed(4)

const blankAsNull = (text: string | null) => (text === null || text.trim() === '' ? null : text.trim())

function stateOf(text: string | null): string | null {
  const place = blankAsNull(text)
  return place === null ? null : checkedState(place, 'place_of_contact')
}
