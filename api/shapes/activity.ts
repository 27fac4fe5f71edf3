// An entry of the activity log as JSON.
import { Type, type Static } from 'typebox'
import type { ActivityRow } from '../../models/activity.ts'
import { Id, nullable, Timestamp } from './fields.ts'

export const ActivityEvent = Type.Object({
  event_id: Id,
  action: Type.String({ description: '{ENTITY}_{VERB}.' }),
  entity_type: Type.String(),
  entity_id: Id,
  entity_ref: nullable(Type.String({ description: 'The number or name of the record.' })),
  actor_user_id: nullable(Id),
  changes: nullable(Type.Object({}, { additionalProperties: true, description: '{field: {old, new}}.' })),
  metadata: Type.Object(
    {},
    { additionalProperties: true, description: 'ip, user_agent, request_id, source, and fields of the action.' },
  ),
  occurred_at: Timestamp,
})

export function showActivity(entry: ActivityRow): Static<typeof ActivityEvent> {
  return {
    event_id: entry.id,
    action: entry.action,
    entity_type: entry.entity_type,
    entity_id: entry.entity_id,
    entity_ref: entry.entity_ref,
    actor_user_id: entry.actor_user_id,
    changes: entry.changes,
    metadata: entry.metadata,
    occurred_at: entry.occurred_at.toISOString(),
  }
}

export const ActivityContext = Type.Object({
  limit: Type.Integer(),
  returned: Type.Integer(),
  has_more_page: Type.Boolean(),
})
