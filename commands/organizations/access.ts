// Takes access away: revokes tokens and partner keys; and repeats changes of access after a restore.
import type { AccessChange } from '../../domain/restoration.ts'
import { endOAuth } from '../../models/after-restore.ts'
import { findRow } from '../../models/find.ts'
import { lockOrganization, organizations } from '../../models/organization.ts'
import { revokePartnerKey } from '../../models/partner-key.ts'
import { tokens, type TokenRow } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import type { Caller } from '../books/caller.ts'
import { openBooks, type WriteContext } from '../books/open-books.ts'
import { repeatMember } from '../people/repeat-member.ts'

/** Revokes a token at `time`, unless it was revoked before. Null where the organisation has none of this id. */
export async function revokeToken(
  books: Books,
  { orgId, id }: { orgId: string; id: string },
  time: Date,
): Promise<TokenRow | null> {
  const organization = await lockOrganization(books.connection, orgId)
  if (!organization) return null
  books.enter(orgId)
  const token = await findRow(books, tokens, id, 'FOR UPDATE')
  if (!token || (token.revoked_time !== null && token.revoked_time <= time)) return token
  books.record({
    action: 'TOKEN_REVOKED',
    entityType: 'ORGANIZATION',
    entityId: orgId,
    entityRef: organization.name,
    metadata: { token_id: id },
  })
  return books.update<TokenRow>(tokens, token, { revoked_time: time })
}

/** Makes a change again that a restore has undone. False where the books do not have the token, key, organisation or member. */
export async function repeatAccessChange(
  context: WriteContext,
  operator: Caller,
  change: AccessChange,
): Promise<boolean> {
  const time = new Date(change.time)
  switch (change.change) {
    case 'TOKEN_REVOKED':
      return openBooks(context, operator, async (books) => {
        const revoked = await revokeToken(books, { orgId: change.org_id, id: change.id }, time)
        return revoked !== null
      })
    case 'PARTNER_KEY_REVOKED':
      return (await revokePartnerKey(context.database, change.id, time)) !== null
    case 'OAUTH_CLIENT_REVOKED':
    case 'OAUTH_CONSENT_WITHDRAWN':
      return endOAuth(context.database, change)
    case 'ORGANIZATION_STATUS':
      return openBooks(context, operator, (books) => repeatStatus(books, change))
    case 'MEMBER':
      return openBooks(context, operator, (books) => repeatMember(books, change))
  }
}

async function repeatStatus(
  books: Books,
  { org_id: orgId, status }: Extract<AccessChange, { change: 'ORGANIZATION_STATUS' }>,
): Promise<boolean> {
  const organization = await lockOrganization(books.connection, orgId)
  if (!organization) return false
  if (organization.status === status) return true
  books.enter(orgId)
  books.record({
    action: status === 'SUSPENDED' ? 'ORGANIZATION_SUSPENDED' : 'ORGANIZATION_REACTIVATED',
    entityType: 'ORGANIZATION',
    entityId: orgId,
    entityRef: organization.name,
    changes: { status: { old: organization.status, new: status } },
  })
  books.update(organizations, organization, { status, last_modified_time: books.now })
  return true
}
