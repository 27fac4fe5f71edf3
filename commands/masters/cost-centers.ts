// The commands on cost centers: opened, renamed, closed.
import { fault } from '../../domain/faults.ts'
import { costCenters, findCostCenterByCode, type CostCenterRow } from '../../models/cost-center.ts'
import { existingRow } from '../../models/find.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'

export interface CostCenterFields {
  code: string
  name: string
}

/** Adds a cost center. Throws validation.duplicate_resource for a code that is taken. */
export async function createCostCenter(books: Books, { code, name }: CostCenterFields): Promise<CostCenterRow> {
  await refuseTaken(books, code.trim())
  const row = books.insert(costCenters, { id: books.newId(), code: code.trim(), name: name.trim(), is_active: true })
  record(books, 'COST_CENTER_CREATED', row)
  return row
}

/** Changes what is sent. Throws not_found.resource, and as createCostCenter does. */
export async function changeCostCenter(
  books: Books,
  id: string,
  { code, name }: Partial<CostCenterFields>,
): Promise<CostCenterRow> {
  const before = await existingRow(books, costCenters, id, 'cost center', 'FOR UPDATE')
  const after = { code: code?.trim() ?? before.code, name: name?.trim() ?? before.name }
  if (after.code !== before.code) await refuseTaken(books, after.code)
  const changes = changesBetween(before, after)
  if (changes === null) return before
  record(books, 'COST_CENTER_UPDATED', { ...before, ...after }, changes)
  return books.update(costCenters, before, after)
}

/** Closes a cost center: it stays in documents that have it, and new ones cannot take it. Throws not_found.resource. */
export async function closeCostCenter(books: Books, id: string): Promise<CostCenterRow> {
  const row = await existingRow(books, costCenters, id, 'cost center', 'FOR UPDATE')
  if (!row.is_active) return row
  record(books, 'COST_CENTER_CLOSED', row, { is_active: { old: true, new: false } })
  return books.update(costCenters, row, { is_active: false })
}

async function refuseTaken(books: Books, code: string): Promise<void> {
  if (await findCostCenterByCode.first(books, code)) throw codeTaken('cost center')
}

export const codeTaken = (noun: string) =>
  fault('validation.duplicate_resource', { field: 'code', message: `Another ${noun} has this code.` })

function record(
  books: Books,
  action: string,
  { id, name }: CostCenterRow,
  changes: Record<string, { old: unknown; new: unknown }> | null = null,
): void {
  books.record({ action, entityType: 'COST_CENTER', entityId: id, entityRef: name, changes })
}
