// The smallest workflow: one activity that does nothing.
import { proxyActivities } from '@temporalio/workflow'

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '1 minute' })

export async function oneActivity(): Promise<void> {
  await nothing()
}
