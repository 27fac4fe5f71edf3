// Records the histories of this folder again, one for each course of a workflow: run it when a workflow has changed for good.
//   TEST_DATABASE_URL=... TEST_TEMPORAL_ADDRESS=... node test/replay/record.ts [bulks] [circuits] [conversions] [e-invoices] [housekeeping] [mails] [renders] [schedules] [taken] [webhooks]
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { Engine } from '../../gateways/temporal/engine.ts'
import { recordBulks } from './bulks.ts'
import { recordCircuits } from './circuits.ts'
import { recordConversions } from './conversions.ts'
import { recordEInvoices } from './e-invoices.ts'
import { recordHousekeeping } from './housekeeping.ts'
import { recordMails } from './mails.ts'
import { RECORDING_KEY } from './recording-key.ts'
import { recordRenders } from './renders.ts'
import { recordSchedules } from './schedules.ts'
import { recordTakenUp } from './taken-up.ts'
import { recordWebhooks } from './webhooks.ts'

/** Saves the history of a process, or of one of its runs, once it has come to its end, whichever that is. */
export type Save = (engine: Engine, workflowId: string, name: string, runId?: string) => Promise<void>

// The replays decrypt the histories with it.
process.env.TEST_ENCRYPTION_KEY = RECORDING_KEY

const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url))
const STORIES: Record<string, (save: Save) => Promise<void>> = {
  bulks: recordBulks, circuits: recordCircuits, conversions: recordConversions, 'e-invoices': recordEInvoices, housekeeping: recordHousekeeping,
  mails: recordMails, renders: recordRenders, schedules: recordSchedules, taken: recordTakenUp, webhooks: recordWebhooks,
}

// Who was at work, and in which folder, is of no interest to anybody else.
const save: Save = async ({ client: { workflow } }, workflowId, name, runId) => {
  const handle = workflow.getHandle(workflowId, runId, { followRuns: runId === undefined })
  await handle.result().catch(() => undefined)
  const history = JSON.parse(historyToJSON(await handle.fetchHistory()))
  const text = JSON.stringify(history, (key, value) => (key === 'stackTrace' ? '' : /^\d+@/.test(value) ? 'worker' : value), 1)
  await writeFile(`${HISTORIES}${name}.json`, `${text}\n`)
  console.log(`recorded ${name}`)
}

await mkdir(HISTORIES, { recursive: true })
const wanted = process.argv.slice(2)
for (const [story, record] of Object.entries(STORIES)) if (wanted.length === 0 || wanted.includes(story)) await record(save)
