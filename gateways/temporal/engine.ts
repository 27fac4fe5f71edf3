// The Temporal server: starts the durable processes, and says whether it is there.
import {
  Client, Connection, WorkflowExecutionAlreadyStartedError, defaultGrpcRetryOptions, makeGrpcRetryInterceptor,
} from '@temporalio/client'
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js'
import { deliveryProcessId, dispatchId, type DeliveryInput, type DispatchInput } from '../../domain/delivery.ts'
import { SEARCH_ATTRIBUTES, searchPairs, type Findable } from '../../domain/search-attributes.ts'
import { queueName } from '../../domain/task-queues.ts'
import { createConverter, type Convert } from './conversion.ts'
import { EngineUnavailable, isAway } from './engine-unavailable.ts'
import { createScheduler, createUnscheduler } from './schedule.ts'

export interface EngineOptions {
  address: string
  namespace: string
  /** Added to the names of the task queues; '' for none. */
  queueSuffix: string
}

/** 'running' whether it was started now or before; 'finished' when it has already come to its end. */
export type Started = 'running' | 'finished'

export interface Engine {
  /** Starts the attempts of a batch. Throws EngineUnavailable. */
  startDispatch(input: DispatchInput, findable: Findable, size: number): Promise<Started>
  /** Starts the retries of one delivery, also where a process of this id has come to its end. Throws EngineUnavailable. */
  startDelivery(input: DeliveryInput): Promise<void>
  convert: Convert
  /** Has the nightly housekeeping of a zone scheduled; answers whether it was not yet. Throws EngineUnavailable, or as Temporal refuses. */
  ensureSchedule(timeZone: string): Promise<boolean>
  /** Ends the nightly housekeeping of a zone by this spelling; nothing happens where there is none. Throws EngineUnavailable. */
  removeSchedule(timeZone: string): Promise<void>
  /** Whether the server answers and knows our namespace, within two seconds. */
  isReachable(): Promise<boolean>
  /** Adds the search attributes that the namespace lacks; answers their names. Throws where that is not permitted. */
  registerSearchAttributes(): Promise<string[]>
  client: Client
  close(): Promise<void>
}

interface Start {
  workflowId: string
  args: unknown[]
  findable: Findable
  staticSummary: string
  again?: boolean
}

/** For Temporal to take a process of the worker's, and to connect. */
export const START_MS = 5_000
const REACH_MS = 2_000
const REGISTER_MS = 10_000
// A server that was restarted is found again within seconds; gRPC's own patience grows to two minutes.
const SOON_BACK = { 'grpc.initial_reconnect_backoff_ms': 250, 'grpc.max_reconnect_backoff_ms': 2_000 }

// Ten tries, a little apart, and not at the same time as everybody: a deadline is not overrun by the pause before a try.
const RETRIES = makeGrpcRetryInterceptor({ ...defaultGrpcRetryOptions(), delayFunction: () => 150 + 200 * Math.random() })

/** Opens the engine lazily: nothing is sent before the first call, so that the server may be away meanwhile. */
export function openEngine({ address, namespace, queueSuffix }: EngineOptions): Engine {
  const connection = Connection.lazy({ address, connectTimeout: START_MS, channelArgs: SOON_BACK, interceptors: [RETRIES] })
  const client = new Client({ connection, namespace })

  async function start(type: string, { workflowId, args, findable, staticSummary, again = false }: Start): Promise<Started> {
    try {
      await connection.withDeadline(Date.now() + START_MS, () => client.workflow.start(type, {
        workflowId,
        args,
        taskQueue: queueName('core', queueSuffix),
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
        typedSearchAttributes: searchPairs(findable),
        staticSummary,
      }))
      return 'running'
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'finished'
      throw isAway(error) ? new EngineUnavailable(error) : error
    }
  }

  return {
    client,

    startDispatch: (input, findable, size) => start('webhookDispatch', {
      workflowId: dispatchId(input.batchId),
      args: [input],
      findable: { ...findable, state: 'DISPATCHING' },
      staticSummary: `attempts at ${size} webhook ${size === 1 ? 'delivery' : 'deliveries'}`,
    }),

    async startDelivery(input) {
      await start('webhookDelivery', {
        // A process that ended may have given its delivery back.
        again: true,
        workflowId: deliveryProcessId(input.deliveryId, input.series),
        args: [input],
        findable: {
          orgId: input.orgId, entityType: input.entityType, entityId: input.entityId, endpointId: input.endpointId,
        },
        staticSummary: `retries of a webhook about ${input.entityType} ${input.entityId}`,
      })
    },

    convert: createConverter({ client, connection, taskQueue: queueName('core', queueSuffix) }),

    ensureSchedule: createScheduler({ client, connection, queueSuffix }),
    removeSchedule: createUnscheduler({ client, connection, queueSuffix }),

    async isReachable() {
      const asked = connection.withDeadline(Date.now() + REACH_MS, () =>
        connection.workflowService.describeNamespace({ namespace }))
      return asked.then(() => true, () => false)
    },

    async registerSearchAttributes() {
      return connection.withDeadline(Date.now() + REGISTER_MS, async () => {
        const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
        const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !(name in (customAttributes ?? {})))
        if (missing.length === 0) return []
        const searchAttributes = Object.fromEntries(
          missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)!]))
        await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
        return missing.map(({ name }) => name)
      })
    },

    close: () => connection.close(),
  }
}
