// Starts the workflow of a mail, and waits for its end while the caller waits.
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client'
import { fault } from '../../domain/faults.ts'
import { mailProcessId, type MailInput, type MailOutcome } from '../../domain/mail-run.ts'
import { fairShareOf } from '../../domain/task-queues.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'

/** What a mail is about, for operators. */
export interface MailAbout {
  entityType: string
  entityId: string
  /** False for mail that nobody waits for: while tasks wait on the server, those of others come before. */
  isUrgent?: boolean
}

export interface MailWorkflows {
  /** Starts the workflow of a stored mail; does nothing where it is under way or has ended. Throws EngineUnavailable. */
  startMail(input: MailInput, about: MailAbout): Promise<void>
  /** Starts it and waits for its end. Throws service.unavailable when Temporal is unavailable or the time is over. */
  runMail(input: MailInput, about: MailAbout): Promise<void>
}

/** The time limits for Temporal to accept a mail, which many at once may delay, and for all of it. */
const MAIL_START_MS = 8_000
const MAIL_MS = 30_000
/** Temporal's lowest priority; the ordinary one is 3. */
const LATER = 5

export function createMailWorkflows({ client, connection, taskQueue }: WorkflowStarter): MailWorkflows {
  // Never again where a workflow of this id has ended well: what became of the mail is final.
  const start = (input: MailInput, { entityType, entityId, isUrgent = true }: MailAbout) =>
    connection.withDeadline(Date.now() + MAIL_START_MS, () =>
      client.workflow.start<(input: MailInput) => Promise<MailOutcome>>('sendDocumentEmail', {
        ...startOptions(taskQueue, {
          workflowId: mailProcessId(input.emailId),
          input,
          findable: { orgId: input.orgId, entityType, entityId, state: 'READY' },
          summary: `mail about ${entityType} ${entityId}`,
        }),
        priority: { ...fairShareOf(input.orgId), ...(isUrgent ? {} : { priorityKey: LATER }) },
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      }),
    )

  return {
    async startMail(input, about) {
      try {
        await start(input, about)
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return
        throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
      }
    },
    async runMail(input, about) {
      const untilMs = Date.now() + MAIL_MS
      try {
        const run = await start(input, about)
        await connection.withDeadline(untilMs, () => run.result())
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return
        throw isEngineUnavailable(error) || error instanceof WorkflowFailedError ? mailNotDone(error) : error
      }
    },
  }
}

// Nothing is lost: the mail is stored, and a repeat of the call finds it or waits for it again.
function mailNotDone(cause: unknown) {
  const message = 'The mail has not been sent yet; send the call again with the same Idempotency-Key.'
  return fault('service.unavailable', { message, retryAfter: 5, cause })
}
