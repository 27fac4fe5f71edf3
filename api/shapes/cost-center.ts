// A cost center as JSON.
import { Type, type Static } from 'typebox'
import type { CostCenterRow } from '../../models/cost-center.ts'
import { Id } from './fields.ts'

export const CostCenter = Type.Object({
  cost_center_id: Type.String({ ...Id, description: 'Can be used in the tags of documents.' }),
  code: Type.String(),
  name: Type.String(),
  is_active: Type.Boolean(),
})

export function showCostCenter({ id, code, name, is_active }: CostCenterRow): Static<typeof CostCenter> {
  return { cost_center_id: id, code, name, is_active }
}
