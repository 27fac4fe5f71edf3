// Turns of the organisations in activities that wait for another service.
import { ApplicationFailure, Context } from '@temporalio/activity'
import { fairSemaphore, NoPlace, type SemaphoreOptions } from '../gateways/semaphore.ts'

/** What waits in a worker takes one of its slots, so what is more than this waits in Temporal. */
const MOST_WAITING = 30
/** How long it waits here; well below the time limit of the activity, which counts from its start. */
const LONGEST_WAIT_MS = 45_000
const LONGEST_RETRY_MS = 30_000

/**
 * Runs the work of an activity in the turn of its organisation. An activity whose turn does not come soon, or whose worker stops,
 * fails without having begun, and Temporal starts it again later: so the work of one organisation neither takes all slots of the
 * worker, nor runs after the time limit of its activity.
 */
export function organizationTurns({ places, placesPerKey }: Pick<SemaphoreOptions, 'places' | 'placesPerKey'>) {
  const turns = fairSemaphore({ places, ...(placesPerKey && { placesPerKey }), mostWaitingPerKey: MOST_WAITING })

  return async <T>(orgId: string, work: () => Promise<T>): Promise<T> => {
    const { cancellationSignal, info } = Context.current()
    const over = AbortSignal.any([cancellationSignal, AbortSignal.timeout(LONGEST_WAIT_MS)])
    try {
      return await turns.through(orgId, work, over)
    } catch (error) {
      if (!(error instanceof NoPlace)) throw error
      throw ApplicationFailure.create({
        message: `other work of the organisation comes first: ${error.message}`,
        type: 'TurnNotCome',
        nextRetryDelay: Math.min(LONGEST_RETRY_MS, 1_000 * 2 ** (info.attempt - 1)) * (0.75 + Math.random() / 2),
        category: 'BENIGN',
      })
    }
  }
}
