// A worker whose attempts at deliveries, at rows of bulks and at renders are a test's own functions: what a workflow does with each outcome is to be seen.
import { NativeConnection, Worker } from '@temporalio/worker'
import { v7 as uuidv7 } from 'uuid'
import type { AttemptInput, AttemptState } from '../../activities/webhooks.ts'
import type { BulkInput, BulkProgress } from '../../domain/bulk-run.ts'
import type { RenderedFile, RenderInput } from '../../domain/render-run.ts'
import { queueName } from '../../domain/task-queues.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { workflowBundle } from './bundle.ts'
import './quiet.ts'

export interface AttemptWorker {
  engine: Engine
  queueSuffix: string
  /** May be replaced at any time. */
  attempt: (input: AttemptInput) => Promise<AttemptState>
  createRows: (input: BulkInput) => Promise<BulkProgress>
  render: (input: RenderInput) => Promise<RenderedFile>
  close(): Promise<void>
}

export async function openAttemptWorker(): Promise<AttemptWorker> {
  const address = process.env.TEST_TEMPORAL_ADDRESS!
  const queueSuffix = `attempts-${uuidv7()}`
  const engine = openEngine({ address, namespace: 'default', queueSuffix })
  const connection = await NativeConnection.connect({ address })
  const activities = { attemptDelivery: (input: AttemptInput) => opened.attempt(input) }
  const bulk = { createRows: (input: BulkInput) => opened.createRows(input) }
  const documents = { renderDocument: (input: RenderInput) => opened.render(input) }
  const shared = { connection, namespace: 'default' }
  const workers = await Promise.all([
    Worker.create({ ...shared, taskQueue: queueName('core', queueSuffix), workflowBundle: { codePath: await workflowBundle() } }),
    Worker.create({ ...shared, taskQueue: queueName('webhooks', queueSuffix), activities }),
    Worker.create({ ...shared, taskQueue: queueName('bulk', queueSuffix), activities: bulk }),
    Worker.create({ ...shared, taskQueue: queueName('documents', queueSuffix), activities: documents }),
  ])
  const running = Promise.all(workers.map((worker) => worker.run()))
  const opened: AttemptWorker = {
    engine,
    queueSuffix,
    attempt: async () => 'DELIVERED',
    createRows: async ({ total }) => ({ total, succeeded: total, failed: 0, state: 'COMPLETED' }),
    render: async () => { throw new Error('the test says nothing of renders') },
    async close() {
      for (const worker of workers) worker.shutdown()
      await running
      await connection.close()
      await engine.close()
    },
  }
  return opened
}
