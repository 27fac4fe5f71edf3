// The workflow of the daily reconcile: starts or signals the workflows of recurring schedules that have missed their tick.
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { searchPairs } from '../domain/search-attributes.ts'

export async function reconcileSchedules(): Promise<number> {
  const { reconcileMissed } = proxyActivities<Activities['core']>({
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '15 seconds',
    // Every error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  })
  upsertSearchAttributes(searchPairs({ entityType: 'RECURRING', state: 'RECONCILING' }))
  setCurrentDetails('RECONCILING')
  const signalled = await reconcileMissed.executeWithOptions({ summary: 'schedules that have missed their tick' }, [])
  upsertSearchAttributes(searchPairs({ state: 'RECONCILED' }))
  setCurrentDetails(`${signalled} schedules had missed their tick`)
  return signalled
}
