// Branches: where supplies are made from; their state decides between CGST + SGST and IGST.
import type { Scope } from './find.ts'
import { table } from './table.ts'

export interface BranchRow {
  org_id: string
  id: string
  code: string
  name: string
  gstin: string | null
  state: string
  city: string | null
  is_default: boolean
  is_active: boolean
  invoice_prefix: string
  bill_prefix: string
  created_time: Date
  last_modified_time: Date
}

export const branches = table<BranchRow>('branches', {
  org_id: 'uuid', id: 'uuid', code: 'text', name: 'text', gstin: 'text', state: 'text', city: 'text',
  is_default: 'boolean', is_active: 'boolean', invoice_prefix: 'text', bill_prefix: 'text', created_time: 'time',
  last_modified_time: 'time',
})

/** The branches, the default one first, then by code. */
export async function findBranches(scope: Scope, activeOnly: boolean): Promise<BranchRow[]> {
  return scope.connection.run<BranchRow>(BRANCHES, [scope.orgId, activeOnly])
}

const BRANCHES = {
  name: 'branches',
  text: `SELECT ${branches.columns.join(', ')} FROM branches
         WHERE org_id = $1 AND (is_active OR NOT $2) ORDER BY is_default DESC, code`,
}
