// The relay: starts a workflow for every batch of due deliveries, and for refused deliveries up to their caps.
import type { Logger } from 'pino'
import {
  BEGINNING,
  claimBatch,
  claimTrials,
  findLeftWaiting,
  releaseWaiting,
  type Batch,
  type EndpointKeyOfOrganization,
} from '../commands/webhooks/delivery-claims.ts'
import { releaseBatch } from '../commands/webhooks/deliveries.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../gateways/temporal/engine-unavailable.ts'
import type { Database } from '../models/database.ts'
import { inSpan, isTracing } from '../models/tracing.ts'
import { traceparentOfBatch } from '../models/traces.ts'
import { overdueDeliveries, unfinishedBatches, type DeliveryUnderWay } from '../models/delivery.ts'
import type { Findable } from '../domain/search-attributes.ts'
import { createDeliveryWorkflows, deliveryInputOf } from './delivery-workflows.ts'

export interface RelayDependencies {
  connection: Database
  engine: Pick<Engine, 'startDispatch' | 'startDelivery'>
  ladderSeconds: number[]
  log: Logger
  clock(): Date
}

export interface Relay {
  /** Claims and starts batches until nothing is due, or Temporal is unavailable. Endpoints that answer slowly are left out. */
  sweep(): Promise<void>
  /** Serves the endpoints that answer slowly, trials, and circuits that have closed; once a second is enough. */
  sweepSlow(): Promise<void>
  /** Starts processes of refused deliveries, as many as the limit of this second allows. */
  startProcesses(): Promise<void>
  /** Starts again the batches that were claimed `olderThanMs` ago and are not finished: the process that claimed them may have died. */
  recover(olderThanMs: number): Promise<void>
  /**
   * Restarts the process of deliveries that are overdue by two minutes, a limited number at a time and then the next ones, and
   * releases those that wait for a closed circuit.
   */
  takeUpOverdue(): Promise<void>
}

interface NotStarted {
  batchId: string
  findable: Findable
  size: number
  tries: number
  notBeforeMs: number
}

const AT_ONCE = 4
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000
const LONGEST_BACKOFF_AWAY_MS = 4_000
/** A workflow that is under way is not disturbed by being started again, so the wait only keeps the calls few. */
const OVERDUE_MS = 2 * 60 * 1_000
/** In one call: where a receiver or a queue is away, all that wait for it are overdue. */
const MOST_OVERDUE = 1_000
/** Longer than any attempt may take. */
const TRIAL_LOST_MS = 300_000

export function createRelay(dependencies: RelayDependencies): Relay {
  const { connection, engine, ladderSeconds, log, clock } = dependencies
  const processes = createDeliveryWorkflows(dependencies)
  // Batches that this process has claimed and not started yet. After a crash `recover` finds them in the database.
  const unstarted = new Map<string, NotStarted>()
  let engineAway = false
  let lastOverdue: DeliveryUnderWay | null = null

  /** Starts the batch, or keeps it for a later try with a backoff of its own. */
  async function start(batch: NotStarted): Promise<void> {
    try {
      const { batchId, findable, size } = batch
      const dispatch = () => engine.startDispatch({ batchId, ladderSeconds }, findable, size)
      // A batch is a part of the trace of its first event; attempts at others are linked to it.
      const parent = isTracing() ? await traceparentOfBatch(connection, batchId) : null
      const started = await (parent
        ? inSpan('start webhookDispatch', { kind: 'PRODUCER', parent }, dispatch)
        : dispatch())
      unstarted.delete(batch.batchId)
      if (engineAway) log.info('Temporal is available again')
      engineAway = false
      if (started === 'finished') await release(batch.batchId)
    } catch (error) {
      const away = error instanceof EngineUnavailable
      batch.tries += 1
      const longestMs = away ? LONGEST_BACKOFF_AWAY_MS : LONGEST_BACKOFF_MS
      batch.notBeforeMs = clock().getTime() + Math.min(FIRST_BACKOFF_MS * 2 ** (batch.tries - 1), longestMs)
      unstarted.set(batch.batchId, batch)
      if (!away) log.error({ err: error, batch_id: batch.batchId, tries: batch.tries }, 'a batch could not be started')
      else if (!engineAway) log.warn({ err: error.message }, 'Temporal is unavailable; deliveries wait')
      engineAway = away
    }
  }

  // The workflow of the batch has ended, so deliveries without an attempt go back into the queue.
  async function release(batchId: string): Promise<void> {
    const released = await releaseBatch(connection, batchId)
    if (released > 0) log.warn({ batch_id: batchId, released }, 'a finished batch left deliveries without an attempt')
  }

  async function retryUnstarted(): Promise<void> {
    const now = clock().getTime()
    const due = [...unstarted.values()].filter(({ notBeforeMs }) => notBeforeMs <= now)
    // While Temporal is unavailable one batch is tried for all of them.
    for (const batch of due) {
      await start(batch)
      if (engineAway) return
    }
  }

  /** Claims batches until a pass through the whole queue finds nothing; a few of them are started concurrently. */
  async function claimAndStart(slow: boolean): Promise<void> {
    const starting = new Set<Promise<void>>()
    let after: EndpointKeyOfOrganization = BEGINNING
    while (!engineAway) {
      const { batch, next } = await claimBatch(connection, { now: clock(), slow, after })
      if (batch) {
        const started = start(fresh(batch)).finally(() => starting.delete(started))
        starting.add(started)
        if (starting.size >= AT_ONCE) await Promise.race(starting)
        // Deliveries that did not fit into this batch are found from the same place.
        continue
      }
      if (!next) break
      after = next
    }
    await Promise.all(starting)
  }

  return {
    async sweep() {
      await retryUnstarted()
      await claimAndStart(false)
    },

    // Separate from `sweep`, so that first attempts do not wait until these are done.
    async sweepSlow() {
      await releaseWaiting(connection)
      if (engineAway) return
      const trials = await claimTrials(connection, clock(), TRIAL_LOST_MS)
      if (trials) await start(fresh(trials))
      await claimAndStart(true)
    },

    async startProcesses() {
      if (!engineAway) await processes.startSome()
    },

    async recover(olderThanMs) {
      const batches = await unfinishedBatches(connection, new Date(clock().getTime() - olderThanMs))
      for (const { batch_id: batchId, size } of batches) {
        if (engineAway) return
        if (unstarted.has(batchId)) continue
        await start({
          batchId,
          findable: { entityType: 'WEBHOOK_BATCH', entityId: batchId },
          size,
          tries: 0,
          notBeforeMs: 0,
        })
      }
    },

    async takeUpOverdue() {
      await findLeftWaiting(connection)
      const before = new Date(clock().getTime() - OVERDUE_MS)
      for (let taken = 0; taken < MOST_OVERDUE; ) {
        const page: DeliveryUnderWay[] = await overdueDeliveries(connection, before, lastOverdue)
        // Each continues its retry ladder where it stopped. Its process is still running, was terminated, or has put the delivery
        // back just when another relay recorded that it had a process.
        for (const delivery of page) await engine.startDelivery(deliveryInputOf(delivery, clock(), ladderSeconds))
        lastOverdue = page.at(-1) ?? null
        taken += page.length
        if (!lastOverdue) return
      }
    },
  }
}

function fresh({
  batchId,
  size,
  orgId,
  endpointId,
  entityType = 'WEBHOOK_BATCH',
  entityId = batchId,
}: Batch): NotStarted {
  const findable: Findable = { entityType, entityId, ...(orgId && { orgId }), ...(endpointId && { endpointId }) }
  return { batchId, findable, size, tries: 0, notBeforeMs: 0 }
}
