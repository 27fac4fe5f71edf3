// The entries that commands add to open books besides rows: journals, activity entries, events.
import type { ActivityEntityType } from '../../domain/activity.ts'
import type { AnnouncedEvent, EventEntityType, TestEvent } from '../../domain/events.ts'
import type { ActivityRow } from '../../models/activity.ts'
import type { Announcement } from '../../models/unit-of-work.ts'
import type { PostingLine } from '../../domain/posting/posting.ts'
import type { JournalSource } from '../../models/journal.ts'
import type { Caller } from './caller.ts'

export interface JournalEntry {
  date: string
  source: JournalSource
  sourceId: string | null
  memo: string | null
  contactId: string | null
  /** The branch of the document; null where it has none, and for manual entries. */
  branchId: string | null
  reversalOf?: string
  /** Cost centers. */
  tags?: string[]
  lines: PostingLine[]
}

export interface ActivityEntry {
  action: string
  entityType: ActivityEntityType
  entityId: string
  entityRef: string | null
  changes?: Record<string, { old: unknown; new: unknown }> | null
  metadata?: Record<string, unknown>
  /** The user who does it, where the caller is not known as one yet. */
  actorUserId?: string
}

/** `to`: the one endpoint that gets the event, whatever it subscribes to, and the id of that delivery. */
export type EventEntry = (AnnouncedEvent | TestEvent) & {
  entityType: EventEntityType
  entityId: string
  to?: { endpointId: string; deliveryId: string }
}

/** The row of an entry of the activity log. */
export function activityOf(entry: ActivityEntry, id: string, caller: Caller, now: Date): Omit<ActivityRow, 'org_id'> {
  return {
    id,
    action: entry.action,
    entity_type: entry.entityType,
    entity_id: entry.entityId,
    entity_ref: entry.entityRef,
    actor_user_id: entry.actorUserId ?? caller.userId,
    changes: entry.changes ?? null,
    metadata: { ...caller.origin, ...entry.metadata },
    occurred_at: now,
  }
}

/** The event with the body that is delivered, in which a placeholder stands for the delivery's id where the event names none. */
export function announcementOf({ to, ...event }: EventEntry, id: string, orgId: string, now: Date): Announcement {
  const placeholder = to?.deliveryId ?? `<delivery:${id}>`
  const body = {
    event_type: event.type,
    delivery_id: placeholder,
    occurred_at: now.toISOString(),
    org_id: orgId,
    data: event.data,
  }
  return {
    id,
    event_type: event.type,
    entity_type: event.entityType,
    entity_id: event.entityId,
    data: event.data,
    occurred_at: now,
    payload: JSON.stringify(body),
    placeholder,
    ...(to && { endpoint_id: to.endpointId, delivery_id: to.deliveryId }),
  }
}
