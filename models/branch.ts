// Branches: where supplies are made from; their state decides between CGST + SGST and IGST.
import type { Scope } from './find.ts'
import { BOOLEAN, TEXT, TIME, UUID, orNull, model, type RowOf } from './model.ts'

export const branches = model('branches', {
  org_id: UUID,
  id: UUID,
  code: TEXT,
  name: TEXT,
  gstin: orNull(TEXT),
  state: TEXT,
  city: orNull(TEXT),
  is_default: BOOLEAN,
  is_active: BOOLEAN,
  invoice_prefix: TEXT,
  bill_prefix: TEXT,
  created_time: TIME,
  last_modified_time: TIME,
})
export type BranchRow = RowOf<typeof branches>

/** The branches, the default one first, then by code. */
export async function findBranches(scope: Scope, activeOnly: boolean): Promise<BranchRow[]> {
  return scope.connection.run<BranchRow>(BRANCHES, [scope.orgId, activeOnly])
}

const BRANCHES = {
  name: 'branches',
  text: `SELECT ${branches.columns.join(', ')} FROM branches
         WHERE org_id = $1 AND (is_active OR NOT $2) ORDER BY is_default DESC, code`,
}
