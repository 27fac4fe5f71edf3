// The routes of bulk creation: many invoices or bills in one call, and how far a bulk has come.
import { Type, type TSchema } from 'typebox'
import type { Books } from '../../commands/books/books.ts'
import { requestBulk, type RowSent } from '../../commands/bulk/bulks.ts'
import { BULK_KINDS, bulkText, MAX_ROWS, type BulkKind } from '../../domain/bulk.ts'
import { fault } from '../../domain/faults.ts'
import { allows } from '../../domain/scopes.ts'
import { bulks, countRows, findResults, type BulkRow, type ItemResult } from '../../models/bulk.ts'
import { billParts, bills } from '../../models/bill.ts'
import { existingRow, findRows } from '../../models/find.ts'
import { invoiceParts, invoices } from '../../models/invoice.ts'
import { BULK_LIMIT } from '../http/body.ts'
import { foreignCursor, listQuery, PageContext, PER_PAGE } from '../http/page.ts'
import { FIRST_ROWS, portionsOf } from '../http/render-in-portions.ts'
import { validationFailed } from '../http/problems.ts'
import {
  Accepted,
  InPortions,
  route,
  type Answer,
  type RequestContext,
  type Route,
  type WorkflowAnswer,
  type WorkflowRequest,
} from '../http/route.ts'
import { checkedRows } from '../http/validate-rows.ts'
import { ownerOf } from '../http/concurrency-shares.ts'
import { todayAt } from '../http/today.ts'
import { Bill, NewBill, showBill } from '../shapes/bill.ts'
import { Bulk, BulkSummary, rowResult, showBulk, showResult } from '../shapes/bulk.ts'
import { Id } from '../shapes/fields.ts'
import { Invoice, NewInvoice, showInvoice } from '../shapes/invoice.ts'
import { lineProblems } from '../shapes/line-item.ts'

const tag = 'Bulk creation'

interface Documents {
  key: 'invoice' | 'bill'
  shape: TSchema
  /** Shows the documents with these ids as they are now, by their ids. */
  show(context: RequestContext, ids: string[]): Promise<Map<string, unknown>>
}

const DOCUMENTS: Record<BulkKind, Documents> = {
  INVOICE: {
    key: 'invoice',
    shape: Invoice,
    async show(context, ids) {
      const found = await invoiceParts.addTo(context, await findRows(context, invoices, ids))
      return new Map(found.map((invoice) => [invoice.id, showInvoice(invoice, todayAt(context))]))
    },
  },
  BILL: {
    key: 'bill',
    shape: Bill,
    async show(context, ids) {
      const found = await billParts.addTo(context, await findRows(context, bills, ids))
      return new Map(found.map((bill) => [bill.id, showBill(bill, todayAt(context))]))
    },
  },
}

const query = Type.Object({
  async: Type.Optional(
    Type.Boolean({ description: `true: 202 at once, and up to ${MAX_ROWS.async} rows.`, default: false }),
  ),
})

const ResultsQuery = listQuery({
  cursor: Type.Optional(
    Type.String({ description: '`page_context.next_cursor` of the previous page.', maxLength: 200 }),
  ),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: PER_PAGE.maximum, default: PER_PAGE.default })),
  ok: Type.Optional(Type.Boolean({ description: 'true: only rows that succeeded; false: only rows that failed.' })),
})

/** The declarations that the calls of both kinds share. */
const creationOf = (kind: BulkKind) => {
  const { key, shape } = DOCUMENTS[kind]
  return {
    method: 'POST' as const,
    path: `/bulk/${BULK_KINDS[kind].rows}`,
    tag,
    query,
    bodyLimit: BULK_LIMIT,
    answer: Type.Object({ bulk_id: Id, summary: BulkSummary, results: Type.Array(rowResult({ [key]: shape })) }),
    accepted: Type.Object({ bulk_id: Id, bulk: Bulk }),
  }
}

const rowsOf = (shape: TSchema) => Type.Array(shape, { minItems: 1, maxItems: MAX_ROWS.async })
const envelopeOf = (key: string) => Type.Object({ [key]: rowsOf(Type.Unknown()) })

export const bulkRoutes: Route[] = [
  route({
    ...creationOf('INVOICE'),
    does: 'Create many invoices, each as by POST /invoices',
    scope: 'invoices.CREATE',
    body: Type.Object({ invoices: rowsOf(NewInvoice) }),
    envelope: envelopeOf('invoices'),
    prepare: ({ body }) => checkedRows(body.invoices, NewInvoice, lineProblems),
    startWorkflow: (books, { query }, request, prepared) =>
      creating(books, request, 'INVOICE', prepared() as RowSent[], query.async === true),
  }),
  route({
    ...creationOf('BILL'),
    does: 'Create many bills, each as by POST /bills',
    scope: 'bills.CREATE',
    body: Type.Object({ bills: rowsOf(NewBill) }),
    envelope: envelopeOf('bills'),
    prepare: ({ body }) => checkedRows(body.bills, NewBill, lineProblems),
    startWorkflow: (books, { query }, request, prepared) =>
      creating(books, request, 'BILL', prepared() as RowSent[], query.async === true),
  }),
  route({
    method: 'GET',
    path: '/bulk/{bulk_id}',
    tag,
    does: 'Read how far a bulk has come, and the results of its rows',
    // Of a bulk of invoices invoices.READ or CREATE, of one of bills bills.READ or CREATE: the handler asks.
    scope: null,
    query: ResultsQuery,
    answer: Type.Object({
      bulk: Bulk,
      summary: BulkSummary,
      results: Type.Array(rowResult({ invoice: Invoice, bill: Bill })),
      page_context: PageContext,
    }),
    list: async (context, { params, query }) => resultsOf(context, await readableBulk(context, params.bulk_id!), query),
  }),
]

/** Stores the rows. The answer starts the workflow that creates them, and waits for its end unless it is not wanted. */
async function creating(books: Books, request: WorkflowRequest, kind: BulkKind, rows: RowSent[], isAsync: boolean) {
  const bulk = await requestBulk(books, request, kind, () => {
    if (!isAsync) refuseTooMany(kind, rows)
    return rows
  })
  return answerOf(bulk, isAsync)
}

// Apart from the storing, so that a call which waits does not hold its rows in memory.
function answerOf(bulk: BulkRow, isAsync: boolean): WorkflowAnswer {
  return async (context) => {
    const { org_id: orgId, id: bulkId, entity_type: kind, total } = bulk
    const input = { orgId, bulkId, kind, total }
    if (isAsync || total > MAX_ROWS.waiting) {
      // The bulk is stored: where Temporal cannot be reached now, the worker starts it later.
      if (bulk.status === 'RUNNING') await context.gateways.engine.startBulk(input).catch(() => undefined)
      return new Accepted(await acceptedOf(context, bulk))
    }
    if (bulk.status === 'RUNNING') await context.gateways.engine.runBulk(input)
    return finishedOf(context, bulk)
  }
}

function refuseTooMany(kind: BulkKind, rows: unknown[]): void {
  if (rows.length <= MAX_ROWS.waiting) return
  const message = `must not have more than ${MAX_ROWS.waiting} items; with ?async=true ${MAX_ROWS.async}`
  throw validationFailed([{ field: BULK_KINDS[kind].rows, code: 'too_many', message }])
}

async function acceptedOf(context: RequestContext, bulk: BulkRow): Promise<Answer> {
  const shown = showBulk(bulk, await countRows(context, bulk))
  return {
    message: `The bulk of ${BULK_KINDS[bulk.entity_type].rows} is accepted, ${bulk.total} in all.`,
    bulk_id: bulk.id,
    bulk: shown,
  }
}

async function finishedOf(context: RequestContext, bulk: BulkRow): Promise<InPortions> {
  const [summary, results] = await Promise.all([
    countRows(context, bulk),
    findResults(context, bulk.id, { after: -1, atMost: bulk.total, status: null }),
  ])
  const answer = { message: bulkText(bulk.entity_type, summary), bulk_id: bulk.id, summary, results: [] }
  const texts = portionsOf(results, FIRST_ROWS, (portion) => shownResults(context, bulk, portion))
  return new InPortions(answer, 'results', texts)
}

async function shownResults(context: RequestContext, bulk: BulkRow, results: ItemResult[]): Promise<unknown[]> {
  const { key, show } = DOCUMENTS[bulk.entity_type]
  const documents = await show(
    context,
    results.flatMap(({ document_id }) => document_id ?? []),
  )
  return results.map((result) => showResult(key, result, documents))
}

/**
 * Throws auth.insufficient_scope for a token that may neither read nor create such documents, before it looks for the bulk
 * where it may do so with none of any kind; and not_found.resource.
 */
async function readableBulk(context: RequestContext, id: string): Promise<BulkRow> {
  const { scopes } = context.caller
  const mayRead = (kind: BulkKind) =>
    (['READ', 'CREATE'] as const).some((operation) => allows(scopes, `${BULK_KINDS[kind].rows}.${operation}`))
  const refused = (kind: BulkKind) =>
    fault('auth.insufficient_scope', { details: { required: `Svc.${BULK_KINDS[kind].rows}.READ` } })
  if (!mayRead('INVOICE') && !mayRead('BILL')) throw refused('INVOICE')
  const bulk = await existingRow(context, bulks, id, 'bulk')
  if (!mayRead(bulk.entity_type)) throw refused(bulk.entity_type)
  return bulk
}

interface ResultsPage {
  cursor?: string
  per_page?: number
  ok?: boolean
}

/** A page of the rows that are decided, in their order; a cursor is of one bulk and one filter. */
async function resultsOf(context: RequestContext, bulk: BulkRow, query: ResultsPage) {
  const { cursor, per_page: perPage = PER_PAGE.default, ok } = query
  const { cursors } = context.gateways
  const scope = { list: `/bulk/${bulk.id}`, owner: ownerOf(context.caller), ascending: true, filters: { ok } }
  const after = cursor === undefined ? null : cursors.readPosition(scope, cursor)
  if (cursor !== undefined && !after) throw foreignCursor()
  const status = ok === undefined ? null : ok ? ('SUCCEEDED' as const) : ('FAILED' as const)
  const counts = await countRows(context, bulk)
  const place = { after: Number(after?.position ?? -1n), atMost: perPage + 1, status }
  const found = await findResults(context, bulk.id, place)
  const rows = found.slice(0, perPage)
  const hasMore = found.length > perPage
  const nextCursor = hasMore ? cursors.signPosition(scope, { position: BigInt(rows.at(-1)!.index), id: bulk.id }) : null
  return {
    key: 'results',
    rows,
    show: (portion: ItemResult[]) => shownResults(context, bulk, portion),
    answer: {
      bulk: showBulk(bulk, counts),
      summary: counts,
      results: [],
      page_context: { per_page: perPage, has_more_page: hasMore, next_cursor: nextCursor },
    },
  }
}
