// What Temporal says of the task queues: how much waits in them, and which workers ask for it.
import { hostname } from 'node:os'
import type { Client, Connection } from '@temporalio/client'
import { optionalTsToMs } from '@temporalio/common/lib/time.js'
import { QUEUES, queueName, type Queue } from '../../domain/task-queues.ts'

export interface Backlog {
  queue: Queue
  /** Of a queue's two kinds of tasks only `core` has those of workflows. */
  kind: 'workflow' | 'activity'
  /** About how many tasks wait for a worker. */
  tasks: number
  /** About how long the first of them has waited. */
  ageSeconds: number
}

export interface TaskQueues {
  /** What waits in every queue. Throws where Temporal does not say. */
  backlogs(): Promise<Backlog[]>
  /** Those of the queues that a worker serves which does not say so in PostgreSQL, because its version is an earlier one. */
  servedByEarlier(queues: readonly Queue[]): Promise<Queue[]>
}

const WORKFLOW_TASKS = 1
const ACTIVITY_TASKS = 2
const DESCRIBE_MS = 2_000
/** A worker asks again after a minute where nothing was to do. */
const ASKS_AGAIN_MS = 70_000

const BEATING = 'bahi '
/** By what Temporal knows a worker that says in PostgreSQL which queues it serves. */
export const workerIdentity = (): string => `${BEATING}${process.pid}@${hostname()}`

export function createTaskQueues({
  client,
  connection,
  queueSuffix,
}: {
  client: Client
  connection: Connection
  queueSuffix: string
}): TaskQueues {
  const describe = (queue: Queue, taskQueueType: typeof WORKFLOW_TASKS | typeof ACTIVITY_TASKS) =>
    connection.withDeadline(Date.now() + DESCRIBE_MS, () =>
      connection.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: queueName(queue, queueSuffix) },
        taskQueueType,
        reportStats: true,
      }),
    )

  async function backlogOf(queue: Queue, kind: Backlog['kind']): Promise<Backlog> {
    const { stats } = await describe(queue, kind === 'workflow' ? WORKFLOW_TASKS : ACTIVITY_TASKS)
    const ageSeconds = (optionalTsToMs(stats?.approximateBacklogAge) ?? 0) / 1000
    return { queue, kind, tasks: Number(stats?.approximateBacklogCount ?? 0), ageSeconds }
  }

  async function isServedByEarlier(queue: Queue): Promise<boolean> {
    const { pollers } = await describe(queue, ACTIVITY_TASKS)
    return pollers.some(({ identity, lastAccessTime }) => {
      const askedAt = optionalTsToMs(lastAccessTime) ?? 0
      return !identity?.startsWith(BEATING) && askedAt > Date.now() - ASKS_AGAIN_MS
    })
  }

  return {
    backlogs: () =>
      Promise.all([backlogOf('core', 'workflow'), ...QUEUES.map((queue) => backlogOf(queue, 'activity'))]),
    async servedByEarlier(queues) {
      const served = await Promise.all(queues.map(isServedByEarlier))
      return queues.filter((_, index) => served[index])
    },
  }
}
