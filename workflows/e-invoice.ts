// The workflow of an e-invoice: registers a document at its portal, or cancels it there, and tries again while the portal is unavailable.
import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { E_INVOICE_CHANGED, type Attended, type EInvoiceInput, type EInvoiceStatus } from '../domain/e-invoice/state.ts'
import { SEARCH_ATTRIBUTES, searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

/** The row has changed, or an operator wants the next look now. */
export const changed = defineSignal(E_INVOICE_CHANGED)

export async function registerEInvoice(input: EInvoiceInput): Promise<EInvoiceStatus> {
  const { attendEInvoice } = proxyActivities<Activities['documents']>({
    taskQueue: queueBeside(workflowInfo().taskQueue, 'documents'),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '15 seconds',
    // What the portal refuses is an answer. Every error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  })
  let asked = false
  setHandler(changed, () => void (asked = true), { description: 'Look at the e-invoice now.' })
  const wasAsked = () => asked

  for (let look = 1; ; look += 1) {
    asked = false
    const { status, waitMs }: Attended = await attendEInvoice.executeWithOptions({ summary: `look ${look}` }, [input])
    const nextAt = waitMs === null ? null : new Date(Date.now() + waitMs)
    upsertSearchAttributes([
      ...searchPairs({ state: status, attempt: look }),
      { key: SEARCH_ATTRIBUTES.nextAt, value: nextAt },
    ])
    setCurrentDetails(`${status}: look ${look}${nextAt ? `, next at ${nextAt.toISOString()}` : ''}`)
    if (waitMs === null) {
      if (wasAsked()) continue
      return status
    }
    if (waitMs > 0) await condition(wasAsked, waitMs, { summary: 'the portal is unavailable' })
  }
}
