// Creates the Temporal workers, one for each task queue that this process serves.
import { fileURLToPath } from 'node:url'
import { Worker, type ActivityInterceptorsFactory, type NativeConnection, type WorkerOptions } from '@temporalio/worker'
import { queueName, type Queue } from '../domain/task-queues.ts'
import { dataConverterOf, FAILURE_CONVERTER } from '../gateways/temporal/payload-codec.ts'
import { workerIdentity } from '../gateways/temporal/task-queues.ts'
import { tracedBy } from '../gateways/temporal/trace-header.ts'
import { inSpan, isTracing } from '../models/tracing.ts'
import { createActivities, type ActivityDependencies } from '../activities/create.ts'

export interface TemporalWorkersOptions {
  connection: NativeConnection
  namespace: string
  queues: readonly Queue[]
  queueSuffix: string
  /** The key ring of ENCRYPTION_KEY, which encrypts what workflows store; with null they store it in clear. */
  encryptionKey: string | null
  dependencies: ActivityDependencies
  /** How long running activities have when the worker stops; another worker repeats those that are not done then. */
  shutdownSeconds: number
  /** The file of the workflows, bundled beforehand; null to bundle them at the start, which takes two seconds. */
  workflowBundle: string | null
}

export interface TemporalWorkers {
  /** Resolves when they were stopped; throws when one of them cannot go on. */
  run(): Promise<void>
  /** True while each of them takes work. */
  arePolling(): boolean
  stop(): void
}

/** What Temporal's bundler makes the bundle of workflows from. */
export const BUNDLED = {
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
  failureConverterPath: FAILURE_CONVERTER,
  workflowInterceptorModules: [fileURLToPath(new URL('../workflows/trace-header.ts', import.meta.url))],
}

const AUTOSCALING = { type: 'autoscaling', minimum: 1, initial: 2, maximum: 8 } as const
const EVERY_WORKER = {
  activityTaskPollerBehavior: AUTOSCALING,
  // The next task of a workflow waits so long for the process that has it in memory, before any other may take it. By default it is the
  // ten seconds that callers of conversions wait: those under way when a worker was killed got 503.
  stickyQueueScheduleToStartTimeout: '2 seconds',
  // A crash is noticed after the heartbeat timeout only if heartbeats are not throttled for long.
  maxHeartbeatThrottleInterval: '5 seconds',
  defaultHeartbeatThrottleInterval: '5 seconds',
} as const

// How long cancelled activities have to end; after that the worker ends without them.
const FORCE_MS = 1_000

// An activity is a part of the trace that its workflow was started in.
const tracedActivity: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => {
      const parent = tracedBy(input.headers)
      const attributes = {
        'workflow.id': info.workflowExecution?.workflowId ?? '',
        'workflow.type': info.workflowType ?? '',
        attempt: info.attempt,
      }
      return inSpan(`activity ${info.activityType}`, { kind: 'CONSUMER', parent, attributes }, () => next(input))
    },
  },
})

export async function createTemporalWorkers(options: TemporalWorkersOptions): Promise<TemporalWorkers> {
  const activities = createActivities(options.dependencies)
  const { workflowBundle } = options
  const OF_QUEUE: Record<Queue, Partial<WorkerOptions>> = {
    core: {
      ...(workflowBundle ? { workflowBundle: { codePath: workflowBundle } } : { workflowsPath: BUNDLED.workflowsPath }),
      workflowTaskPollerBehavior: { ...AUTOSCALING, minimum: 2 },
      maxConcurrentWorkflowTaskExecutions: 40,
      maxCachedWorkflows: 500,
      activities: activities.core,
      maxConcurrentActivityTaskExecutions: 20,
    },
    // Waiting for receivers costs no CPU time, so there are many slots: receivers that hang leave some for the others.
    webhooks: { activities: activities.webhooks, maxConcurrentActivityTaskExecutions: 500 },
    // A bulk or a tick that waits for a place to create a document costs no CPU time either; see BULK_PLACES, TICK_PLACES.
    bulk: { activities: activities.bulk, maxConcurrentActivityTaskExecutions: 200 },
    recurring: { activities: activities.recurring, maxConcurrentActivityTaskExecutions: 200 },
    // Mail and e-invoices wait for other services, PDFs for the engine, each in turns of their organisations. Waiting costs no CPU
    // time, so there are slots for all: the slow mails of one organisation leave some for the others.
    documents: { activities: activities.documents, maxConcurrentActivityTaskExecutions: 500 },
  }
  const workers = await Promise.all(
    options.queues.map((queue) =>
      Worker.create({
        ...EVERY_WORKER,
        ...OF_QUEUE[queue],
        interceptors: {
          // A bundle that was made beforehand has them already.
          ...(workflowBundle ? {} : { workflowModules: BUNDLED.workflowInterceptorModules }),
          activity: isTracing() ? [tracedActivity] : [],
        },
        shutdownGraceTime: options.shutdownSeconds * 1000,
        shutdownForceTime: options.shutdownSeconds * 1000 + FORCE_MS,
        connection: options.connection,
        identity: workerIdentity(),
        dataConverter: dataConverterOf(options.encryptionKey),
        namespace: options.namespace,
        taskQueue: queueName(queue, options.queueSuffix),
      }),
    ),
  )
  const stop = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }
  return {
    async run() {
      // When one fails, the others finish their work before the process ends.
      const ends = await Promise.allSettled(workers.map((worker) => worker.run().finally(stop)))
      const failed = ends.find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
    },
    arePolling: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    stop,
  }
}
