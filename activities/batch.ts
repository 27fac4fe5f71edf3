// Makes the attempts of a batch concurrently; where one has arrived, the batch claims the next delivery of its endpoint.
import { claimMore, type EndpointKeyOfOrganization } from '../commands/webhooks/delivery-claims.ts'
import { beginAttempts, putBack, type StartedAttempt, type DueAttempt } from '../commands/webhooks/deliveries.ts'
import { statusAfter } from '../domain/delivery.ts'
import { waitBefore } from '../domain/retry-ladder.ts'
import { CAPS } from '../domain/webhook-caps.ts'
import type { Database } from '../models/database.ts'
import { untriedOfBatch, type NextAttempt } from '../models/delivery.ts'
import type { Attempts } from './attempts.ts'

export interface BatchDependencies {
  connection: Database
  clock(): Date
}

/** How long a batch claims more deliveries. Those that wait after that get a batch of their own. */
const TAKES_IN_MS = 5_000
/** The pause before a claim, so that one claim follows all attempts that end during it. */
const REST_MS = 20

/**
 * Makes the attempts of a batch; returns how many have failed. Run again after a crash, it makes only those without an
 * outcome. An error of our own is thrown at the end, after every other attempt has ended.
 */
export async function attemptAll(
  { connection, clock }: BatchDependencies,
  { attempt }: Attempts,
  batchId: string,
  ladderSeconds: number[],
  cancelled: AbortSignal,
): Promise<number> {
  const until = clock().getTime() + TAKES_IN_MS
  const freed = new Map<string, EndpointKeyOfOrganization>()
  const errors: unknown[] = []
  let [underWay, failed] = [0, 0]
  let wake: () => void = () => undefined

  async function make(due: DueAttempt): Promise<void> {
    underWay += 1
    try {
      const waitMs = waitBefore(due.attempt + 1, ladderSeconds, Math.random())
      const outcome = await attempt(due, waitMs)
      if (statusAfter(outcome, waitMs) !== 'DELIVERED') failed += 1
      else if (outcome.durationMs <= CAPS.slowMs)
        freed.set(due.endpointId, { orgId: due.orgId, endpointId: due.endpointId })
    } catch (error) {
      errors.push(error)
    } finally {
      underWay -= 1
      wake()
    }
  }

  async function begin(deliveries: NextAttempt[]): Promise<void> {
    const keys = deliveries.map(({ org_id, id, series, attempt }) => ({
      orgId: org_id,
      deliveryId: id,
      series,
      attempt,
    }))
    const started = await beginAttempts(connection, keys, clock())
    await putBack(
      connection,
      started.filter(({ state }) => state === 'suspended'),
    )
    for (const due of started.filter(isDue)) void make(due)
  }

  async function takeIn(): Promise<void> {
    const endpoints = [...freed.values()]
    freed.clear()
    await begin(await claimMore(connection, batchId, endpoints, clock()))
  }

  await begin(await untriedOfBatch(connection, batchId))
  while (underWay > 0) {
    if (freed.size === 0) await new Promise<void>((resolve) => (wake = resolve))
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
    const goesOn = !cancelled.aborted && errors.length === 0 && clock().getTime() < until
    if (goesOn && freed.size > 0) await takeIn().catch((error: unknown) => errors.push(error))
    else freed.clear()
  }
  if (errors.length > 0) throw errors[0]
  return failed
}

const isDue = (started: StartedAttempt): started is DueAttempt => started.state === 'due'
