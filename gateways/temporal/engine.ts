// The connection to the Temporal server: starts workflows and schedules, and checks whether the server is reachable.
import { setTimeout as delay } from 'node:timers/promises'
import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client'
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js'
import {
  deliveryProcessId,
  dispatchId,
  RETRY_NOW_SIGNAL,
  TAKE_UP_SIGNAL,
  type DeliveryInput,
  type DispatchInput,
  type FormerSeries,
  type NextStep,
} from '../../domain/delivery.ts'
import { SEARCH_ATTRIBUTES, type Findable } from '../../domain/search-attributes.ts'
import { queueName } from '../../domain/task-queues.ts'
import { createBulkWorkflows, type BulkWorkflows } from './bulk.ts'
import { createMailWorkflows, type MailWorkflows } from './email.ts'
import { createConverter, type Convert } from './conversion.ts'
import { createEInvoiceSignals, type AttendEInvoice } from './e-invoice.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'
import { dataConverterOf } from './payload-codec.ts'
import {
  createRunNow,
  createScheduleRenewal,
  createScheduleSignals,
  type RenewSchedule,
  type RunScheduleNow,
  type SignalSchedule,
} from './recurring.ts'
import { createKeptSchedules, type KeptSchedules } from './kept-schedules.ts'
import { createNamespaceMarks, type NamespaceMarks } from './namespace-mark.ts'
import { createRenderer, type Render } from './render.ts'
import { createScheduler, createUnscheduler } from './schedule.ts'
import { connectionOptionsOf, type TemporalServer } from './server.ts'
import { startOptions, type WorkflowStarter } from './start-options.ts'
import { createTaskQueues, type TaskQueues } from './task-queues.ts'
import { traceHeader } from './trace-header.ts'

export interface EngineOptions extends TemporalServer {
  namespace: string
  /** Added to the names of the task queues; '' for none. */
  queueSuffix: string
  /** The key ring of ENCRYPTION_KEY, which encrypts what workflows store; without it, they store it in clear. */
  encryptionKey?: string
  /** How long a call waits for its bulk; not needed where no calls wait. */
  bulkWaitMs?: number
}

/** 'running' where the workflow was started now or before; 'finished' where it has already ended. */
export type Started = 'running' | 'finished'

export interface Engine extends BulkWorkflows, KeptSchedules, MailWorkflows, NamespaceMarks, TaskQueues {
  /** Starts the attempts of a batch. Throws EngineUnavailable. */
  startDispatch(input: DispatchInput, findable: Findable, size: number): Promise<Started>
  /**
   * Starts the retries of one delivery, also where a workflow of this id has ended. One that is running learns of it by a
   * signal, because it may be about to end. Throws EngineUnavailable.
   */
  startDelivery(input: DeliveryInput): Promise<void>
  /**
   * Wakes the workflow of a series of attempts that another has followed, so that it ends now and not when its next attempt
   * would be due. Never throws: at the latest it ends then.
   */
  endFormerSeries(former: FormerSeries): Promise<void>
  convert: Convert
  attendEInvoice: AttendEInvoice
  render: Render
  signalSchedule: SignalSchedule
  renewSchedule: RenewSchedule
  runScheduleNow: RunScheduleNow
  /** Schedules the nightly housekeeping of a zone; returns whether the schedule is new. Throws EngineUnavailable, or where Temporal refuses. */
  ensureSchedule(timeZone: string): Promise<boolean>
  /** Removes the schedule of a zone with this spelling; does nothing where there is none. Throws EngineUnavailable. */
  removeSchedule(timeZone: string): Promise<void>
  /** Whether the server answers within two seconds and has our namespace. Never throws. */
  isReachable(): Promise<boolean>
  /** Adds the search attributes that the namespace lacks; returns their names. Throws EngineUnavailable, or where that is not permitted. */
  registerSearchAttributes(): Promise<string[]>
  client: Client
  close(): Promise<void>
}

/** The time limit for Temporal to accept a workflow that the worker starts, and to connect. */
export const START_MS = 5_000
const REACH_MS = 2_000
const REGISTER_MS = 10_000
// Reconnects to a restarted server within seconds; gRPC's own backoff grows to two minutes.
const SOON_BACK = { 'grpc.initial_reconnect_backoff_ms': 250, 'grpc.max_reconnect_backoff_ms': 2_000 }

// Ten tries. Their pauses are random, so that processes do not retry together, and short, so that none exceeds a deadline.
const RETRY_MS = { from: 150, to: 350 }

/** Retries calls until `stop`, which resolves when no retry is due any more: one on a closed connection would throw in a timer. */
function retries(): { interceptor: ReturnType<typeof makeGrpcRetryInterceptor>; stop(): Promise<void> } {
  const defaults = defaultGrpcRetryOptions()
  let stopped = false
  let lastRetryAt = 0
  const interceptor = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !stopped && defaults.retryableDecider(attempt, status),
    delayFunction: () => {
      const delayMs = RETRY_MS.from + (RETRY_MS.to - RETRY_MS.from) * Math.random()
      lastRetryAt = Math.max(lastRetryAt, Date.now() + delayMs)
      return delayMs
    },
  })
  return {
    interceptor,
    async stop() {
      stopped = true
      const leftMs = lastRetryAt - Date.now()
      if (leftMs > -RETRY_MS.from) await delay(Math.max(0, leftMs) + RETRY_MS.from)
    },
  }
}

const openConnection = (server: TemporalServer, interceptor: ReturnType<typeof makeGrpcRetryInterceptor>) =>
  Connection.lazy({
    ...connectionOptionsOf(server),
    connectTimeout: START_MS,
    channelArgs: SOON_BACK,
    interceptors: [interceptor],
  })

/** Opens the engine. Nothing is sent before the first call, so the server need not be available yet. */
export function openEngine(options: EngineOptions): Engine {
  const { address, namespace, queueSuffix, encryptionKey, bulkWaitMs = 0 } = options
  const { interceptor, stop } = retries()
  const connection = openConnection(options, interceptor)
  const client = new Client({
    connection,
    namespace,
    dataConverter: dataConverterOf(encryptionKey ?? null),
    interceptors: { workflow: [traceHeader] },
  })

  const starting: WorkflowStarter = { client, connection, taskQueue: queueName('core', queueSuffix) }

  async function withinDeadline(start: () => Promise<unknown>): Promise<Started> {
    try {
      await connection.withDeadline(Date.now() + START_MS, start)
      return 'running'
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'finished'
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }

  return {
    client,

    startDispatch: (input, findable, size) =>
      withinDeadline(() =>
        client.workflow.start('webhookDispatch', {
          ...startOptions(starting.taskQueue, {
            workflowId: dispatchId(input.batchId),
            input,
            findable: { ...findable, state: 'DISPATCHING' },
            summary: `attempts at ${size} webhook ${size === 1 ? 'delivery' : 'deliveries'}`,
          }),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        }),
      ),

    async startDelivery(input) {
      const next: NextStep = { attempt: input.attempt, dueAt: input.dueAt }
      await withinDeadline(() =>
        client.workflow.signalWithStart('webhookDelivery', {
          // A workflow that has ended may have put its delivery back into the queue, so another run may follow.
          ...startOptions(starting.taskQueue, {
            workflowId: deliveryProcessId(input.deliveryId, input.series),
            input,
            findable: {
              orgId: input.orgId,
              entityType: input.entityType,
              entityId: input.entityId,
              endpointId: input.endpointId,
            },
            summary: `retries of a webhook about ${input.entityType} ${input.entityId}`,
          }),
          signal: TAKE_UP_SIGNAL,
          signalArgs: [next],
        }),
      )
    },

    async endFormerSeries({ deliveryId, series }) {
      const handle = client.workflow.getHandle(deliveryProcessId(deliveryId, series))
      await connection.withDeadline(Date.now() + START_MS, () => handle.signal(RETRY_NOW_SIGNAL)).catch(() => undefined)
    },

    convert: createConverter(starting),
    ...createBulkWorkflows({ ...starting, waitMs: bulkWaitMs }),
    render: createRenderer(starting),
    attendEInvoice: createEInvoiceSignals(starting),
    ...createMailWorkflows(starting),
    signalSchedule: createScheduleSignals(starting),
    renewSchedule: createScheduleRenewal(starting),
    runScheduleNow: createRunNow(starting),
    ensureSchedule: createScheduler({ client, connection, queueSuffix }),
    ...createKeptSchedules({ client, connection, queueSuffix }),
    ...createTaskQueues({ client, connection, queueSuffix }),
    ...createNamespaceMarks({ connection, address, namespace, queueSuffix }),
    removeSchedule: createUnscheduler({ client, connection, queueSuffix }),

    async isReachable() {
      const describe = () => connection.workflowService.describeNamespace({ namespace })
      const described = connection.withDeadline(Date.now() + REACH_MS, describe)
      return described.then(Boolean, () => false)
    },

    registerSearchAttributes: () =>
      connection
        .withDeadline(Date.now() + REGISTER_MS, () => register(connection, namespace))
        .catch((error: unknown) => {
          throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
        }),

    async close() {
      await stop()
      await connection.close()
    },
  }
}

async function register(connection: Connection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !(name in (customAttributes ?? {})))
  if (missing.length === 0) return []
  const searchAttributes = Object.fromEntries(
    missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)!]),
  )
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
  return missing.map(({ name }) => name)
}
