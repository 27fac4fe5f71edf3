// Contacts: customers, vendors, and those who are both.
import { DOCUMENT_KINDS, DOCUMENTS, type DocumentKind, type FactsOf } from '../domain/documents.ts'
import type { Scope } from './find.ts'
import { table } from './table.ts'
import { countingUses } from './uses.ts'

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

export interface ContactRow {
  org_id: string
  id: string
  contact_type: string
  contact_name: string
  display_name: string | null
  legal_name: string | null
  company_name: string | null
  gst_no: string | null
  gst_treatment: string | null
  pan: string | null
  place_of_contact: string | null
  email: string | null
  phone: string | null
  website: string | null
  billing_address: Address | null
  shipping_address: Address | null
  contact_persons: ContactPerson[]
  payment_terms: number
  /** Decimal text, in units of the contact's currency. */
  opening_balance: string
  credit_limit: string | null
  currency_code: string
  status: 'ACTIVE' | 'INACTIVE'
  version: number
  created_time: Date
  last_modified_time: Date
}

export const contacts = table<ContactRow>('contacts', {
  org_id: 'uuid', id: 'uuid', contact_type: 'text', contact_name: 'text', display_name: 'text', legal_name: 'text',
  company_name: 'text', gst_no: 'text', gst_treatment: 'text', pan: 'text', place_of_contact: 'text', email: 'text',
  phone: 'text', website: 'text', billing_address: 'json', shipping_address: 'json', contact_persons: 'json',
  payment_terms: 'integer', opening_balance: 'decimal', credit_limit: 'decimal', currency_code: 'text', status: 'text',
  version: 'integer', created_time: 'time', last_modified_time: 'time',
})

/** What GET /contacts?search looks through; the index contacts_search is on this very expression. */
export const CONTACT_SEARCH = `(lower(contact_name) || E'\\n' || lower(coalesce(company_name, '')) || E'\\n' || lower(coalesce(email, '')))`

/** Every column that refers to a contact, by its table; the test of the schema holds it against the foreign keys. */
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

const USES = countingUses('contact uses', CONTACT_REFERENCES)
