// All activities by the task queue that carries them out.
import type { AttemptParts } from './attempts.ts'
import { housekeepingActivities, type HousekeepingParts } from './housekeeping.ts'
import { webhookActivities } from './webhooks.ts'

export type Parts = AttemptParts & HousekeepingParts

export function createActivities(parts: Parts) {
  const { abandonDelivery, attemptBatch, attemptDelivery } = webhookActivities(parts)
  const { sweepOverdue } = housekeepingActivities(parts)
  return {
    core: { abandonDelivery, sweepOverdue },
    webhooks: { attemptBatch, attemptDelivery },
  }
}

export type Activities = ReturnType<typeof createActivities>
