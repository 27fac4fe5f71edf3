// The routes of the number series of invoices.
import { Type } from 'typebox'
import { branchOfSeries, createSeries, listSeries, nextNumber } from '../../commands/masters/series.ts'
import { dateInZone, parseDocumentDate } from '../../domain/dates.ts'
import { equalTo } from '../../models/condition.ts'
import { numberGaps } from '../../models/series.ts'
import { listing } from '../http/listing.ts'
import { route, type RequestContext } from '../http/route.ts'
import { DocumentDate, Id, one } from '../shapes/fields.ts'
import { CreatedSeries, Gap, NewSeries, Series, showCreatedSeries, showGap, showSeries } from '../shapes/series.ts'

const tag = 'Invoice numbers'
const SERIES_QUERY = {
  branchId: Type.Optional(Type.String({ description: "The default is the organisation's default branch." })),
  transactionDate: Type.Optional(DocumentDate),
}

const dateOf = ({ now, caller }: RequestContext, input: string | undefined) =>
  input === undefined ? dateInZone(now.toISOString(), caller.organization!.time_zone) : parseDocumentDate(input)!

export const invoiceSeriesRoutes = [
  route({
    method: 'GET',
    path: '/invoices/series',
    tag,
    does: "List a branch's series on a date",
    scope: 'invoices.READ',
    query: Type.Object(SERIES_QUERY),
    answer: Type.Object({ series: Type.Array(Series), branchId: Id }),
    async read(context, { query }) {
      const branch = await branchOfSeries(context, query.branchId, 'branchId')
      const series = await listSeries(context, branch, dateOf(context, query.transactionDate))
      return { series: series.map(showSeries), branchId: branch.id }
    },
  }),
  route({
    method: 'GET',
    path: '/invoices/series/next-number',
    tag,
    does: 'Read the next number without taking it',
    scope: 'invoices.READ',
    query: Type.Object({ series: Type.Optional(Type.String({ default: 'default' })), ...SERIES_QUERY }),
    answer: Type.Object({ next_number: Type.String(), series: Type.String(), branch_id: Id }),
    async read(context, { query }) {
      const { series = 'default', branchId, transactionDate } = query
      const branch = await branchOfSeries(context, branchId, 'branchId')
      const number = await nextNumber(
        context,
        branch,
        dateOf(context, transactionDate),
        series,
        context.caller.organization!,
      )
      return { next_number: number, series, branch_id: branch.id }
    },
  }),
  listing({
    path: '/invoices/series/gaps',
    tag,
    does: 'List the numbers of deleted drafts',
    scope: 'invoices.READ',
    key: 'gaps',
    table: numberGaps,
    shape: Gap,
    by: 'time',
    modified: 'time',
    filters: {},
    where: equalTo('document', 'invoice'),
    show: (rows) => rows.map(showGap),
  }),
  route({
    method: 'POST',
    path: '/invoices/series',
    tag,
    does: 'Create a series',
    scope: 'invoices.CREATE',
    status: 201,
    body: NewSeries,
    answer: one('series', CreatedSeries),
    write: async (books, { body }) => ({
      message: 'Series created.',
      series: showCreatedSeries(await createSeries(books, body)),
    }),
  }),
]
