// The routes of the cost centers, which documents can have as tags: tokens read them, signed-in people keep them.
import { Type } from 'typebox'
import { changeCostCenter, closeCostCenter, createCostCenter } from '../../commands/masters/cost-centers.ts'
import { findActiveCostCenters } from '../../models/cost-center.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { CostCenter, CostCenterChanges, NewCostCenter, showCostCenter } from '../shapes/cost-center.ts'

export const costCenterRoutes = [
  route({
    method: 'GET',
    path: '/cost_centers',
    tag: 'Lookups',
    does: 'List all active cost centers',
    scope: 'costcenters.READ',
    query: listQuery({}),
    answer: Type.Object({ cost_centers: Type.Array(CostCenter) }),
    read: async (context) => ({ cost_centers: (await findActiveCostCenters(context)).map(showCostCenter) }),
  }),
]

const kept = { by: 'session', tag: 'Cost centers', answer: one('cost_center', CostCenter) } as const

/** Below /internal/v1. */
export const costCenterChanges = [
  route({
    ...kept,
    method: 'POST',
    path: '/cost_centers',
    does: 'Open a cost center',
    scope: 'costcenters.CREATE',
    status: 201,
    body: NewCostCenter,
    write: async (books, { body }) => ({
      message: 'Cost center created.',
      cost_center: showCostCenter(await createCostCenter(books, body)),
    }),
  }),
  route({
    ...kept,
    method: 'PUT',
    path: '/cost_centers/{cost_center_id}',
    does: 'Change the code or the name of a cost center',
    scope: 'costcenters.UPDATE',
    body: CostCenterChanges,
    write: async (books, { params, body }) => ({
      message: 'Cost center updated.',
      cost_center: showCostCenter(await changeCostCenter(books, params.cost_center_id!, body)),
    }),
  }),
  route({
    ...kept,
    method: 'POST',
    path: '/cost_centers/{cost_center_id}/close',
    does: 'Close a cost center',
    scope: 'costcenters.UPDATE',
    write: async (books, { params }) => ({
      message: 'Cost center closed.',
      cost_center: showCostCenter(await closeCostCenter(books, params.cost_center_id!)),
    }),
  }),
]
