// The activity log: who did what to which record, only ever added to.
import { TEXT, TIME, UUID, json, orNull, model, type RowOf } from './model.ts'

export const activity = model('activity', {
  org_id: UUID,
  id: UUID,
  action: TEXT,
  entity_type: TEXT,
  entity_id: UUID,
  entity_ref: orNull(TEXT),
  actor_user_id: orNull(UUID),
  changes: orNull(json<Record<string, { old: unknown; new: unknown }>>()),
  metadata: json<Record<string, unknown>>(),
  occurred_at: TIME,
})
export type ActivityRow = RowOf<typeof activity>
