// The options that every start of a workflow has alike: one run of an id at a time, a fair share of the queue, how it is found.
import type { Client, Connection } from '@temporalio/client'
import { searchPairs, type Findable } from '../../domain/search-attributes.ts'
import { fairShareOf } from '../../domain/task-queues.ts'

/** What the workflows of an engine are started with. */
export interface WorkflowStarter {
  client: Client
  connection: Connection
  taskQueue: string
}

interface Start<Input> {
  workflowId: string
  input: Input
  findable: Findable
  /** What Temporal's UI shows beside the id. */
  summary: string
}

/** A run of this id that is under way is joined; where it has ended, another one is started unless the caller says otherwise. */
export function startOptions<Input>(taskQueue: string, { workflowId, input, findable, summary }: Start<Input>) {
  return {
    workflowId,
    args: [input] as [Input],
    taskQueue,
    ...(findable.orgId && { priority: fairShareOf(findable.orgId) }),
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    typedSearchAttributes: searchPairs(findable),
    staticSummary: summary,
  }
}
