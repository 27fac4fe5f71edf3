// Cost centres: the options of the organisation's cost-centre tag.
import type { Scope } from './find.ts'
import { table } from './table.ts'

export interface CostCenterRow {
  org_id: string
  id: string
  code: string
  name: string
  is_active: boolean
}

export const costCenters = table<CostCenterRow>('cost_centers', {
  org_id: 'uuid', id: 'uuid', code: 'text', name: 'text', is_active: 'boolean',
})

/** The options that a transaction may still be tagged with, by code. */
export async function findActiveCostCenters(scope: Scope): Promise<CostCenterRow[]> {
  return scope.connection.run<CostCenterRow>(ACTIVE, [scope.orgId])
}

const ACTIVE = {
  name: 'active cost centers',
  text: `SELECT ${costCenters.columns.join(', ')} FROM cost_centers WHERE org_id = $1 AND is_active ORDER BY code`,
}
