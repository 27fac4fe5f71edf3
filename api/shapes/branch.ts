// A branch as JSON.
import { Type, type Static } from 'typebox'
import type { BranchRow } from '../../models/branch.ts'
import { Id, nullable } from './fields.ts'

export const Branch = Type.Object({
  branch_id: Id,
  code: Type.String(),
  name: Type.String(),
  gstin: nullable(Type.String()),
  state: Type.String({ description: 'IN-XX; decides between CGST + SGST and IGST.' }),
  city: nullable(Type.String()),
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  invoice_prefix: Type.String(),
  bill_prefix: Type.String(),
})

export function showBranch(branch: BranchRow): Static<typeof Branch> {
  const { id, org_id: _org, created_time: _created, last_modified_time: _modified, ...plain } = branch
  return { branch_id: id, ...plain }
}
