// Cost centres: the options of the organisation's cost-centre tag.
import { finder, is } from './find.ts'
import { BOOLEAN, TEXT, UUID, model, type RowOf } from './model.ts'

export const costCenters = model(
  'cost_centers',
  {
    org_id: UUID,
    id: UUID,
    code: TEXT,
    name: TEXT,
    is_active: BOOLEAN,
  },
  { scopes: { active: { where: { is_active: true } } } },
)
export type CostCenterRow = RowOf<typeof costCenters>

/** The options that a transaction may still be tagged with, by code. */
export const findActiveCostCenters = finder(costCenters, () => ({ scope: 'active', order: ['code'] }))

/** The one with this code, closed or not. */
export const findCostCenterByCode = finder<CostCenterRow, [code: string]>(costCenters, (code) => ({
  where: { code: is(code) },
}))
