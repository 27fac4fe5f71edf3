// The nightly housekeeping of a time zone: overdue documents become OVERDUE, the next financial year is opened.
import { patched, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { sweptText, type HousekeepingInput, type Swept } from '../domain/housekeeping.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function housekeeping(input: HousekeepingInput = {}): Promise<Swept> {
  const { openFinancialYears, sweepOverdue } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    // Whatever is thrown is trouble of our own, such as a database that is away: it passes.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  })
  const where = input.timeZone ?? 'every zone'
  upsertSearchAttributes(searchPairs({ entityType: 'HOUSEKEEPING', state: 'SWEEPING' }))
  // Beside each other, since neither should wait for what holds up the other. Runs of before know nothing of years.
  const [swept, opened] = await Promise.all([
    sweepOverdue.executeWithOptions({ summary: `sweep of ${where}` }, [input]),
    patched('financial-years') ? openFinancialYears.executeWithOptions({ summary: `financial years of ${where}` }, [input]) : 0,
  ])
  upsertSearchAttributes(searchPairs({ state: 'SWEPT' }))
  setCurrentDetails(opened === 0 ? sweptText(swept) : `${sweptText(swept)}; ${opened} financial years opened`)
  return swept
}
