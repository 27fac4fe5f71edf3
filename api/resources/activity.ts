// The routes of the activity log: the whole log, and the log of each document.
import { Type } from 'typebox'
import { ACTIVITY_ENTITY_TYPES } from '../../domain/activity.ts'
import { DOCUMENTS, kindsThatHave } from '../../domain/documents.ts'
import { activity } from '../../models/activity.ts'
import { allOf, equalTo, hasId, type Condition } from '../../models/condition.ts'
import { existingDocument } from '../../models/existing-document.ts'
import { pageOf } from '../../models/page.ts'
import { equals, sameId, schemasOf, since, until, whereOf } from '../http/listing.ts'
import { listQuery } from '../http/page.ts'
import { route, type Answer, type RequestContext, type Route } from '../http/route.ts'
import { ActivityContext, ActivityEvent, showActivity } from '../shapes/activity.ts'

const tag = 'Activity'
const scope = 'activity.READ'
const authCodes = { unknown: 'authn.token_invalid', scope: 'authz.scope_missing' } as const
const answer = Type.Object({ activity: Type.Array(ActivityEvent), page_context: ActivityContext })

const LIMIT = { default: 100, maximum: 500 }
const limit = Type.Optional(Type.Integer({ minimum: 1, ...LIMIT }))
const FILTERS = {
  entity_type: equals(Type.Enum([...ACTIVITY_ENTITY_TYPES])),
  entity_id: sameId(),
  actor_user_id: sameId(),
  since: since('occurred_at'),
  until: until('occurred_at'),
}

const log = route({
  method: 'GET',
  path: '/activity',
  tag,
  does: 'Read the activity log, the newest first',
  scope,
  authCodes,
  answer,
  query: listQuery({ ...schemasOf(FILTERS), limit }),
  async read(context, { query }) {
    return newest(context, whereOf(FILTERS, query, context), query.limit)
  },
})

/** The log of one document, for each kind of documents that has one; 404 if the document does not exist. */
const logsOfDocuments = kindsThatHave('hasLog').map((kind): Route => {
  const { noun, path, id } = DOCUMENTS[kind]
  return route({
    method: 'GET',
    path: `${path}/{${id}}/activity`,
    tag,
    does: `Read ${withArticle(noun)}'s activity`,
    scope,
    authCodes,
    answer,
    query: listQuery({ limit }),
    async read(context, { params, query }) {
      const document = await existingDocument(context, kind, params[id]!)
      return newest(context, allOf([equalTo('entity_type', kind), hasId('entity_id', document)]), query.limit)
    },
  })
})

export const activityRoutes = [log, ...logsOfDocuments]

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

async function newest(context: RequestContext, where: Condition, requested: number | undefined): Promise<Answer> {
  const most = requested ?? LIMIT.default
  const page = await pageOf(context, activity, { by: 'occurred_at', perPage: most, after: null, where })
  return {
    activity: page.rows.map(showActivity),
    page_context: { limit: most, returned: page.rows.length, has_more_page: page.hasMore },
  }
}
