// The persons of a contact as a body leaves them.
import { v7 as uuidv7 } from 'uuid'
import { placesAmong } from '../../domain/fixed-fields.ts'
import type { ContactPerson } from '../../models/contact.ts'

/** A person of a body: those of the contact are named by their id, and keep the fields that are left out. */
export type ContactPersonInput = { [Field in keyof ContactPerson]?: ContactPerson[Field] | null }

/**
 * The persons that a body leaves. Throws not_found.resource for an id that none of the contact's persons has, and
 * validation.invalid_value for one that is sent twice.
 */
export function personsOf(before: ContactPerson[], sent: ContactPersonInput[]): ContactPerson[] {
  const words = {
    list: 'contact_persons',
    id: 'contact_person_id',
    missing: 'The contact has no such person.',
    member: 'contact person',
  }
  const places = placesAmong(
    before.map((person) => person.contact_person_id),
    sent.map((person) => person.contact_person_id),
    words,
  )
  return sent.map((person, index) => {
    const place = places[index] ?? null
    const known = place === null ? undefined : before[place]
    return {
      contact_person_id: known?.contact_person_id ?? uuidv7(),
      first_name: person.first_name === undefined ? (known?.first_name ?? null) : person.first_name,
      email: person.email === undefined ? (known?.email ?? null) : person.email,
      is_primary: person.is_primary ?? known?.is_primary ?? false,
    }
  })
}
