// Checks the amounts and allocations of a payment, as far as its body alone decides.
import type { AllocationInput } from './allocation.ts'
import { fault } from './faults.ts'
import { amountAboveZero, maxTotal, refuseNonPositive, sum, toAmount, toDecimalText, type Minor } from './money.ts'
import type { Flow, PaymentType } from './posting/payment.ts'

/** The allocation of an amount to one document; exactly one of the two ids is sent. */
export interface AllocationBody {
  invoice_id?: string | null
  bill_id?: string | null
  amount: number
}

/** The amounts of a payment, in minor units of its currency. */
export interface PaymentAmounts {
  flow: Flow
  amount: Minor
  tds_amount: Minor
  bank_charges: Minor
  currency_code: string
}

/** Throws validation.invalid_value for an amount of 0 or less, one that is too large, and for TDS and charges above the amount. */
export function refuseAmounts({
  flow,
  amount,
  tds_amount,
  bank_charges,
  currency_code: currency,
}: PaymentAmounts): void {
  const most = maxTotal(currency)
  refuseNonPositive(amount, currency, 'amount')
  refuseAbove('amount', amount, most, 'the maximum of a payment', currency)
  refuseAbove('tds_amount', tds_amount, amount, "the payment's amount", currency)
  if (flow === 'INCOMING')
    refuseAbove('bank_charges', bank_charges, amount - tds_amount, 'the amount less tds_amount', currency)
  refuseAbove('bank_charges', bank_charges, most, 'the maximum of bank charges', currency)
}

/** The allocations as allocate takes them. Throws validation.invalid_value for a document of the other side, a refund, or an amount that rounds to 0. */
export function allocationInputs(
  flow: Flow,
  type: PaymentType,
  bodies: AllocationBody[],
  currency: string,
): AllocationInput[] {
  return bodies.map((body, index) => allocationInput(flow, type, body, currency, `allocations.${index}.`))
}

/** As allocationInputs, for one allocation; `path` is the prefix of its field names. */
export function allocationInput(
  flow: Flow,
  type: PaymentType,
  body: AllocationBody,
  currency: string,
  path: string,
): AllocationInput {
  const [own, other] = flow === 'INCOMING' ? (['invoice_id', 'bill_id'] as const) : (['bill_id', 'invoice_id'] as const)
  if (body[other] != null) {
    throw fault('validation.invalid_value', {
      field: path + other,
      message: `An ${flow} payment cannot have ${other}.`,
    })
  }
  const documentId = body[own]!
  if (type === 'REFUND')
    throw fault('validation.invalid_value', {
      field: path + own,
      message: 'A refund cannot be allocated to a document.',
    })
  const amount = amountAboveZero(body.amount, currency, `${path}amount`)
  return { documentId: documentId.toLowerCase(), amount, fields: { document: path + own, amount: `${path}amount` } }
}

/** Throws validation.invalid_value where the allocations exceed the amount, in minor units. */
export function refuseOverAllocation(inputs: AllocationInput[], amount: Minor, currency: string): void {
  refuseAbove('allocations', sum(inputs.map((each) => each.amount)), amount, "the payment's amount", currency)
}

function refuseAbove(field: string, amount: Minor, limit: Minor, limitName: string, currency: string): void {
  if (amount <= limit) return
  throw fault('validation.invalid_value', {
    field,
    message: `${field}: ${toDecimalText(amount, currency)} is above ${limitName}, ${toDecimalText(limit, currency)} ${currency}.`,
    details: { limit: toAmount(limit, currency) },
  })
}
