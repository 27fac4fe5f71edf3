// The route of the cost centers, which documents can have as tags.
import { Type } from 'typebox'
import { findActiveCostCenters } from '../../models/cost-center.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { CostCenter, showCostCenter } from '../shapes/cost-center.ts'

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
