// The dispute of an invoice: its customer says not to owe it, or not all of it. Nothing in the ledger changes by that.
import { invalidState } from './faults.ts'
import { MOVES, nextStatus } from './lifecycle.ts'

export interface Dispute {
  reason: string
  /** An instant. */
  disputed_at: string
}

interface Disputable {
  status: string
  dispute: Dispute | null
}

/** Throws conflict.invalid_state for an invoice that is not owed, or is disputed already. */
export function refuseDispute({ status, dispute }: Disputable): void {
  nextStatus('INVOICE', 'dispute', status)
  if (dispute === null) return
  const message = 'The invoice is disputed already; resolve that dispute first.'
  throw invalidState(message, status, MOVES.INVOICE.dispute.from, { disputed_at: dispute.disputed_at })
}

/** Throws conflict.invalid_state for an invoice that nobody disputes. */
export function refuseResolution({ status, dispute }: Disputable): void {
  if (dispute === null)
    throw invalidState('Nobody disputes the invoice.', status, MOVES.INVOICE.dispute.from, { dispute: null })
}
