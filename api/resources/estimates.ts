// The estimates' routes.
import { Type } from 'typebox'
import {
  acceptEstimate,
  changeEstimate,
  createEstimate,
  deleteEstimate,
  estimateOf,
} from '../../commands/orders/estimates.ts'
import { estimates, estimateParts, type Estimate as EstimateWithLines } from '../../models/estimate.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { route } from '../http/route.ts'
import { Estimate, ESTIMATE_STATUSES, EstimateChanges, NewEstimate, showEstimate } from '../shapes/estimate.ts'
import { one } from '../shapes/fields.ts'
import { lineProblems } from '../shapes/line-item.ts'

const tag = 'Estimates'
const answer = one('estimate', Estimate)
const shown = (estimate: EstimateWithLines, message: string) => ({ message, estimate: showEstimate(estimate) })

export const estimateRoutes = [
  listing({
    path: '/estimates',
    tag,
    does: 'List estimates',
    scope: 'estimates.READ',
    key: 'estimates',
    table: estimates,
    shape: Estimate,
    filters: {
      status: equals(Type.Enum(ESTIMATE_STATUSES)),
      customer_id: sameId(),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
      reference_number: equals(),
    },
    parts: estimateParts,
    show: (rows) => rows.map(showEstimate),
  }),
  route({
    method: 'GET',
    path: '/estimates/{estimate_id}',
    tag,
    does: 'Read an estimate',
    scope: 'estimates.READ',
    answer,
    read: async (context, { params }) => ({ estimate: showEstimate(await estimateOf(context, params.estimate_id!)) }),
  }),
  route({
    method: 'POST',
    path: '/estimates',
    tag,
    does: 'Create an estimate',
    scope: 'estimates.CREATE',
    status: 201,
    answer,
    warns: true,
    body: NewEstimate,
    alsoCheck: lineProblems,
    write: async (books, { body }) => shown(await createEstimate(books, body), 'Estimate created.'),
  }),
  route({
    method: 'PUT',
    path: '/estimates/{estimate_id}',
    tag,
    does: "Change an estimate's dates, reference, notes or status",
    scope: 'estimates.UPDATE',
    answer,
    body: EstimateChanges,
    write: async (books, { params, body }) =>
      shown(await changeEstimate(books, params.estimate_id!, body, showEstimate), 'Estimate updated.'),
  }),
  route({
    method: 'POST',
    path: '/estimates/{estimate_id}/accept',
    tag,
    does: 'Accept an estimate on behalf of the customer',
    scope: 'estimates.UPDATE',
    answer,
    write: async (books, { params }) => shown(await acceptEstimate(books, params.estimate_id!), 'Estimate accepted.'),
  }),
  route({
    method: 'DELETE',
    path: '/estimates/{estimate_id}',
    tag,
    does: 'Delete an estimate that is not converted',
    scope: 'estimates.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteEstimate(books, params.estimate_id!)
      return { message: 'Estimate deleted.' }
    },
  }),
]
