// Contacts: customers, vendors, and those that are both.
import { DOCUMENT_KINDS, DOCUMENTS, type DocumentKind, type FactsOf } from '../domain/documents.ts'
import type { Scope } from './find.ts'
import { DECIMAL, INTEGER, TEXT, UUID, VERSIONED, json, model, orNull, textOf, type RowOf } from './model.ts'
import { countingReferences } from './reference-count.ts'

export interface Address {
  address: string | null
  city: string | null
  state_code: string | null
  zip: string | null
  country: string | null
}

export interface ContactPerson {
  contact_person_id: string
  first_name: string | null
  email: string | null
  is_primary: boolean
}

export const contacts = model('contacts', {
  org_id: UUID,
  id: UUID,
  contact_type: TEXT,
  contact_name: TEXT,
  display_name: orNull(TEXT),
  legal_name: orNull(TEXT),
  company_name: orNull(TEXT),
  gst_no: orNull(TEXT),
  gst_treatment: orNull(TEXT),
  pan: orNull(TEXT),
  place_of_contact: orNull(TEXT),
  email: orNull(TEXT),
  phone: orNull(TEXT),
  website: orNull(TEXT),
  billing_address: orNull(json<Address>()),
  shipping_address: orNull(json<Address>()),
  contact_persons: json<ContactPerson[]>(),
  payment_terms: INTEGER,
  /** Decimal text, in units of the contact's currency. */
  opening_balance: DECIMAL,
  credit_limit: orNull(DECIMAL),
  currency_code: TEXT,
  status: textOf<'ACTIVE' | 'INACTIVE'>(),
  ...VERSIONED,
})
export type ContactRow = RowOf<typeof contacts>

/** The expression that GET /contacts?search searches; the index contacts_search is on the same expression. */
export const CONTACT_SEARCH = `(lower(contact_name) || E'\\n' || lower(coalesce(company_name, '')) || E'\\n' || lower(coalesce(email, '')))`

/** Every column that refers to a contact, by its table; a test compares it with the foreign keys. */
export const CONTACT_REFERENCES = {
  ...Object.fromEntries(DOCUMENT_KINDS.map((kind) => [DOCUMENTS[kind].table, DOCUMENTS[kind].party])),
  journal_lines: 'contact_id',
} as { [K in DocumentKind as FactsOf<K>['table']]: FactsOf<K>['party'] } & { journal_lines: 'contact_id' }

export type ContactUses = Record<keyof typeof CONTACT_REFERENCES, number>

/** How many documents, journals and journal lines refer to the contact. */
export async function countContactUses(scope: Scope, id: string): Promise<ContactUses> {
  const [uses] = await scope.connection.run<ContactUses>(USES, [scope.orgId, id])
  return uses!
}

const USES = countingReferences('contact uses', CONTACT_REFERENCES)
