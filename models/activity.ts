// The activity log: who did what to which record, only ever added to.
import { table } from './table.ts'

export interface ActivityRow {
  org_id: string
  id: string
  action: string
  entity_type: string
  entity_id: string
  entity_ref: string | null
  actor_user_id: string | null
  changes: Record<string, { old: unknown; new: unknown }> | null
  metadata: Record<string, unknown>
  occurred_at: Date
}

export const activity = table<ActivityRow>('activity', {
  org_id: 'uuid', id: 'uuid', action: 'text', entity_type: 'text', entity_id: 'uuid', entity_ref: 'text',
  actor_user_id: 'uuid', changes: 'json', metadata: 'json', occurred_at: 'time',
})
