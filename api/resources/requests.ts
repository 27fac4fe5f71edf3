// The route of the request log: the calls of an organisation in the last days, without their bodies.
import { Type, type TProperties } from 'typebox'
import { hasId } from '../../models/condition.ts'
import { pageOf } from '../../models/page.ts'
import { requests, type RequestRow } from '../../models/request.ts'
import { equals, sameId, schemasOf, whereOf, type Filter } from '../http/listing.ts'
import { PageContext, pageQuery, pagingOf } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Id, nullable, Timestamp } from '../shapes/fields.ts'

const PATH = '/requests'

const FILTERS: Record<string, Filter> = {
  request_id: {
    schema: Type.String({ description: 'The `X-Request-Id` of an answer.' }),
    where: (value) => hasId('id', String(value)),
  },
  route: equals(Type.String({ maxLength: 200, description: 'As declared, such as `/invoices/{invoice_id}`.' })),
  status: equals(Type.Integer({ minimum: 100, maximum: 599 })),
  token_id: sameId(),
}

const LoggedRequest = Type.Object({
  request_id: Id,
  time: Timestamp,
  method: Type.String(),
  route: Type.String(),
  status: Type.Integer(),
  duration_ms: Type.Number(),
  token_id: nullable(Id),
})

const query = pageQuery(schemasOf(FILTERS) as TProperties)

const show = ({ id, time, method, route, status, duration_ms, token_id }: RequestRow) => ({
  request_id: id,
  time: time.toISOString(),
  method,
  route,
  status,
  duration_ms,
  token_id,
})

export const requestLogRoute = route({
  tag: 'Requests',
  by: 'session',
  method: 'GET',
  path: PATH,
  does: "List the organisation's calls of the last days",
  scope: 'requests.READ',
  query,
  answer: Type.Object({ requests: Type.Array(LoggedRequest), page_context: PageContext }),
  async read(context, { query: sent }) {
    const paging = pagingOf(context, PATH, query, sent)
    const where = whereOf(FILTERS, sent, context)
    const { rows, ...page } = await pageOf(context, requests, { ...paging.request, by: 'time', where })
    return { requests: rows.map(show), page_context: paging.contextOf(page) }
  },
})
