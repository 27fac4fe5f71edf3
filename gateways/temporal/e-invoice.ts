// Starts the workflow of an e-invoice, or tells it that its row has changed.
import type { Client, Connection } from '@temporalio/client'
import { E_INVOICE_CHANGED, eInvoiceProcessId, type EInvoiceInput } from '../../domain/e-invoice/state.ts'
import { searchPairs } from '../../domain/search-attributes.ts'
import { fairShareOf } from '../../domain/task-queues.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'

const SIGNAL_MS = 5_000

/** Throws EngineUnavailable. */
export type AttendEInvoice = (input: EInvoiceInput) => Promise<void>

export function createEInvoiceSignals({
  client,
  connection,
  taskQueue,
}: {
  client: Client
  connection: Connection
  taskQueue: string
}): AttendEInvoice {
  return async (input) => {
    const send = () =>
      client.workflow.signalWithStart('registerEInvoice', {
        workflowId: eInvoiceProcessId(input.id),
        args: [input],
        taskQueue,
        priority: fairShareOf(input.orgId),
        workflowIdConflictPolicy: 'USE_EXISTING',
        // A document is registered first, and cancelled or tried again later.
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        typedSearchAttributes: searchPairs({
          orgId: input.orgId,
          entityType: input.kind,
          entityId: input.id,
          state: 'PENDING',
        }),
        staticSummary: `e-invoice of ${input.kind} ${input.id}`,
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
