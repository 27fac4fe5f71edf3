// The change feed: the events of an organisation in the order in which they were committed, without gaps.
//
// A transaction takes the positions of its events in the statement that writes them, from a row that it keeps locked until it
// has committed (migration 0022). The next one gets its positions after that. So a snapshot that has an event has every
// event of a lower position, and no reader has to wait for older transactions, here or elsewhere in the server.
import { isId } from '../domain/ids.ts'
import type { Statement } from './connection.ts'
import type { Scope } from './find.ts'
import { columnsOf } from './model.ts'
import { webhookEvents, type WebhookEventRow } from './webhook.ts'

/** How far a reader has read: the position and the id of an event. */
export interface FeedPlace {
  position: bigint
  id: string
}

export interface FeedFilters {
  event_type?: string
  entity_type?: string
  entity_id?: string
}

export interface FeedRequest {
  filters: FeedFilters
  /** Null for the oldest event that is kept. */
  after: FeedPlace | null
  /** 0 to read nothing but the place behind the newest event. */
  perPage: number
}

export interface FeedPage {
  rows: WebhookEventRow[]
  hasMore: boolean
  /**
   * Where to go on: behind the last row or, where there are no more, behind the newest event of the organisation, whatever
   * the filters, so that a reader of rare events keeps up with what is removed.
   */
  end: FeedPlace
}

/**
 * Why events after a place cannot be handed out: some of them have been removed, or the books do not have the event at the
 * place, because they were restored from a backup that is older than it.
 */
export type FeedGap = 'REMOVED' | 'RESTORED'

/** The place before the first event. */
const BEGINNING: FeedPlace = { position: 0n, id: '00000000-0000-0000-0000-000000000000' }

/** Reads one page of the feed and what it depends on in one statement, so that all of it is of one moment. */
export async function feedPage(scope: Scope, request: FeedRequest): Promise<FeedPage | FeedGap> {
  const { filters, after, perPage } = request
  const place = after ?? BEGINNING
  const names = FILTERS.filter((name) => filters[name] !== undefined)
  // Text that is not an id is that of no event.
  const values = names.map((name) => (name === 'entity_id' && !isId(filters[name]!) ? BEGINNING.id : filters[name]))
  const limit = perPage === 0 ? 0 : perPage + 1
  const read = await scope.connection.run<Read>(statementOf(names), [
    scope.orgId,
    String(place.position),
    place.id,
    limit,
    ...values,
  ])
  const extent = read[0]!
  const gap = after && gapAfter(after, extent)
  if (gap) return gap
  const found = extent.id === null ? [] : (read as (Extent & WebhookEventRow)[])
  const rows = found.slice(0, perPage)
  const hasMore = found.length > rows.length
  return { rows, hasMore, end: hasMore ? rows.at(-1)! : newestOf(extent) }
}

const FILTERS = ['event_type', 'entity_type', 'entity_id'] as const

/** A row of the statement: the extent of the feed, alike in all rows, and an event; without an event its columns are null. */
type Read = Extent & { [Name in keyof WebhookEventRow]: WebhookEventRow[Name] | null }

interface Extent {
  oldest: bigint | null
  newest: bigint | null
  newest_id: string | null
  /** The last event that was removed, where it has the position of the one that the reader has read last. */
  removed_id: string | null
  /** Whether the event that the reader has read last is the one of its position. */
  has_read: boolean
}

const statements = new Map<string, Statement>()

// The filters differ from call to call, but there are only eight combinations.
function statementOf(names: readonly (keyof FeedFilters)[]): Statement {
  const name = ['event feed', ...names].join(' ')
  let statement = statements.get(name)
  if (!statement) {
    const filters = names.map((column, place) => ` AND ${column} = $${place + 5}`).join('')
    statements.set(name, (statement = { name, text: FEED(filters), takesNoLock: true }))
  }
  return statement
}

const FEED = (filters: string) => `
  SELECT extent.*, ${columnsOf(webhookEvents, 'event')} FROM (
    SELECT (SELECT position FROM webhook_events WHERE org_id = $1 ORDER BY position LIMIT 1) AS oldest,
      newest.position AS newest, newest.id AS newest_id,
      EXISTS (SELECT FROM webhook_events WHERE org_id = $1 AND position = $2 AND id = $3) AS has_read,
      (SELECT id FROM removed_events WHERE org_id = $1 AND position = $2) AS removed_id
    FROM (VALUES (1)) AS one(row)
      LEFT JOIN LATERAL (SELECT position, id FROM webhook_events WHERE org_id = $1 ORDER BY position DESC LIMIT 1) AS newest ON true
  ) AS extent
  LEFT JOIN LATERAL (
    SELECT ${columnsOf(webhookEvents, 'e')} FROM webhook_events AS e WHERE org_id = $1 AND position > $2${filters} ORDER BY position LIMIT $4
  ) AS event ON true
  ORDER BY event.position`

function gapAfter({ position, id }: FeedPlace, extent: Extent): FeedGap | null {
  const [first, last] = [extent.oldest ?? 1n, extent.newest ?? 0n]
  if (position > last) return 'RESTORED'
  if (position < first - 1n) return 'REMOVED'
  // The last event that was removed is known by its id, and of the beginning there is nothing to compare.
  const hasRead = position >= first ? extent.has_read : (extent.removed_id ?? id) === id
  return hasRead ? null : 'RESTORED'
}

function newestOf({ newest, newest_id: id }: Extent): FeedPlace {
  return newest === null || id === null ? BEGINNING : { position: newest, id }
}
