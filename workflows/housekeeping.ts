// The workflow of the nightly housekeeping: marks documents as OVERDUE and opens financial years, for one time zone or all.
import { patched, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { sweptText, type HousekeepingInput, type Swept } from '../domain/housekeeping.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function housekeeping(input: HousekeepingInput = {}): Promise<Swept> {
  const { openFinancialYears, sweepOverdue } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    // Every error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  })
  const where = input.timeZone ?? 'every zone'
  upsertSearchAttributes(searchPairs({ entityType: 'HOUSEKEEPING', state: 'SWEEPING' }))
  setCurrentDetails(`SWEEPING: ${where}`)
  // Concurrently, so that neither waits for what delays the other. Runs from before `financial-years` do not have the second.
  const [swept, opened] = await Promise.all([
    sweepOverdue.executeWithOptions({ summary: `sweep of ${where}` }, [input]),
    patched('financial-years')
      ? openFinancialYears.executeWithOptions({ summary: `financial years of ${where}` }, [input])
      : 0,
  ])
  upsertSearchAttributes(searchPairs({ state: 'SWEPT' }))
  setCurrentDetails(opened === 0 ? sweptText(swept) : `${sweptText(swept)}; ${opened} financial years opened`)
  return swept
}
