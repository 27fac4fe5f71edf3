// The attempts at a batch of webhook deliveries; those that are refused get a process of their own from the relay.
import {
  ParentClosePolicy, WorkflowIdReusePolicy, proxyActivities, setCurrentDetails, startChild, upsertSearchAttributes,
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
    // Whatever is thrown is trouble of our own, such as a database that is away: it passes.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  })
  const { refused, failed = refused.length } = await attemptBatch.executeWithOptions({ summary: 'attempts, side by side' }, [input])
  // Only batches from before 0.2 name deliveries here; their histories have these starts.
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
    // Somebody else, such as the sweeper, was quicker: the delivery is in good hands.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
