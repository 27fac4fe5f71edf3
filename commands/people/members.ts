// The members of an organisation: joined, given another role, removed.
import { fault, invalidState, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import { invitations, lockInvitationsBy } from '../../models/invitation.ts'
import { findUserByEmail, lockMembers, users, type UserRow } from '../../models/organization.ts'
import type { PersonRow } from '../../models/person.ts'
import { CallerChanged, lockTokensOfUser, tokens } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { endConsentsOfMember } from '../oauth/consents.ts'
import { addUser, personOf } from './persons.ts'

/** Makes the person of this address a member, who may have been one before; one who is a member stays as they are. */
export async function joinMember(
  books: Books,
  { email, name, role }: { email: string; name: string | null; role: Role },
  joining: PersonRow | null = null,
): Promise<UserRow> {
  const known = await findUserByEmail(books, email)
  if (!known) return addUser(books, { email, name, role }, joining)
  if (known.removed_time === null) return known
  const person = joining ?? (await personOf(books, email))
  const again = { person_id: person.id, email: person.email, role, removed_time: null, name: name ?? known.name }
  return books.update(users, known, again)
}

/**
 * Gives a member another role. Throws not_found.resource, and conflict.invalid_state for the last owner. Links by which a former
 * owner has invited others work no more, and tokens of theirs neither: only owners have tokens, which may do more than other roles.
 */
export async function changeRole(books: Books, userId: string, role: Role): Promise<UserRow> {
  const { member, otherOwners } = await lockMember(books, userId)
  if (member.role === role) return member
  if (member.role === 'OWNER') {
    if (otherOwners === 0) throw lastOwner()
    await withdrawInvitationsBy(books, member)
    for (const token of await lockTokensOfUser(books, member.id))
      books.update(tokens, token, { revoked_time: books.now })
  }
  record(books, 'MEMBER_ROLE_CHANGED', member, { role: { old: member.role, new: role } })
  return books.update(users, member, { role })
}

/**
 * Removes a member: their sessions and the apps that they have let in lose the organisation, and tokens of theirs are revoked,
 * those that a partner has issued aside. Throws as changeRole does.
 */
export async function removeMember(books: Books, userId: string): Promise<void> {
  const { member, otherOwners } = await lockMember(books, userId)
  if (member.role === 'OWNER' && otherOwners === 0) throw lastOwner()
  await withdrawInvitationsBy(books, member)
  for (const token of await lockTokensOfUser(books, member.id)) books.update(tokens, token, { revoked_time: books.now })
  await endConsentsOfMember(books, member.id, books.now)
  books.update(users, member, { person_id: null, removed_time: books.now })
  record(books, 'MEMBER_REMOVED', member, { role: { old: member.role, new: null } })
}

/**
 * The member, with every owner locked in one order, so that of two owners who demote each other one is too late. Throws
 * CallerChanged where the caller is no owner any more.
 */
async function lockMember(books: Books, userId: string): Promise<{ member: UserRow; otherOwners: number }> {
  if (!isId(userId)) throw notFound('member')
  const id = userId.toLowerCase()
  const locked = await lockMembers(books, id)
  const isOwner = (user: UserRow) => user.role === 'OWNER' && user.person_id !== null
  if (!locked.some((user) => user.id === books.caller.userId && isOwner(user)))
    throw new CallerChanged('the role of the caller has changed since it was read')
  const member = locked.find((user) => user.id === id && user.removed_time === null)
  if (!member) throw notFound('member')
  return { member, otherOwners: locked.filter((user) => user.id !== id && isOwner(user)).length }
}

async function withdrawInvitationsBy(books: Books, { id }: UserRow): Promise<void> {
  for (const invitation of await lockInvitationsBy(books, id)) books.delete(invitations, invitation)
}

const lastOwner = () =>
  invalidState('This is the last owner of the organisation; make somebody else an owner first.', 'OWNER', [])

/** Throws validation.duplicate_resource for an address that a member has. */
export async function refuseMember(books: Books, email: string): Promise<void> {
  const known = await findUserByEmail(books, email)
  if (known && known.removed_time === null)
    throw fault('validation.duplicate_resource', { field: 'email', message: 'This person is a member already.' })
}

function record(
  books: Books,
  action: string,
  member: UserRow,
  changes: Record<string, { old: unknown; new: unknown }>,
) {
  books.record({ action, entityType: 'USER', entityId: member.id, entityRef: member.email, changes })
}
