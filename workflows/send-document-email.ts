// The workflow of a mail: its PDF is rendered and kept, then the mail is sent once, and what became of it is recorded.
import { ActivityFailure } from '@temporalio/common'
import { proxyActivities, setCurrentDetails, sleep, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import type { MailInput, MailOutcome, SendOutcome } from '../domain/mail-run.ts'
import { searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

const RETRY = { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' } as const
/** The waits after which a mail that never reached the provider is sent again; together an hour and a half. */
const WAITS_SECONDS = [1, 2, 4, 8, 15, 30, 60, 120, 300, 600, 1200, 3000]

export async function sendDocumentEmail(input: MailInput): Promise<MailOutcome> {
  const taskQueue = queueBeside(workflowInfo().taskQueue, 'documents')
  const { renderDocument, keepMailedPdf } = pdfActivities(taskQueue)
  const { sendMail } = proxyActivities<Activities['documents']>({
    taskQueue,
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout: '10 seconds',
    retry: RETRY,
  })
  const { recordMail } = proxyActivities<Activities['core']>({ startToCloseTimeout: '10 seconds', retry: RETRY })

  const refused = input.pdfOf === null ? null : await withoutPdf(input.pdfOf)
  for (let tries = 0; ; tries += 1) {
    const outcome =
      refused ?? (await sendMail.executeWithOptions({ summary: `call ${tries + 1} of the provider` }, [input]))
    const wait = outcome.kind === 'NOT_SENT' ? WAITS_SECONDS[tries] : undefined
    const last: SendOutcome =
      outcome.kind === 'NOT_SENT' && wait === undefined
        ? { kind: 'REJECTED', refusal: 'LATE', reason: `${outcome.reason} It was tried for an hour and a half.` }
        : outcome
    const state = await recordMail.executeWithOptions({ summary: last.kind }, [input, last])
    setCurrentDetails(state === 'READY' && outcome.kind === 'NOT_SENT' ? `waits: ${outcome.reason}` : state)
    upsertSearchAttributes(searchPairs({ state, attempt: tries + 1 }))
    if (wait === undefined) return { state }
    await sleep(`${wait} seconds`)
  }

  /** Renders and keeps the PDF. Returns why the mail is not sent without it; null where there it is. */
  async function withoutPdf({
    kind,
    id,
  }: {
    kind: NonNullable<MailInput['pdfOf']>['kind']
    id: string
  }): Promise<SendOutcome | null> {
    try {
      const rendered = await renderDocument.executeWithOptions({ summary: `PDF of ${kind}` }, [
        { orgId: input.orgId, kind, id },
      ])
      const pdf = await keepMailedPdf(input, rendered)
      if (pdf.kept) return null
      return {
        kind: 'REJECTED',
        refusal: 'TOO_LARGE',
        reason: `The PDF has ${pdf.bytes} bytes, more than can be mailed.`,
      }
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error
      return { kind: 'REJECTED', refusal: 'NOT_RENDERED', reason: 'The PDF of the document could not be made.' }
    }
  }
}

function pdfActivities(taskQueue: string) {
  const limits = { taskQueue, scheduleToCloseTimeout: '1 hour', retry: RETRY } as const
  const { renderDocument } = proxyActivities<Activities['documents']>({
    ...limits,
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '15 seconds',
  })
  const { keepMailedPdf } = proxyActivities<Activities['documents']>({ ...limits, startToCloseTimeout: '1 minute' })
  return { renderDocument, keepMailedPdf }
}
