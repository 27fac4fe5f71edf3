// The commands on branches: opened, closed, what they are called, where they are and where their goods leave from.
import { DOCUMENTS } from '../../domain/documents.ts'
import { fault, invalidState } from '../../domain/faults.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { DEFAULT_TEMPLATE, refuseUnplain } from '../../domain/numbering.ts'
import { checkedRegistration } from '../../domain/registration.ts'
import { branches, findBranches, type BranchRow } from '../../models/branch.ts'
import { lockFinancialYears } from '../../models/financial-years.ts'
import { existingRow } from '../../models/find.ts'
import { findPeriods } from '../../models/series.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { insertDefaultSeries } from '../ledger/financial-years.ts'
import { mergedAddress, type AddressFields } from './addresses.ts'
import { codeTaken } from './cost-centers.ts'

/** The fields of a branch in a body. A field that is left out stays as it is, null clears it. */
export interface BranchFields {
  name?: string
  city?: string | null
  address?: AddressFields | null
  dispatch_address?: AddressFields | null
}

/** A new branch. Without a state it is that of the GSTIN; without prefixes they are made of the code. */
export interface NewBranch extends BranchFields {
  code: string
  name: string
  gstin?: string | null
  state?: string | null
  invoice_prefix?: string | null
  bill_prefix?: string | null
}

/**
 * Adds a branch, with a series of numbers for each financial year there is. Throws validation.duplicate_resource for a code that
 * is taken, validation.required_field without state and GSTIN, validation.invalid_value for either that is none.
 */
export async function createBranch(books: Books, input: NewBranch): Promise<BranchRow> {
  await lockFinancialYears(books)
  const known = await findBranches(books, false)
  const code = input.code.trim().toUpperCase()
  if (known.some((branch) => branch.code === code)) throw codeTaken('branch')
  if (known.length >= MAX_BRANCHES)
    throw fault('conflict.limit_reached', {
      message: `An organisation has ${MAX_BRANCHES} branches at most.`,
      details: { limit: MAX_BRANCHES },
    })
  const { gstin, state_code } = checkedRegistration({ gstin: input.gstin ?? null, state_code: input.state ?? null })
  if (state_code === null)
    throw fault('validation.required_field', { field: 'state', message: 'state is required where there is no gstin.' })
  const branch = books.insert(branches, {
    id: books.newId(),
    code,
    name: input.name.trim(),
    gstin,
    state: state_code,
    city: input.city ?? null,
    address: addressAfter(null, input.address),
    dispatch_address: addressAfter(null, input.dispatch_address),
    is_default: false,
    is_active: true,
    invoice_prefix: input.invoice_prefix?.trim() || `${code}-`,
    bill_prefix: input.bill_prefix?.trim() || `${DOCUMENTS.BILL.prefix}${code}-`,
    created_time: books.now,
    last_modified_time: books.now,
  })
  refuseUnplain(branch.invoice_prefix, DEFAULT_TEMPLATE)
  for (const period of await findPeriods(books)) insertDefaultSeries(books, branch, period.id)
  record(books, 'BRANCH_CREATED', branch)
  return branch
}

/** Closes a branch: it takes no new documents. Throws not_found.resource, conflict.invalid_state for the default branch. */
export async function closeBranch(books: Books, id: string): Promise<BranchRow> {
  const branch = await existingRow(books, branches, id, 'branch', 'FOR UPDATE')
  if (branch.is_default) throw invalidState('The default branch cannot be closed.', 'DEFAULT', [])
  if (!branch.is_active) return branch
  record(books, 'BRANCH_CLOSED', branch, { is_active: { old: true, new: false } })
  return books.update(branches, branch, { is_active: false, last_modified_time: books.now })
}

const MAX_BRANCHES = 500

function record(
  books: Books,
  action: string,
  { id, name }: BranchRow,
  changes: Record<string, { old: unknown; new: unknown }> | null = null,
): void {
  books.record({ action, entityType: 'BRANCH', entityId: id, entityRef: name, changes })
}

const CHANGEABLE = ['name', 'city', 'address', 'dispatch_address'] as const satisfies (keyof BranchFields)[]

/**
 * Changes what a branch is called and its addresses, which documents print and e-invoices name (decisions §12). GSTIN and state
 * decide taxes that are posted, and stay. Throws not_found.resource, and validation.invalid_value for another field that changes.
 */
export async function changeBranch(
  books: Books,
  id: string,
  fields: Sent<BranchFields>,
  answered: Answered<BranchRow>,
): Promise<BranchRow> {
  const before = await existingRow(books, branches, id, 'branch', 'FOR UPDATE')
  changedFields(fields, answered(before), { fields: CHANGEABLE })
  const after = {
    name: fields.name?.trim() ?? before.name,
    city: fields.city === undefined ? before.city : fields.city,
    address: addressAfter(before.address, fields.address),
    dispatch_address: addressAfter(before.dispatch_address, fields.dispatch_address),
  }
  const changes = changesBetween(before, after)
  if (changes === null) return before
  books.record({
    action: 'BRANCH_UPDATED',
    entityType: 'BRANCH',
    entityId: before.id,
    entityRef: after.name,
    changes,
  })
  return books.update(branches, before, { ...after, last_modified_time: books.now })
}

// An address without any part is none, so that the organisation's is printed.
function addressAfter(before: BranchRow['address'], sent: AddressFields | null | undefined): BranchRow['address'] {
  if (sent === undefined) return before
  const merged = sent === null ? null : mergedAddress(before, sent)
  return merged && Object.values(merged).some((part) => part !== null && part.trim() !== '') ? merged : null
}
