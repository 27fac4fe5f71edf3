// Starts and signals the workflows of recurring schedules, and runs a schedule while a caller waits.
import { randomUUID } from 'node:crypto'
import {
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { Fault, fault, FAULTS, type FaultCode } from '../../domain/faults.ts'
import {
  RUN_NOW,
  scheduleProcessId,
  type CarriedFault,
  type ManualRun,
  type RunRequest,
  type ScheduleInput,
  type ScheduleSignal,
} from '../../domain/schedule.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'

/** The time limits for Temporal to accept a signal, and for a run that a caller waits for. */
const SIGNAL_MS = 5_000
const RUN_NOW_MS = 10_000

/** Tells the workflow of a schedule that its row has changed; starts it where there is none. Throws EngineUnavailable. */
export type SignalSchedule = (input: ScheduleInput, signal: ScheduleSignal) => Promise<void>
/**
 * Ends the workflow of a schedule, if there is one, and starts another: what it keeps is then encrypted with the first key of
 * the ring. The row in PostgreSQL says what is due. Throws EngineUnavailable.
 */
export type RenewSchedule = (input: ScheduleInput) => Promise<void>
/**
 * Runs a schedule now. With `anew`, also where Temporal remembers that it has done so. Throws the Fault with which the run is
 * refused, and service.unavailable when the time is over.
 */
export type RunScheduleNow = (input: ScheduleInput, ask: RunRequest, anew?: boolean) => Promise<ManualRun>

type ScheduleWorkflow = (input: ScheduleInput) => Promise<unknown>

// A completed schedule may be resumed, so another run may follow.
const startOf = (input: ScheduleInput, taskQueue: string) =>
  startOptions(taskQueue, {
    workflowId: scheduleProcessId(input.scheduleId),
    input,
    findable: { orgId: input.orgId, entityType: 'RECURRING', entityId: input.scheduleId },
    summary: `recurring schedule of ${input.entityType} ${input.scheduleId}`,
  })

export function createScheduleSignals({ client, connection, taskQueue }: WorkflowStarter): SignalSchedule {
  return async (input, signal) => {
    const send = () =>
      signal === 'deleted'
        ? client.workflow.getHandle(scheduleProcessId(input.scheduleId)).signal(signal)
        : client.workflow.signalWithStart('recurringSchedule', { ...startOf(input, taskQueue), signal, signalArgs: [] })
    try {
      await connection.withDeadline(Date.now() + SIGNAL_MS, async () => void (await send()))
    } catch (error) {
      // The workflow of a deleted schedule has ended already, or never began.
      if (signal === 'deleted' && error instanceof WorkflowNotFoundError) return
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }
}

export function createScheduleRenewal(starter: WorkflowStarter): RenewSchedule {
  const { client, connection } = starter
  const signal = createScheduleSignals(starter)
  return async (input) => {
    const handle = client.workflow.getHandle(scheduleProcessId(input.scheduleId))
    try {
      await connection.withDeadline(Date.now() + SIGNAL_MS, () => handle.terminate('started anew'))
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) {
        throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
      }
    }
    await signal(input, 'configChanged')
  }
}

export function createRunNow({ client, connection, taskQueue }: WorkflowStarter): RunScheduleNow {
  return async (input, ask, anew = false) => {
    const startWorkflowOperation = new WithStartWorkflowOperation<ScheduleWorkflow>(
      'recurringSchedule',
      startOf(input, taskQueue),
    )
    try {
      return await connection.withDeadline(Date.now() + RUN_NOW_MS, () =>
        client.workflow.executeUpdateWithStart<ScheduleWorkflow, ManualRun, [RunRequest]>(RUN_NOW, {
          startWorkflowOperation,
          // A repeat of the call joins the update that is under way.
          updateId: anew ? `${ask.runId}/${randomUUID()}` : ask.runId,
          args: [ask],
        }),
      )
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** How Temporal's server names the failure of an update whose workflow ended before it. */
const WORKFLOW_ENDED = 'AcceptedUpdateCompletedWorkflow'

function refusalOf(error: unknown): unknown {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null
  if (cause instanceof ApplicationFailure && isFaultCode(cause.type)) {
    const { status, ...particulars } = (cause.details?.[0] ?? {}) as CarriedFault
    return new Fault(cause.type, { message: cause.message, status, ...particulars })
  }
  // The workflow was ended meanwhile, by an operator or because it was started anew.
  if (cause instanceof ApplicationFailure && cause.type === WORKFLOW_ENDED) return notDoneYet(error)
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isEngineUnavailable(error)) return notDoneYet(error)
  return error
}

const isFaultCode = (code: string | null | undefined): code is FaultCode => typeof code === 'string' && code in FAULTS

// Nothing is lost: the run has the id of the request, and a repeat of the call finds it done or continues it.
function notDoneYet(cause: unknown): Fault {
  const message = 'The run has not finished yet; send the call again with the same Idempotency-Key.'
  return fault('service.unavailable', { message, retryAfter: 2, cause })
}
