// A payment as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import { toAmount } from '../../domain/money.ts'
import { FLOWS, PAYMENT_TYPES } from '../../domain/posting/payment.ts'
import type { Payment as PaymentWithAllocations } from '../../models/payment.ts'
import { Tags } from './document.ts'
import { Amount, Currency, DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'

const PAYMENT_MODES = ['CASH', 'BANK_TRANSFER', 'CHEQUE', 'UPI', 'CARD', 'OTHER'] as const

const MAX_ALLOCATIONS = 500

export const Flow = Type.Enum([...FLOWS])
const Mode = Type.Enum([...PAYMENT_MODES])
const Paid = Type.Number({ exclusiveMinimum: 0, maximum: 1e13 })
const Withheld = Type.Number({ minimum: 0, maximum: 1e13 })
const Rate = Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })

export const NewAllocation = Type.Object(
  { invoice_id: optional(Reference), bill_id: optional(Reference), amount: Paid },
  { description: 'Exactly one of invoice_id (INCOMING) and bill_id (OUTGOING).' },
)

export const NewPayment = Type.Object({
  flow: Flow,
  contact_id: Reference,
  date: DocumentDate,
  amount: Paid,
  mode: optional(Mode),
  reference_number: optional(Text(100)),
  description: optional(Text(2000)),
  payment_type: optional(Type.Enum([...PAYMENT_TYPES])),
  bank_account_id: optional(Reference),
  currency_code: optional(Currency),
  exchange_rate: optional(Rate),
  bank_charges: optional(Withheld),
  tds_amount: optional(Withheld),
  tags: optional(Tags),
  allocations: optional(Type.Array(NewAllocation, { maxItems: MAX_ALLOCATIONS })),
})

export const PaymentChanges = Type.Object({
  flow: optional(Flow),
  contact_id: Type.Optional(Reference),
  date: Type.Optional(DocumentDate),
  amount: Type.Optional(Paid),
  mode: optional(Mode),
  reference_number: optional(Text(100)),
  description: optional(Text(2000)),
  bank_account_id: optional(Reference),
  currency_code: optional(Currency),
  exchange_rate: optional(Rate),
  bank_charges: optional(Withheld),
  tags: optional(Tags),
})

/** Problems that the shape cannot express: each allocation needs exactly one document. Accepts any body, also an invalid one. */
export function allocationProblems(body: unknown): FieldProblem[] {
  const allocations = (body as { allocations?: unknown } | null)?.allocations
  if (!Array.isArray(allocations)) return []
  return allocations.flatMap((each, index) => targetProblems(each, `allocations.${index}.`))
}

/** Like allocationProblems, for the body of an apply. */
export const applyProblems = (body: unknown): FieldProblem[] => targetProblems(body, '')

function targetProblems(allocation: unknown, path: string): FieldProblem[] {
  if (typeof allocation !== 'object' || allocation === null || Array.isArray(allocation)) return []
  const { invoice_id = null, bill_id = null } = allocation as { invoice_id?: unknown; bill_id?: unknown }
  if (invoice_id === null && bill_id === null)
    return [{ field: `${path}invoice_id`, code: 'required', message: 'is required unless bill_id is sent' }]
  if (invoice_id === null || bill_id === null) return []
  return [{ field: `${path}bill_id`, code: 'refused', message: 'must not be sent together with invoice_id' }]
}

export const Payment = Type.Object({
  payment_id: Id,
  payment_number: Type.String(),
  flow: Flow,
  payment_type: Type.Enum([...PAYMENT_TYPES]),
  contact_id: Id,
  contact_name: Type.String(),
  date: Timestamp,
  amount: Amount,
  unapplied_amount: Amount,
  mode: Mode,
  reference_number: nullable(Type.String()),
  description: nullable(Type.String()),
  bank_account_id: Id,
  currency_code: Type.String(),
  exchange_rate: Type.Number(),
  bank_charges: Amount,
  tds_amount: Amount,
  allocations: Type.Array(
    Type.Object({ allocation_id: Id, invoice_id: nullable(Id), bill_id: nullable(Id), amount: Amount }),
  ),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showPayment(payment: PaymentWithAllocations): Static<typeof Payment> {
  const amount = (minor: bigint) => toAmount(minor, payment.currency_code)
  return {
    payment_id: payment.id,
    payment_number: payment.payment_number,
    flow: payment.flow,
    payment_type: payment.payment_type,
    contact_id: payment.contact_id,
    contact_name: payment.contact_name,
    date: showDate(payment.date),
    amount: amount(payment.amount),
    unapplied_amount: amount(payment.unapplied),
    mode: payment.mode as Static<typeof Mode>,
    reference_number: payment.reference_number,
    description: payment.description,
    bank_account_id: payment.bank_account_id,
    currency_code: payment.currency_code,
    exchange_rate: Number(payment.exchange_rate),
    bank_charges: amount(payment.bank_charges),
    tds_amount: amount(payment.tds_amount),
    allocations: payment.allocations.map((each) => ({
      allocation_id: each.id,
      invoice_id: each.invoice_id,
      bill_id: each.bill_id,
      amount: amount(each.amount),
    })),
    tags: payment.tags,
    created_time: payment.created_time.toISOString(),
    last_modified_time: payment.last_modified_time.toISOString(),
  }
}
