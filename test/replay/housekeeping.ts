// The way that the nightly housekeeping goes, to be recorded.
import { openStage } from '../workflows/stage.ts'
import type { Save } from './record.ts'

export async function recordHousekeeping(save: Save): Promise<void> {
  const stage = await openStage()
  await stage.startWorker()
  for (const [name, input] of [['housekeeping', []], ['housekeeping-of-a-zone', [{ timeZone: 'Asia/Kolkata' }]]] as const) {
    const workflowId = `${name}/${stage.env.TEMPORAL_QUEUE_SUFFIX}`
    await stage.engine.client.workflow.start('housekeeping', { workflowId, taskQueue: `core-${stage.env.TEMPORAL_QUEUE_SUFFIX}`, args: [...input] })
    await save(stage.engine, workflowId, name)
  }
  await stage.close()
}
