// A worker set up like that of the service, which runs the smallest workflow many times.
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { type Figures, figuresOf } from '../figures.ts'
import { serveParent } from './parent.ts'

export interface WorkflowsJob {
  address: string
  count: number
  /** How many workflows are under way at the same time. */
  clients: number
}

const QUEUE = 'one-activity'
// The same settings as the workers of the service; see worker/temporal-workers.ts.
const AUTOSCALING = { type: 'autoscaling', minimum: 1, initial: 2, maximum: 8 } as const

serveParent(async ({ address, count, clients }: WorkflowsJob): Promise<Figures> => {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const native = await NativeConnection.connect({ address })
  const worker = await Worker.create({
    connection: native,
    taskQueue: QUEUE,
    workflowsPath: fileURLToPath(new URL('one-activity-workflow.ts', import.meta.url)),
    activities: { nothing: async () => undefined },
    activityTaskPollerBehavior: AUTOSCALING,
    workflowTaskPollerBehavior: { ...AUTOSCALING, minimum: 2 },
    maxConcurrentWorkflowTaskExecutions: 40,
    maxConcurrentActivityTaskExecutions: 20,
    maxCachedWorkflows: 500,
  })
  const connection = await Connection.connect({ address })
  const client = new Client({ connection })
  const figures = await worker.runUntil(async () => {
    await run(client, clients, clients)
    const begun = performance.now()
    const latencies = await run(client, count, clients)
    return figuresOf(latencies, (performance.now() - begun) / 1000)
  })
  await connection.close()
  await native.close()
  return figures
})

/** Runs the workflow `count` times; returns the time of each from its start to its known end, in ms. */
async function run(client: Client, count: number, clients: number): Promise<number[]> {
  const latencies: number[] = []
  let left = count
  await Promise.all(Array.from({ length: clients }, async () => {
    while (left > 0) {
      left -= 1
      const start = performance.now()
      await client.workflow.execute('oneActivity', { taskQueue: QUEUE, workflowId: `one-activity/${crypto.randomUUID()}` })
      latencies.push(performance.now() - start)
    }
  }))
  return latencies
}
