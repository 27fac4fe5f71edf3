// The workflow of a batch of webhook deliveries: makes their attempts. The relay starts the workflows of those that are refused.
import {
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  proxyActivities,
  setCurrentDetails,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import type { Activities } from '../activities/create.ts'
import { deliveryProcessId, type DeliveryInput, type DispatchInput } from '../domain/delivery.ts'
import { searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'
import { webhookDelivery } from './webhook-delivery.ts'

export async function webhookDispatch(input: DispatchInput): Promise<{ refused: number }> {
  const { attemptBatch } = proxyActivities<Activities['webhooks']>({
    taskQueue: queueBeside(workflowInfo().taskQueue, 'webhooks'),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '15 seconds',
    // Every error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  })
  setCurrentDetails('DISPATCHING: attempts are being made')
  const { refused, failed = refused.length } = await attemptBatch.executeWithOptions(
    { summary: 'attempts, side by side' },
    [input],
  )
  // Only batches from before 0.2 have deliveries here; their histories contain these starts.
  await Promise.all(refused.map(startRetries))
  upsertSearchAttributes(searchPairs({ state: failed > 0 ? 'REFUSED' : 'DELIVERED' }))
  setCurrentDetails(`${failed} refused` + refused.map(({ deliveryId }) => `\n- webhook/${deliveryId}`).join(''))
  return { refused: failed }
}

async function startRetries(delivery: DeliveryInput): Promise<void> {
  const { orgId, endpointId, entityType, entityId } = delivery
  try {
    await startChild(webhookDelivery, {
      workflowId: deliveryProcessId(delivery.deliveryId, delivery.series),
      args: [delivery],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      typedSearchAttributes: searchPairs({ orgId, endpointId, entityType, entityId }),
      staticSummary: `retries of a webhook about ${entityType} ${entityId}`,
    })
  } catch (error) {
    // Another process, such as the relay, has started the workflow of this delivery already.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
