// All activities by the task queue that carries them out.
import { conversionActivities, type ConversionParts } from './conversions.ts'
import { financialYearActivities } from './financial-years.ts'
import { housekeepingActivities, type HousekeepingParts } from './housekeeping.ts'
import { webhookActivities, type WebhookParts } from './webhooks.ts'

export type Parts = WebhookParts & ConversionParts & HousekeepingParts

export function createActivities(parts: Parts) {
  const { abandonDelivery, attemptBatch, attemptDelivery } = webhookActivities(parts)
  const { convertNext } = conversionActivities(parts)
  const { sweepOverdue } = housekeepingActivities(parts)
  const { openFinancialYears } = financialYearActivities(parts)
  return {
    core: { abandonDelivery, convertNext, openFinancialYears, sweepOverdue },
    webhooks: { attemptBatch, attemptDelivery },
  }
}

export type Activities = ReturnType<typeof createActivities>
