// Removes a member, or changes their role, once more: a backup that was restored has them as they were.
import type { AccessChange } from '../../domain/restoration.ts'
import { lockMembers, lockOrganization, users, type UserRow } from '../../models/organization.ts'
import { lockTokensOfUser, tokens } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { endConsentsOfMember } from '../oauth/consents.ts'

/**
 * False where the organisation does not have the member, who has joined again since, or where it would be without an owner, because
 * the one who became it since is lost.
 */
export async function repeatMember(
  books: Books,
  { org_id: orgId, id, role, time }: Extract<AccessChange, { change: 'MEMBER' }>,
): Promise<boolean> {
  if (!(await lockOrganization(books.connection, orgId))) return false
  books.enter(orgId)
  const locked = await lockMembers(books, id)
  const member = locked.find((user) => user.id === id)
  if (!member) return false
  const isRemoved = member.removed_time !== null
  if (isRemoved || member.role === role) return isRemoved ? role === null : true
  const isOtherOwner = (user: UserRow) => user.id !== id && user.role === 'OWNER' && user.person_id !== null
  if (member.role === 'OWNER' && !locked.some(isOtherOwner)) return false
  if (role === null || member.role === 'OWNER')
    for (const token of await lockTokensOfUser(books, id)) books.update(tokens, token, { revoked_time: new Date(time) })
  if (role === null) await endConsentsOfMember(books, id, new Date(time))
  books.update(users, member, role === null ? { person_id: null, removed_time: new Date(time) } : { role })
  books.record({
    action: role === null ? 'MEMBER_REMOVED' : 'MEMBER_ROLE_CHANGED',
    entityType: 'USER',
    entityId: id,
    entityRef: member.email,
    changes: { role: { old: member.role, new: role } },
  })
  return true
}
