// All activities by the task queue that carries them out.
import { webhookActivities, type WebhookParts } from './webhooks.ts'

export type Parts = WebhookParts

export function createActivities(parts: Parts) {
  const { abandonDelivery, attemptBatch, attemptDelivery } = webhookActivities(parts)
  return {
    core: { abandonDelivery },
    webhooks: { attemptBatch, attemptDelivery },
  }
}

export type Activities = ReturnType<typeof createActivities>
