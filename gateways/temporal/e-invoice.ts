// Starts the workflow of an e-invoice, or tells it that its row has changed.
import { E_INVOICE_CHANGED, eInvoiceProcessId, type EInvoiceInput } from '../../domain/e-invoice/state.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'

const SIGNAL_MS = 5_000

/** Throws EngineUnavailable. */
export type AttendEInvoice = (input: EInvoiceInput) => Promise<void>

export function createEInvoiceSignals({ client, connection, taskQueue }: WorkflowStarter): AttendEInvoice {
  return async (input) => {
    const send = () =>
      client.workflow.signalWithStart('registerEInvoice', {
        // A document is registered first, and cancelled or tried again later, so another run may follow.
        ...startOptions(taskQueue, {
          workflowId: eInvoiceProcessId(input.id),
          input,
          findable: { orgId: input.orgId, entityType: input.kind, entityId: input.id, state: 'PENDING' },
          summary: `e-invoice of ${input.kind} ${input.id}`,
        }),
        signal: E_INVOICE_CHANGED,
        signalArgs: [],
      })
    try {
      await connection.withDeadline(Date.now() + SIGNAL_MS, async () => void (await send()))
    } catch (error) {
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }
}
