// The workflow of a bulk: works through its rows, however often the worker dies, until each is created or refused.
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import { bulkText } from '../domain/bulk.ts'
import type { BulkInput, BulkProgress } from '../domain/bulk-run.ts'
import { searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

/** How far the bulk has come, at the end of the last run of its activity. */
const bulkProgress = defineQuery<BulkProgress>('progress')
/** Looks now whether the organisation is active again. */
const lookAgain = defineSignal('lookAgain')

// Rows of an organisation continue within a minute of its reactivation, as deliveries do (decisions §10).
const SUSPENDED_MS = 50_000

export async function bulkCreate(input: BulkInput): Promise<BulkProgress> {
  const { kind, total } = input
  const { createRows } = proxyActivities<Activities['bulk']>({
    taskQueue: queueBeside(workflowInfo().taskQueue, 'bulk'),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '15 seconds',
    // Refused rows are results. Every error is one of our own, such as an unavailable database, and is retried.
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  })
  let progress: BulkProgress = input.progress ?? { total, succeeded: 0, failed: 0, state: 'RUNNING' }
  let isAsked = false
  setHandler(bulkProgress, () => progress, { description: 'How many rows are created and refused.' })
  setHandler(lookAgain, () => void (isAsked = true), { description: 'Look now whether the organisation is active.' })
  setCurrentDetails(`${progress.state}: ${bulkText(kind, progress)}`)
  for (;;) {
    const from = progress.succeeded + progress.failed
    const last = progress.state
    progress = await createRows.executeWithOptions({ summary: `rows from ${from} of ${total}` }, [input])
    if (progress.state !== last) upsertSearchAttributes(searchPairs({ state: progress.state }))
    setCurrentDetails(`${progress.state}: ${bulkText(kind, progress)}`)
    if (progress.state === 'COMPLETED') return progress
    if (progress.state === 'SUSPENDED') {
      await condition(() => isAsked, SUSPENDED_MS, { summary: 'organisation suspended' })
      isAsked = false
    }
    // A suspension may last for months, and the history must not grow as long.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof bulkCreate>({ ...input, progress })
  }
}
