// Cost centres: the options of the organisation's cost-centre tag.
import type { Scope } from './find.ts'
import { BOOLEAN, TEXT, UUID, model, type RowOf } from './model.ts'

export const costCenters = model('cost_centers', {
  org_id: UUID,
  id: UUID,
  code: TEXT,
  name: TEXT,
  is_active: BOOLEAN,
})
export type CostCenterRow = RowOf<typeof costCenters>

/** The options that a transaction may still be tagged with, by code. */
export async function findActiveCostCenters(scope: Scope): Promise<CostCenterRow[]> {
  return scope.connection.run<CostCenterRow>(ACTIVE, [scope.orgId])
}

const ACTIVE = {
  name: 'active cost centers',
  text: `SELECT ${costCenters.columns.join(', ')} FROM cost_centers WHERE org_id = $1 AND is_active ORDER BY code`,
}
