// Which changes of rows change who may do what: they are kept outside of the database, because a restore would undo them.
import type { AccessChange } from '../../domain/restoration.ts'
import type { Role } from '../../domain/roles.ts'

/** The changes that these new values of a row are. */
export function accessChangesOf(table: string, row: object, changes: object, now: Date): AccessChange[] {
  const [before, after] = [row as Record<string, unknown>, changes as Record<string, unknown>]
  const time = now.toISOString()
  if (table === 'tokens' && after.revoked_time instanceof Date) {
    const revoked = after.revoked_time.toISOString()
    return [{ change: 'TOKEN_REVOKED', org_id: before.org_id as string, id: before.id as string, time: revoked }]
  }
  if (table === 'oauth_clients' && after.revoked_time instanceof Date)
    return [{ change: 'OAUTH_CLIENT_REVOKED', id: before.id as string, time }]
  if (table === 'oauth_consents' && after.withdrawn_time instanceof Date)
    return [{ change: 'OAUTH_CONSENT_WITHDRAWN', id: before.id as string, time }]
  if (table === 'users') return memberChanges(before, after, time)
  if (table !== 'organizations' || after.status === undefined || after.status === before.status) return []
  const status = after.status as 'ACTIVE' | 'SUSPENDED'
  return [{ change: 'ORGANIZATION_STATUS', org_id: before.id as string, status, time }]
}

function memberChanges(before: Record<string, unknown>, after: Record<string, unknown>, time: string): AccessChange[] {
  const member = { change: 'MEMBER', org_id: before.org_id as string, id: before.id as string, time } as const
  if (after.removed_time instanceof Date) return [{ ...member, role: null }]
  const role = (after.role ?? before.role) as Role
  return role !== before.role || after.removed_time === null ? [{ ...member, role }] : []
}
