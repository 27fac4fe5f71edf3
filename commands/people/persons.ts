// The person behind a user: the same one for the same address, in whichever organisation.
import { findPersonByEmail, people, type PersonRow } from '../../models/person.ts'
import type { Role } from '../../domain/roles.ts'
import { users, type UserRow } from '../../models/organization.ts'
import type { Books } from '../books/books.ts'

/** The address of an owner of whom none is known; nobody can sign in with it. */
export const NO_ADDRESS = 'owner@organization.invalid'

/** Adds a user to the organisation whose books are open, with the person of the address, who is new where it is. */
export async function addUser(
  books: Books,
  { email, name, role }: { email: string; name: string | null; role: Role },
  known: PersonRow | null = null,
): Promise<UserRow> {
  const person = email.toLowerCase() === NO_ADDRESS ? null : (known ?? (await personOf(books, email)))
  return books.insert(users, {
    id: books.newId(),
    person_id: person?.id ?? null,
    email: person?.email ?? email,
    name,
    role,
    created_time: books.now,
    removed_time: null,
  })
}

/** The person with this address. Two calls that add the same one at once are refused by people_email, and run again. */
export async function personOf(books: Books, email: string): Promise<PersonRow> {
  const known = await findPersonByEmail(books.connection, email)
  if (known) return known
  const row = { id: books.newId(), email, password: null, password_set_time: null, created_time: books.now }
  return books.insertAbove(people, row)
}
