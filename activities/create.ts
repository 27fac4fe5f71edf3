// All activities by the task queue that carries them out.
import type { AttemptParts } from './attempts.ts'
import { webhookActivities } from './webhooks.ts'

export type Parts = AttemptParts

export function createActivities(parts: Parts) {
  const { abandonDelivery, attemptBatch, attemptDelivery } = webhookActivities(parts)
  return {
    core: { abandonDelivery },
    webhooks: { attemptBatch, attemptDelivery },
  }
}

export type Activities = ReturnType<typeof createActivities>
