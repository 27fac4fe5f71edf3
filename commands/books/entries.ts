// The entries that commands add to open books besides rows: journals, activity entries, events.
import type { AnnouncedEvent, EventEntityType, TestEvent } from '../../domain/events.ts'
import type { PostingLine } from '../../domain/posting/posting.ts'
import type { JournalSource } from '../../models/journal.ts'

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
  entityType: string
  entityId: string
  entityRef: string | null
  changes?: Record<string, { old: unknown; new: unknown }> | null
  metadata?: Record<string, unknown>
}

/** `to`: the one endpoint that gets the event, whatever it subscribes to, and the id of that delivery. */
export type EventEntry = (AnnouncedEvent | TestEvent) & {
  entityType: EventEntityType
  entityId: string
  to?: { endpointId: string; deliveryId: string }
}
