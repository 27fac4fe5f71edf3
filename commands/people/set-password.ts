// Sets the password of a person, and ends every session of theirs.
import { fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { findOrganization, findUserByEmail, users } from '../../models/organization.ts'
import { lockPerson, people } from '../../models/person.ts'
import { lockSessions, sessions } from '../../models/session.ts'
import type { Books } from '../books/books.ts'
import { checkPassword, hashOfPassword } from './passwords.ts'
import { NO_ADDRESS, personOf } from './persons.ts'

export interface PasswordInput {
  orgId: string
  email: string
  password: string
}

/**
 * Sets the password with which a user of the organisation signs in, to all organisations that the person belongs to.
 * Throws not_found.resource for an unknown organisation or user, and validation.invalid_value for a password that is refused.
 */
export async function setPassword(books: Books, { orgId, email, password }: PasswordInput): Promise<void> {
  const organization = isId(orgId) ? await findOrganization(books.connection, orgId) : null
  if (!organization) throw fault('not_found.resource', { message: `There is no organisation ${orgId}.` })
  books.enter(organization.id)
  const user = await findUserByEmail(books, email)
  if (!user || user.removed_time !== null || user.email.toLowerCase() === NO_ADDRESS)
    throw fault('not_found.resource', { message: `${organization.name} has no user ${email}.` })
  checkPassword(password, user.email)
  const hash = await hashOfPassword(password)
  const known = await personOf(books, user.email)
  const person = (await lockPerson(books.connection, known.id)) ?? known
  if (user.person_id === null) books.update(users, user, { person_id: person.id, email: person.email })
  books.update(people, person, { password: hash, password_set_time: books.now })
  for (const session of await lockSessions(books.connection, person.id)) books.delete(sessions, session)
  books.record({ action: 'PASSWORD_SET', entityType: 'USER', entityId: user.id, entityRef: user.email })
}
