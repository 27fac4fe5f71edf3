// Lists open workflows for an operator, and looks at the schedules of the nightly housekeeping.
import { ScheduleNotFoundError } from '@temporalio/client'
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js'
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts'
import type { Engine } from './engine.ts'

export interface OpenWorkflow {
  workflowId: string
  type: string
  startedAt: Date
  /** The organisation of its search attribute; null where it has none. */
  orgId: string | null
  /** When it goes on, of its search attribute; null where it has none. */
  nextAt: Date | null
}

/** The first `limit` workflows that a query of Temporal's visibility store finds. Throws where the server refuses the query. */
export async function listWorkflows(
  { client }: Pick<Engine, 'client'>,
  query: string,
  limit: number,
): Promise<OpenWorkflow[]> {
  const found: OpenWorkflow[] = []
  for await (const { workflowId, type, startTime, typedSearchAttributes } of client.workflow.list({
    query,
    pageSize: limit,
  })) {
    found.push({
      workflowId,
      type,
      startedAt: startTime,
      orgId: typedSearchAttributes.get(SEARCH_ATTRIBUTES.orgId) ?? null,
      nextAt: typedSearchAttributes.get(SEARCH_ATTRIBUTES.nextAt) ?? null,
    })
    if (found.length === limit) break
  }
  return found
}

/** Why the pending activity of a workflow has failed last, and the number of its next try; null where none has failed. */
export async function pendingFailureOf(
  { client }: Pick<Engine, 'client'>,
  workflowId: string,
): Promise<{ attempt: number; message: string } | null> {
  const { raw } = await client.workflow.getHandle(workflowId).describe()
  const pending = raw.pendingActivities?.find(({ lastFailure }) => lastFailure)
  if (!pending) return null
  const error = await decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, pending.lastFailure)
  return { attempt: pending.attempt ?? 0, message: error?.message ?? '' }
}

/** Why a workflow has failed: the innermost message. */
export async function failureOf({ client }: Pick<Engine, 'client'>, workflowId: string): Promise<string> {
  try {
    await client.workflow.getHandle(workflowId).result()
    return ''
  } catch (error) {
    let cause = error as Error
    while (cause.cause instanceof Error) cause = cause.cause
    return cause.message
  }
}

/** More ids make a query too long for the visibility store. */
const ASKED_AT_ONCE = 50

/** The open runs of these workflow ids, by id. They hold only ids and fixed words. */
export async function openAmong(
  engine: Pick<Engine, 'client'>,
  workflowIds: readonly string[],
): Promise<Map<string, OpenWorkflow>> {
  const open = new Map<string, OpenWorkflow>()
  for (let from = 0; from < workflowIds.length; from += ASKED_AT_ONCE) {
    const asked = workflowIds.slice(from, from + ASKED_AT_ONCE)
    const query = `ExecutionStatus = 'Running' AND WorkflowId IN (${asked.map((id) => `'${id}'`).join(', ')})`
    for (const workflow of await listWorkflows(engine, query, asked.length)) open.set(workflow.workflowId, workflow)
  }
  return open
}

/** The state of one of the schedules of housekeeping and of the daily reconcile. */
export async function scheduleState(
  { client }: Pick<Engine, 'client'>,
  id: string,
): Promise<'missing' | 'paused' | 'running'> {
  try {
    const { state } = await client.schedule.getHandle(id).describe()
    return state.paused ? 'paused' : 'running'
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'missing'
    throw error
  }
}
