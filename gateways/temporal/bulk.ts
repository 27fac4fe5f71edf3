// Starts the workflow of a bulk, and waits for its end while the caller waits.
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { bulkProcessId, type BulkInput, type BulkProgress } from '../../domain/bulk-run.ts'
import { fault, type Fault } from '../../domain/faults.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'

export interface BulkWorkflows {
  /** Starts the workflow of a stored bulk; does nothing where it is under way. Throws EngineUnavailable. */
  startBulk(input: BulkInput): Promise<void>
  /** Starts it and waits for its end. Throws service.unavailable when Temporal is unavailable or the time is over. */
  runBulk(input: BulkInput): Promise<void>
}

interface BulkStarter extends WorkflowStarter {
  /** How long a call waits for the end of its bulk. */
  waitMs: number
}

/** The time limit for Temporal to accept a bulk. */
const BULK_START_MS = 2_000

export function createBulkWorkflows({ client, connection, taskQueue, waitMs }: BulkStarter): BulkWorkflows {
  type Handle = WorkflowHandle<(input: BulkInput) => Promise<BulkProgress>>

  // Again also where a workflow of this id has ended: an older state of the database may have rows that are pending anew.
  const start = (input: BulkInput): Promise<Handle> =>
    connection.withDeadline(Date.now() + BULK_START_MS, () =>
      client.workflow.start<(input: BulkInput) => Promise<BulkProgress>>(
        'bulkCreate',
        startOptions(taskQueue, {
          workflowId: bulkProcessId(input.bulkId),
          input,
          findable: { orgId: input.orgId, entityType: 'BULK', entityId: input.bulkId, state: 'RUNNING' },
          summary: `bulk of ${input.total} rows of kind ${input.kind}`,
        }),
      ),
    )

  return {
    async startBulk(input) {
      await start(input).catch((error: unknown) => {
        throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
      })
    },
    async runBulk(input) {
      const untilMs = Date.now() + waitMs
      try {
        const run = await start(input)
        await connection.withDeadline(untilMs, () => run.result())
      } catch (error) {
        throw isEngineUnavailable(error) || error instanceof WorkflowFailedError ? notDoneYet(input, error) : error
      }
    },
  }
}

// Nothing is lost: the bulk is stored, and a repeat of the call finds it done or waits for it again.
function notDoneYet({ bulkId: bulk_id }: BulkInput, cause: unknown): Fault {
  const message = 'The bulk has not finished yet; send the call again with the same Idempotency-Key.'
  return Object.assign(fault('service.unavailable', { message, retryAfter: 2, details: { bulk_id } }), { cause })
}
