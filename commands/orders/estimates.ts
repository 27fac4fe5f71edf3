// The commands on estimates: create, change, accept, delete.
import { expiryDateOf } from '../../domain/document-dates.ts'
import type { DocumentEvent } from '../../domain/events.ts'
import { invalidState } from '../../domain/faults.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { nextStatus, type VerbOf } from '../../domain/lifecycle.ts'
import {
  estimateLines,
  estimates,
  findEstimate,
  type Estimate,
  type EstimateRow,
  type EstimateStatus,
} from '../../models/estimate.ts'
import { documentFinder } from '../../models/existing-document.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { announceDocument, recordDeletion, recordDocument, registerGap } from '../documents/document-entries.ts'
import { documentDateOf } from '../documents/drafting.ts'
import { numberDocument } from '../documents/numbering.ts'
import { draftSale, type SaleInput } from '../sales/sale.ts'

/** The body of POST /estimates. Dates as the wire sends them. */
export interface NewEstimate extends Omit<SaleInput, 'round_off'> {
  date?: string | null
  expiry_date?: string | null
  reference_number?: string | null
  notes?: string | null
}

export interface EstimateChanges {
  date?: string
  expiry_date?: string | null
  reference_number?: string | null
  notes?: string | null
  status?: EstimateStatus
}

const CHANGEABLE = [
  'date',
  'expiry_date',
  'reference_number',
  'notes',
  'status',
] as const satisfies (keyof EstimateChanges)[]

// The fields that make up the offer, which cannot change.
const OFFERED = [
  'customer_id',
  'place_of_supply',
  'line_items',
  'branch_id',
  'currency_code',
  'exchange_rate',
  'tags',
] as const satisfies (keyof NewEstimate)[]

/** The estimate of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export const estimateOf = documentFinder('ESTIMATE', findEstimate)

/**
 * Creates an estimate, by default dated today in the organisation's zone (specification, POST /estimates).
 * Throws not_found.resource for a customer, branch, item, tax or tag that is not the organisation's, and
 * validation.invalid_value for an invalid place of supply, date, rate or amount.
 */
export async function createEstimate(books: Books, input: NewEstimate): Promise<Estimate> {
  const date = documentDateOf(books, input.date)
  const { head, lines: drafted } = await draftSale(books, { ...input, round_off: null }, { date })
  const row = books.create(estimates, {
    ...head,
    estimate_number: numberDocument(books, 'ESTIMATE'),
    expiry_date: expiryDateOf(input.expiry_date, date),
    reference_number: input.reference_number ?? null,
    status: 'DRAFT',
    converted_to_sales_order_id: null,
    notes: input.notes ?? null,
  })
  const lines = drafted.map((line) => books.insert(estimateLines, { ...line, id: books.newId(), estimate_id: row.id }))
  const estimate = { ...row, lines, invoices: [] }
  recordDocument(books, 'ESTIMATE', estimate, 'ESTIMATE_CREATED')
  announceEstimate(books, 'ESTIMATE_CREATED', estimate)
  return estimate
}

/**
 * Changes an estimate's dates, reference, notes or status (specification, PUT /estimates).
 * Throws conflict.invalid_state once it is converted, and for a status that a PUT cannot set (decisions §4); and as changedFields does.
 */
export async function changeEstimate(
  books: Books,
  id: string,
  input: Sent<EstimateChanges>,
  answered: Answered<Estimate>,
): Promise<Estimate> {
  const before = await estimateOf(books, id, 'FOR UPDATE')
  nextStatus('ESTIMATE', 'edit', before.status)
  const instead = { fields: OFFERED, advice: 'cancel the estimate and create a new one' }
  const changed = changedFields(input, answered(before), { fields: CHANGEABLE, instead })
  if (changed.size === 0) return before
  const status = statusSent(input.status, before.status)
  const date = input.date === undefined ? before.date : documentDateOf(books, input.date)
  const columns: Partial<EstimateRow> = {
    date,
    expiry_date: expiryDateOf(input.expiry_date === undefined ? before.expiry_date : input.expiry_date, date),
  }
  if (input.reference_number !== undefined) columns.reference_number = input.reference_number
  if (input.notes !== undefined) columns.notes = input.notes
  const [changes, moved] = [changesBetween(before, columns), changesBetween({ status: before.status }, { status })]
  if (!changes && !moved) return before
  const estimate = books.change(estimates, before, { ...columns, status })
  if (changes) recordDocument(books, 'ESTIMATE', estimate, 'ESTIMATE_UPDATED', changes)
  if (moved) recordDocument(books, 'ESTIMATE', estimate, 'ESTIMATE_STATUS_CHANGED', moved)
  return estimate
}

/** DRAFT or SENT to ACCEPTED. Throws conflict.invalid_state for any other status. */
export async function acceptEstimate(books: Books, id: string): Promise<Estimate> {
  const before = await estimateOf(books, id, 'FOR UPDATE')
  const status = nextStatus('ESTIMATE', 'accept', before.status)
  const estimate = books.change(estimates, before, { status })
  recordDocument(
    books,
    'ESTIMATE',
    estimate,
    'ESTIMATE_ACCEPTED',
    changesBetween({ status: before.status }, { status }),
  )
  announceEstimate(books, 'ESTIMATE_ACCEPTED', estimate)
  return estimate
}

/** Deletes an estimate; its number is entered into the register of gaps. Throws conflict.invalid_state once it is converted. */
export async function deleteEstimate(books: Books, id: string): Promise<void> {
  const estimate = await estimateOf(books, id, 'FOR UPDATE')
  nextStatus('ESTIMATE', 'delete', estimate.status)
  books.delete(estimates, estimate)
  registerGap(books, 'ESTIMATE', estimate, 'Estimate deleted')
  await recordDeletion(books, 'ESTIMATE', estimate, {
    converted_to_sales_order_id: estimate.converted_to_sales_order_id,
  })
}

/** Announces an estimate as it is now, with the id of the sales order that was made from it. */
export function announceEstimate(books: Books, type: DocumentEvent<'ESTIMATE'>, estimate: EstimateRow): void {
  const { converted_to_sales_order_id } = estimate
  announceDocument(books, 'ESTIMATE', type, estimate, { converted_to_sales_order_id })
}

// How an estimate gets the statuses that a PUT cannot set.
const ACTIONS: Partial<Record<EstimateStatus, string>> = {
  DRAFT: 'only a new estimate is a draft',
  ACCEPTED: 'use POST /estimates/{estimate_id}/accept',
  CONVERTED: 'use POST /estimates/{estimate_id}/convert',
}

// The statuses that a PUT can set (decisions §4).
const SETTABLE: Partial<Record<EstimateStatus, VerbOf<'ESTIMATE'>>> = {
  SENT: 'send',
  DECLINED: 'decline',
  CANCELLED: 'cancel',
}

function statusSent(sent: EstimateStatus | undefined, from: EstimateStatus): EstimateStatus {
  if (sent === undefined || sent === from) return from
  const verb = SETTABLE[sent]
  if (verb) return nextStatus('ESTIMATE', verb, from)
  throw invalidState(`A PUT cannot set the status ${sent}; ${ACTIONS[sent]}.`, from, [])
}
