// A cost center as JSON.
import { Type, type Static } from 'typebox'
import type { CostCenterRow } from '../../models/cost-center.ts'
import { Id, Name } from './fields.ts'

export const CostCenter = Type.Object({
  cost_center_id: Type.String({ ...Id, description: 'Can be used in the tags of documents.' }),
  code: Type.String(),
  name: Type.String(),
  is_active: Type.Boolean(),
})

export function showCostCenter({ id, code, name, is_active }: CostCenterRow): Static<typeof CostCenter> {
  return { cost_center_id: id, code, name, is_active }
}

export const NewCostCenter = Type.Object({ code: Name(50), name: Name(200) })

/** What is left out stays as it is. */
export const CostCenterChanges = Type.Object({ code: Type.Optional(Name(50)), name: Type.Optional(Name(200)) })
