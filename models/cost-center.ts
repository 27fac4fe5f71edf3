// Cost centres: the options of the organisation's cost-centre tag.
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
