// Which changes of rows change who may do what: they are kept outside of the database, because a restore would undo them.
import type { AccessChange } from '../../domain/restoration.ts'

/** The changes that these new values of a row are. */
export function accessChangesOf(table: string, row: object, changes: object, now: Date): AccessChange[] {
  const [before, after] = [row as Record<string, unknown>, changes as Record<string, unknown>]
  const time = now.toISOString()
  if (table === 'tokens' && after.revoked_time instanceof Date) {
    const revoked = after.revoked_time.toISOString()
    return [{ change: 'TOKEN_REVOKED', org_id: before.org_id as string, id: before.id as string, time: revoked }]
  }
  if (table !== 'organizations' || after.status === undefined || after.status === before.status) return []
  const status = after.status as 'ACTIVE' | 'SUSPENDED'
  return [{ change: 'ORGANIZATION_STATUS', org_id: before.id as string, status, time }]
}
