// The way that the nightly housekeeping, the daily reconcile of schedules and the sweep of reminders go, to be recorded.
import { openWorkflowSetup } from '../workflows/setup.ts'
import type { Save } from './record.ts'

export async function recordHousekeeping(save: Save): Promise<void> {
  const setup = await openWorkflowSetup()
  await setup.startWorker()
  for (const [name, input] of [['housekeeping', []], ['housekeeping-of-a-zone', [{ timeZone: 'Asia/Kolkata' }]]] as const) {
    const workflowId = `${name}/${setup.env.TEMPORAL_QUEUE_SUFFIX}`
    await setup.engine.client.workflow.start('housekeeping', { workflowId, taskQueue: `core-${setup.env.TEMPORAL_QUEUE_SUFFIX}`, args: [...input] })
    await save(setup.engine, workflowId, name)
  }
  for (const [name, type] of [['reconcile-schedules', 'reconcileSchedules'], ['remind-customers', 'remindCustomers']] as const) {
    const workflowId = `${name}/${setup.env.TEMPORAL_QUEUE_SUFFIX}`
    await setup.engine.client.workflow.start(type, { workflowId, taskQueue: `core-${setup.env.TEMPORAL_QUEUE_SUFFIX}`, args: [] })
    await save(setup.engine, workflowId, name)
  }
  await setup.close()
}
