// The workflow of reminders: queues those that are due by now, in every organisation.
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import type { RemindersSwept } from '../domain/reminders.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function remindCustomers(): Promise<RemindersSwept> {
  const { sweepReminders } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    // Every error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  })
  upsertSearchAttributes(searchPairs({ entityType: 'REMINDERS', state: 'SWEEPING' }))
  setCurrentDetails('SWEEPING')
  const swept = await sweepReminders.executeWithOptions({ summary: 'reminders that are due' }, [])
  upsertSearchAttributes(searchPairs({ state: 'SWEPT' }))
  setCurrentDetails(
    `${swept.reminded} reminders queued, ${swept.unreachable} customers unreachable, in ${swept.organizations} organisations`,
  )
  return swept
}
