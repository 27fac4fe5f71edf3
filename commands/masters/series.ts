// Number series: lists those of a branch on a date, shows the next number of one, and creates one.
import { parseDocumentDate } from '../../domain/dates.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { DEFAULT_PADDING, DEFAULT_TEMPLATE, refuseUnplain } from '../../domain/numbering.ts'
import type { Scope } from '../../models/find.ts'
import {
  findBranch,
  findPeriod,
  findSeries,
  numberSeries,
  peekNumber,
  type BranchOfSeries,
  type NumberSeriesRow,
} from '../../models/series.ts'
import type { Books } from '../books/books.ts'
import type { OrganizationFacts } from '../books/caller.ts'
import { knownIds, today } from '../documents/drafting.ts'
import { sequenceOf } from '../documents/numbering.ts'

export interface NewSeries {
  series_name: string
  prefix: string
  label?: string | null
  padding?: number | null
  format_template?: string | null
  transaction_date?: string | null
  branch_id?: string | null
}

/** A series as lists show it; `period_id` is null for the virtual default series. */
export type ListedSeries = Pick<NumberSeriesRow, 'series_name' | 'label' | 'prefix' | 'is_default'> & {
  period_id: string | null
}

/** The branch of this id, without an id the default branch. Throws not_found.resource with the field. */
export async function branchOfSeries(
  scope: Scope,
  branchId: string | null | undefined,
  field: string,
): Promise<BranchOfSeries> {
  const branch = await findBranch(scope, branchId == null ? null : knownIds([branchId], field)[0]!)
  if (!branch) throw notFound('branch', field)
  return branch
}

/** The branch's series on a date, exactly one of them the default; a virtual default where the period has none. */
export async function listSeries(scope: Scope, branch: BranchOfSeries, date: string): Promise<ListedSeries[]> {
  const series = await findSeries(scope, branch.id, date)
  if (series.some(({ is_default }) => is_default)) return series
  return [
    { series_name: 'default', label: 'Default', prefix: branch.invoice_prefix, is_default: true, period_id: null },
    ...series,
  ]
}

/** The number that the next invoice of the series would get, without taking it. */
export async function nextNumber(
  scope: Scope,
  branch: BranchOfSeries,
  date: string,
  name: string,
  organization: OrganizationFacts,
): Promise<string> {
  const { counter, parts } = sequenceOf(await findSeries(scope, branch.id, date), branch, date, name, organization)
  return peekNumber(scope, counter, parts, branch.id)
}

/**
 * Adds a series to a branch in the accounting period that covers the date.
 * Throws not_found.resource for an unknown branch, validation.invalid_value where no period covers the date or the prefix or
 * template is invalid, and validation.duplicate_resource where the branch has a series of that name in the period.
 */
export async function createSeries(books: Books, input: NewSeries): Promise<NumberSeriesRow> {
  const branch = await branchOfSeries(books, input.branch_id, 'branch_id')
  const date = input.transaction_date == null ? today(books) : parseDocumentDate(input.transaction_date)!
  const template = input.format_template ?? DEFAULT_TEMPLATE
  refuseUnplain(input.prefix, template)
  const period = await findPeriod(books, date)
  if (!period)
    throw fault('validation.invalid_value', {
      field: 'transaction_date',
      message: 'No accounting period covers this date.',
    })
  const series = await findSeries(books, branch.id, date)
  if (series.some(({ series_name }) => series_name === input.series_name)) {
    throw fault('validation.duplicate_resource', {
      field: 'series_name',
      message: 'This branch already has a series with this name in the period.',
    })
  }
  const row = books.insert(numberSeries, {
    id: books.newId(),
    branch_id: branch.id,
    period_id: period.id,
    series_name: input.series_name,
    label: input.label ?? null,
    prefix: input.prefix,
    padding: input.padding ?? DEFAULT_PADDING,
    format_template: template,
    is_default: !series.some(({ is_default }) => is_default) && input.series_name === 'default',
    created_time: books.now,
  })
  books.record({
    action: 'NUMBER_SERIES_CREATED',
    entityType: 'NUMBER_SERIES',
    entityId: row.id,
    entityRef: row.series_name,
  })
  return row
}
