// The route of the change feed: every event of the organisation, in the order in which they were committed.
import { Type } from 'typebox'
import { DELETION_EVENTS, EVENT_ENTITY_TYPES, EVENT_TYPES, TEST_EVENT } from '../../domain/events.ts'
import { fault, type Fault } from '../../domain/faults.ts'
import { feedPage, type FeedFilters, type FeedGap } from '../../models/event-feed.ts'
import { foreignCursor, listQuery, PER_PAGE } from '../http/page.ts'
import { route } from '../http/route.ts'
import { ownerOf } from '../http/concurrency-shares.ts'
import { FeedContext, FeedEvent, showFeedEvent } from '../shapes/event-feed.ts'

const path = '/webhooks/events'

export const eventFeedRoutes = [
  route({
    method: 'GET',
    path,
    tag: 'Webhooks',
    does: 'Read the change feed, the oldest first',
    scope: 'webhooks.READ',
    query: listQuery({
      event_type: Type.Optional(Type.Enum([...EVENT_TYPES, ...DELETION_EVENTS, TEST_EVENT])),
      entity_type: Type.Optional(Type.Enum([...EVENT_ENTITY_TYPES])),
      entity_id: Type.Optional(Type.String()),
      start: Type.Optional(
        Type.Enum(['oldest', 'latest'], {
          description: 'Where to begin without a cursor: at the oldest event (the default), or behind the newest one.',
        }),
      ),
      cursor: Type.Optional(
        Type.String({ description: '`page_context.next_cursor` of the previous page.', maxLength: 200 }),
      ),
      per_page: Type.Optional(Type.Integer({ minimum: 1, ...PER_PAGE })),
    }),
    answer: Type.Object({ events: Type.Array(FeedEvent), page_context: FeedContext }),
    async read(context, { query }) {
      const { cursor, start, per_page: perPage = PER_PAGE.default } = query
      const { cursors } = context.gateways
      const filters = filtersOf(query)
      const scope = { list: path, owner: ownerOf(context.caller), ascending: true, filters: { ...filters } }
      const after = cursor === undefined ? null : cursors.readPosition(scope, cursor)
      if (cursor !== undefined && !after) throw foreignCursor()
      const wanted = after === null && start === 'latest' ? 0 : perPage
      const page = await feedPage(context, { filters, after, perPage: wanted })
      if (typeof page === 'string') throw goneCursor(page)
      return {
        events: page.rows.map(showFeedEvent),
        page_context: {
          per_page: perPage,
          has_more_page: page.hasMore,
          next_cursor: cursors.signPosition(scope, page.end),
        },
      }
    },
  }),
]

function filtersOf({ event_type, entity_type, entity_id }: FeedFilters): FeedFilters {
  return {
    ...(event_type === undefined ? {} : { event_type }),
    ...(entity_type === undefined ? {} : { entity_type }),
    ...(entity_id === undefined ? {} : { entity_id }),
  }
}

function goneCursor(gap: FeedGap): Fault {
  const why = {
    REMOVED: 'Events after this cursor have been removed, because they were older than what is kept.',
    RESTORED: 'The books were restored from a backup that does not have the event of this cursor.',
  }[gap]
  return fault('gone.cursor', {
    field: 'cursor',
    message: `${why} Take a new cursor with start=latest, then read the lists anew, then go on from that cursor.`,
    details: { reason: gap },
  })
}
