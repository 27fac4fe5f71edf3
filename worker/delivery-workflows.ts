// Starts the workflows that retry refused deliveries, within limits by second, endpoint and organisation.
import type { Logger } from 'pino'
import {
  BEGINNING,
  chooseForProcesses,
  noteProcesses,
  type EndpointKeyOfOrganization,
} from '../commands/webhooks/delivery-claims.ts'
import type { DeliveryInput } from '../domain/delivery.ts'
import { CAPS } from '../domain/webhook-caps.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../gateways/temporal/engine-unavailable.ts'
import type { Database } from '../models/database.ts'
import type { DeliveryUnderWay } from '../models/delivery.ts'
import { inSpan, isTracing } from '../models/tracing.ts'
import { traceparentOfDelivery } from '../models/traces.ts'

export interface DeliveryWorkflowsDependencies {
  connection: Database
  engine: Pick<Engine, 'startDelivery'>
  ladderSeconds: number[]
  log: Logger
  clock(): Date
}

export interface DeliveryWorkflows {
  /** Starts as many as the limit of this second allows. A batch attempts the other deliveries when they are due. */
  startSome(): Promise<void>
}

const SECOND_MS = 1_000

export function createDeliveryWorkflows({
  connection,
  engine,
  ladderSeconds,
  log,
  clock,
}: DeliveryWorkflowsDependencies): DeliveryWorkflows {
  let second = 0
  let left: number = CAPS.processesInSecond
  let after: EndpointKeyOfOrganization = BEGINNING

  function allowance(): number {
    const now = Math.floor(clock().getTime() / SECOND_MS)
    if (now !== second) left = CAPS.processesInSecond
    second = now
    return left
  }

  async function start(delivery: DeliveryUnderWay): Promise<boolean> {
    try {
      const input = deliveryInputOf(delivery, delivery.next_attempt_at, ladderSeconds)
      const parent = isTracing()
        ? await traceparentOfDelivery({ connection, orgId: input.orgId }, input.deliveryId)
        : null
      const begin = () => engine.startDelivery(input)
      await (parent ? inSpan('start webhookDelivery', { kind: 'PRODUCER', parent }, begin) : begin())
      return true
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error
      log.error({ err: error, delivery_id: delivery.id }, 'the workflow of a delivery could not be started')
      return false
    }
  }

  return {
    async startSome() {
      const most = allowance()
      if (most <= 0) return
      const { deliveries, next } = await chooseForProcesses(connection, clock(), most, after)
      after = deliveries.length === most ? after : (next ?? BEGINNING)
      left -= deliveries.length
      // Each is started before that is recorded: after a crash between the two it is started again, which changes nothing.
      const started = await Promise.allSettled(deliveries.map(start))
      await noteProcesses(
        connection,
        deliveries.filter((_, place) => {
          const one = started[place]!
          return one.status === 'fulfilled' && one.value
        }),
        clock(),
      )
    },
  }
}

/** The input of the process of this delivery: its next attempt on the retry ladder. */
export function deliveryInputOf(delivery: DeliveryUnderWay, dueAt: Date, ladderSeconds: number[]): DeliveryInput {
  return {
    orgId: delivery.org_id,
    deliveryId: delivery.id,
    endpointId: delivery.endpoint_id,
    entityType: delivery.entity_type,
    entityId: delivery.entity_id,
    series: delivery.series,
    attempt: delivery.attempts_in_series + 1,
    dueAt: dueAt.toISOString(),
    ladderSeconds,
  }
}
