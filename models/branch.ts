// Branches: where supplies are made from; their state decides between CGST + SGST and IGST.
import type { Address } from './contact.ts'
import { finder, type Scope } from './find.ts'
import { BOOLEAN, json, TEXT, TIME, UUID, orNull, model, type RowOf } from './model.ts'

export const branches = model(
  'branches',
  {
    org_id: UUID,
    id: UUID,
    code: TEXT,
    name: TEXT,
    gstin: orNull(TEXT),
    state: TEXT,
    city: orNull(TEXT),
    /** Null where it is the organisation's. */
    address: orNull(json<Address>()),
    /** Where goods leave from; null where that is the address of the branch. */
    dispatch_address: orNull(json<Address>()),
    is_default: BOOLEAN,
    is_active: BOOLEAN,
    invoice_prefix: TEXT,
    bill_prefix: TEXT,
    created_time: TIME,
    last_modified_time: TIME,
  },
  { scopes: { active: { where: { is_active: true } } } },
)
export type BranchRow = RowOf<typeof branches>

/** The branches, the default one first, then by code. */
export const findBranches = (scope: Scope, activeOnly: boolean): Promise<BranchRow[]> =>
  activeOnly ? activeBranches(scope) : allBranches(scope)

const allBranches = finder(branches, () => ({ order: [['is_default', 'DESC'], 'code'] }))
const activeBranches = finder(branches, () => ({ scope: 'active', order: [['is_default', 'DESC'], 'code'] }))

/** The branch of a document that names none; null where the organisation has no default branch. */
export const findDefaultBranch = (scope: Scope): Promise<BranchRow | null> => defaultBranches.first(scope)

const defaultBranches = finder(branches, () => ({ where: { is_default: true } }))
