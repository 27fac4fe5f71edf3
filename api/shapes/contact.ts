// A contact as JSON, in and out.
import { Type, type Static } from 'typebox'
import type { ContactRow } from '../../models/contact.ts'
import { Address, AnsweredAddress } from './address.ts'
import { Amount, Currency, Email, Id, Name, nullable, optional, Text, Timestamp } from './fields.ts'

export const CONTACT_TYPES = ['CUSTOMER', 'VENDOR', 'BOTH']
export const CONTACT_STATUSES = ['ACTIVE', 'INACTIVE']

const ContactPerson = Type.Object({
  contact_person_id: optional(
    Type.String({ maxLength: 100, description: 'The person to change; without it a person is added.' }),
  ),
  first_name: optional(Text(100)),
  email: optional(Email),
  is_primary: Type.Optional(Type.Boolean()),
})

const fields = {
  contact_type: Type.Optional(Type.Enum(CONTACT_TYPES, { default: 'CUSTOMER' })),
  display_name: optional(Text(200)),
  legal_name: optional(Text(200)),
  company_name: optional(Text(200)),
  gst_no: optional(Text(20)),
  gst_treatment: optional(Text(50)),
  pan: optional(Text(20)),
  place_of_contact: optional(
    Type.String({ maxLength: 100, description: 'IN-XX, or any form that place_of_supply accepts.' }),
  ),
  email: optional(Email),
  phone: optional(Text(50)),
  website: optional(Text(500)),
  billing_address: optional(Address),
  shipping_address: optional(Address),
  contact_persons: optional(Type.Array(ContactPerson, { maxItems: 100 })),
  payment_terms: optional(Type.Integer({ minimum: 0, maximum: 3650, description: 'Number of days.' })),
  opening_balance: optional(Type.Number({ minimum: -1e13, maximum: 1e13 })),
  credit_limit: optional(Type.Number({ minimum: 0, maximum: 1e13 })),
  currency_code: optional(Currency),
}

export const NewContact = Type.Object(
  { contact_name: Name(200), ...fields },
  {
    examples: [
      {
        contact_name: 'Meenakshi Traders',
        place_of_contact: 'Tamil Nadu',
        payment_terms: 30,
        email: 'accounts@meenakshi.example',
      },
    ],
  },
)
export type NewContact = Static<typeof NewContact>

export const ContactChanges = Type.Object(
  {
    contact_name: Type.Optional(Name(200)),
    ...fields,
    status: Type.Optional(Type.Enum(CONTACT_STATUSES)),
  },
  { examples: [{ payment_terms: 15, billing_address: { city: 'Madurai' } }] },
)
export type ContactChanges = Static<typeof ContactChanges>

export const Contact = Type.Object({
  contact_id: Id,
  contact_type: Type.Enum(CONTACT_TYPES),
  contact_name: Type.String(),
  display_name: nullable(Type.String()),
  legal_name: nullable(Type.String()),
  company_name: nullable(Type.String()),
  gst_no: nullable(Type.String()),
  gst_treatment: nullable(Type.String()),
  pan: nullable(Type.String()),
  place_of_contact: nullable(Type.String()),
  email: nullable(Type.String()),
  phone: nullable(Type.String()),
  website: nullable(Type.String()),
  billing_address: nullable(AnsweredAddress),
  shipping_address: nullable(AnsweredAddress),
  contact_persons: Type.Array(
    Type.Object({
      contact_person_id: Id,
      first_name: nullable(Type.String()),
      email: nullable(Type.String()),
      is_primary: Type.Boolean(),
    }),
  ),
  payment_terms: Type.Integer(),
  opening_balance: Amount,
  credit_limit: nullable(Amount),
  currency_code: Type.String(),
  status: Type.Enum(CONTACT_STATUSES),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showContact(row: ContactRow): Static<typeof Contact> {
  const {
    id,
    org_id: _org,
    version: _version,
    opening_balance,
    credit_limit,
    created_time,
    last_modified_time,
    ...plain
  } = row
  return {
    contact_id: id,
    ...plain,
    opening_balance: Number(opening_balance),
    credit_limit: credit_limit === null ? null : Number(credit_limit),
    created_time: created_time.toISOString(),
    last_modified_time: last_modified_time.toISOString(),
  }
}
