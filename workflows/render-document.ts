// The workflow of a PDF: renders one version of a document once, however many ask for it at the same time.
import { proxyActivities, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import type { RenderedFile, RenderInput } from '../domain/render-run.ts'
import { searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

export async function renderDocument(input: RenderInput): Promise<RenderedFile> {
  const activities = proxyActivities<Activities['documents']>({
    taskQueue: queueBeside(workflowInfo().taskQueue, 'documents'),
    // The engine may be started three times, and the document be converted twice.
    startToCloseTimeout: '10 minutes',
    scheduleToCloseTimeout: '1 hour',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  })
  setCurrentDetails(`RENDERING: ${input.kind} ${input.id}`)
  const file = await activities.renderDocument(input)
  setCurrentDetails(`RENDERED: ${file.bytes} bytes of version ${file.version}`)
  upsertSearchAttributes(searchPairs({ state: 'RENDERED' }))
  return file
}
