// Changes of a client organisation by its partner: its names at any time, its registration until a document is posted.
import { fault } from '../../domain/faults.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { checkedRegistration } from '../../domain/registration.ts'
import { branches, findBranches } from '../../models/branch.ts'
import { lockRows } from '../../models/find.ts'
import { findPostedKinds, organizations, type OrganizationRow } from '../../models/organization.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { moveFinancialYears } from '../ledger/financial-years.ts'
import { keptAddress, type NewOrganization } from './organization-details.ts'
import { organizationOf } from './partners.ts'

export type OrganizationChanges = Pick<
  NewOrganization,
  'legal_name' | 'gstin' | 'pan' | 'email' | 'phone' | 'address' | 'state_code' | 'fiscal_year_start_month'
> & { name?: string }

// The fields of a response that may change; other fields may be sent back unchanged.
const CHANGEABLE = ['name', 'legal_name', 'gstin', 'fiscal_year_start_month'] as const

type Registration = Pick<OrganizationRow, 'gstin' | 'pan' | 'state_code' | 'fiscal_year_start_month'>

/**
 * Changes an organisation of the partner; what is not sent stays as it is. GSTIN, PAN, state and the month in which the
 * financial year starts may change while no tax document is posted; the default branch follows, and the accounting
 * periods move (decisions §11). Throws not_found.resource, validation.invalid_value with the field, and conflict.in_use.
 */
export async function changeOrganization(
  books: Books,
  orgId: string,
  sent: Sent<OrganizationChanges>,
  answered: Answered<OrganizationRow>,
): Promise<OrganizationRow> {
  const before = await organizationOf(books.connection, books.caller.partnerId!, orgId, true)
  books.enter(before.id)
  changedFields(sent, answered(before), { fields: CHANGEABLE })
  const registration = registrationAfter(before, sent)
  const changes = { ...namesAfter(before, sent), ...registration }
  const changed = changesBetween(before, changes)
  if (changed === null) return before
  await changeRegistration(books, before, registration)
  books.record({
    action: 'ORGANIZATION_UPDATED',
    entityType: 'ORGANIZATION',
    entityId: before.id,
    entityRef: changes.name,
    changes: changed,
  })
  return books.update(organizations, before, { ...changes, last_modified_time: books.now })
}

function namesAfter(
  before: OrganizationRow,
  sent: OrganizationChanges,
): Pick<OrganizationRow, 'name' | 'legal_name' | 'email' | 'phone' | 'address'> {
  return {
    name: sent.name?.trim() ?? before.name,
    legal_name: sent.legal_name === undefined ? before.legal_name : sent.legal_name,
    email: sent.email === undefined ? before.email : sent.email,
    phone: sent.phone === undefined ? before.phone : sent.phone,
    address: sent.address === undefined ? before.address : keptAddress(sent.address),
  }
}

// Another GSTIN sets the state and, unless one is sent, the PAN. Null for the state or the month leaves it unchanged.
function registrationAfter(before: OrganizationRow, sent: OrganizationChanges): Registration {
  const gstin = sent.gstin === undefined ? before.gstin : sent.gstin?.trim().toUpperCase() || null
  const isNew = gstin !== null && gstin !== before.gstin
  const { state_code, ...kept } = checkedRegistration({
    gstin,
    pan: sent.pan === undefined ? (isNew ? null : before.pan) : sent.pan,
    state_code: sent.state_code ?? (isNew ? null : before.state_code),
  })
  return {
    ...kept,
    state_code: state_code ?? before.state_code,
    fiscal_year_start_month: sent.fiscal_year_start_month ?? before.fiscal_year_start_month,
  }
}

async function changeRegistration(books: Books, before: OrganizationRow, after: Registration): Promise<void> {
  const [field] = Object.keys(changesBetween(before, after) ?? {})
  if (field === undefined) return
  const posted = await findPostedKinds(books)
  if (posted.length > 0) {
    const message = `Documents are posted with this ${field}, so it can no longer change.`
    throw fault('conflict.in_use', { field, message, details: { posted } })
  }
  const { fiscal_year_start_month: month } = after
  if (month !== before.fiscal_year_start_month) {
    await moveFinancialYears(books, before.time_zone, before.fiscal_year_start_month, month)
  }
  if (after.gstin !== before.gstin || after.state_code !== before.state_code) await changeDefaultBranch(books, after)
}

async function changeDefaultBranch(books: Books, { gstin, state_code: state }: Registration): Promise<void> {
  const found = (await findBranches(books, false)).filter(({ is_default: isDefault }) => isDefault)
  for (const branch of await lockRows(
    books,
    branches,
    found.map(({ id }) => id),
  )) {
    const changes = changesBetween(branch, { gstin, state })
    if (changes === null) continue
    books.update(branches, branch, { gstin, state, last_modified_time: books.now })
    books.record({
      action: 'BRANCH_UPDATED',
      entityType: 'BRANCH',
      entityId: branch.id,
      entityRef: branch.name,
      changes,
    })
  }
}
