// The nightly housekeeping of a time zone: what is owed for too long becomes OVERDUE.
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { sweptText, type HousekeepingInput, type Swept } from '../domain/housekeeping.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function housekeeping(input: HousekeepingInput = {}): Promise<Swept> {
  const { sweepOverdue } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    // Whatever is thrown is trouble of our own, such as a database that is away: it passes.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  })
  upsertSearchAttributes(searchPairs({ entityType: 'HOUSEKEEPING', state: 'SWEEPING' }))
  const swept = await sweepOverdue.executeWithOptions({ summary: `sweep of ${input.timeZone ?? 'every zone'}` }, [input])
  upsertSearchAttributes(searchPairs({ state: 'SWEPT' }))
  setCurrentDetails(sweptText(swept))
  return swept
}
