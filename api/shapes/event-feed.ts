// An event of the change feed as JSON, and where the feed is read from.
import { Type, type Static } from 'typebox'
import type { WebhookEventRow } from '../../models/webhook.ts'
import { Id, Timestamp } from './fields.ts'

export const FeedEvent = Type.Object({
  event_id: Id,
  position: Type.Integer({
    description: 'Counts the events of the organisation from 1, in the order of their commits.',
  }),
  event_type: Type.String(),
  entity_type: Type.String(),
  entity_id: Id,
  occurred_at: Timestamp,
  org_id: Id,
  data: Type.Object(
    {},
    { additionalProperties: true, description: 'As in a webhook; its schema is in `GET /webhooks/event_types`.' },
  ),
})

export function showFeedEvent(event: WebhookEventRow): Static<typeof FeedEvent> {
  return {
    event_id: event.id,
    position: Number(event.position),
    event_type: event.event_type,
    entity_type: event.entity_type,
    entity_id: event.entity_id,
    occurred_at: event.occurred_at.toISOString(),
    org_id: event.org_id,
    data: event.data,
  }
}

export const FeedContext = Type.Object({
  per_page: Type.Integer(),
  has_more_page: Type.Boolean(),
  next_cursor: Type.String({ description: 'Where to go on, now or later: it is answered at the end of the feed too.' }),
})
