// Background work for what is kept for a time: removes what is older than that, in small steps.
import { setTimeout as delay } from 'node:timers/promises'
import { deleteOldBulks } from '../models/bulk.ts'
import { removeOldConversions } from '../models/conversion.ts'
import type { Database } from '../models/database.ts'
import { organizationsWithOldEvents, removeOldEvents } from '../models/event-retention.ts'
import { deleteOldAnswers, deleteSealedAnswers, REPEATED_MS } from '../models/idempotency.ts'
import {
  removeEndedGrants,
  removeExpiredTokens,
  removeRevokedGrants,
  removeUsedTokens,
  removeWithdrawnConsents,
} from '../models/oauth-grant.ts'
import { removeOldRequests } from '../models/request.ts'
import { removeDeletedEndpoints } from '../models/webhook.ts'
import { throwAny } from './poll-loop.ts'

export interface RetentionDependencies {
  connection: Database
  clock(): Date
  isStopping(): boolean
}

/** How long each is kept, in days; 0 for ever. */
export interface Retention {
  retainBulkDays: number
  retainConversionsDays: number
  /** Of events, deliveries and attempts. */
  retainEventsDays: number
  /** Of stored answers, which are repeated for the first day alone. */
  retainIdempotencyDays: number
  /** Of the log of calls. */
  retainRequestsDays: number
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** Between two steps, so that calls of the same organisation or of others do not notice how much there is to remove. */
const REST_MS = 50
/** The next run goes on where this one ended. */
const MOST_STEPS = 1_000
/** The most rows of a step, each of them small. */
const ROWS = 1_000
const REPEATED_DAYS = REPEATED_MS / DAY_MS

/**
 * Removes old events of every organisation, a limited number of steps, each in a transaction of its own. Throws at the end what
 * an organisation has failed with.
 */
export async function forgetOldEvents({
  retainEventsDays: days,
  ...dependencies
}: RetentionDependencies & Pick<Retention, 'retainEventsDays'>): Promise<void> {
  if (days === 0) return
  const { connection, isStopping } = dependencies
  const before = timeBefore(dependencies, days)
  let steps = 0
  const failed: unknown[] = []
  const mayGoOn = () => steps < MOST_STEPS && !isStopping()
  for (let after: string | null = null; mayGoOn(); ) {
    const { due, last } = await organizationsWithOldEvents(connection, before, after)
    for (const orgId of due) {
      try {
        for (; mayGoOn() && (await removeOldEvents(connection, orgId, before)) > 0; steps += 1) await delay(REST_MS)
      } catch (error) {
        failed.push(error)
      }
    }
    if (last === null) break
    after = last
  }
  throwAny(failed)
}

/** Removes endpoints that were deleted so long ago that their deliveries are gone. */
export const forgetDeletedEndpoints = ({
  retainEventsDays,
  ...dependencies
}: RetentionDependencies & Pick<Retention, 'retainEventsDays'>): Promise<void> =>
  inSteps(dependencies, retainEventsDays, removeDeletedEndpoints)

/** Removes old answers of calls with an idempotency key, and claims that were left; those with a secret once none is repeated. */
export async function forgetOldAnswers({
  retainIdempotencyDays,
  ...dependencies
}: RetentionDependencies & Pick<Retention, 'retainIdempotencyDays'>): Promise<void> {
  if (retainIdempotencyDays !== REPEATED_DAYS) await inSteps(dependencies, REPEATED_DAYS, deleteSealedAnswers)
  await inSteps(dependencies, retainIdempotencyDays, deleteOldAnswers)
}

/** How long codes, tokens and consents of OAuth stay after their end, for whoever looks into a case. */
const ENDED_DAYS = 1
/** Used refresh tokens are answered again for half a minute, and their answers hold a secret. */
const USED_DAYS = 1 / 24 / 60

/** Removes refresh tokens that were used. */
export const forgetUsedTokens = (dependencies: RetentionDependencies): Promise<void> =>
  inSteps(dependencies, USED_DAYS, removeUsedTokens)

/** Removes what has ended of OAuth: tokens, then grants that were revoked or have none, then withdrawn consents with what they gave. */
export async function forgetEndedOAuth(dependencies: RetentionDependencies): Promise<void> {
  await inSteps(dependencies, ENDED_DAYS, removeExpiredTokens)
  await inSteps(dependencies, ENDED_DAYS, removeRevokedGrants)
  await inSteps(dependencies, ENDED_DAYS, removeEndedGrants)
  await inSteps(dependencies, ENDED_DAYS, removeWithdrawnConsents)
}

/** Removes old conversions that have ended; what they made stays, with its links. */
export const forgetOldConversions = ({
  retainConversionsDays,
  ...dependencies
}: RetentionDependencies & Pick<Retention, 'retainConversionsDays'>): Promise<void> =>
  inSteps(dependencies, retainConversionsDays, removeOldConversions)

/** Removes old bulks that are completed, with their rows; their documents stay. */
export const forgetOldBulks = ({
  retainBulkDays,
  ...dependencies
}: RetentionDependencies & Pick<Retention, 'retainBulkDays'>): Promise<void> =>
  inSteps(dependencies, retainBulkDays, deleteOldBulks)

/** Removes old calls from the request log. */
export const forgetOldRequests = ({
  retainRequestsDays,
  ...dependencies
}: RetentionDependencies & Pick<Retention, 'retainRequestsDays'>): Promise<void> =>
  inSteps(dependencies, retainRequestsDays, removeOldRequests)

/** Repeats a step until nothing is left to remove, each time in a transaction of its own and after a rest. */
async function inSteps(
  dependencies: RetentionDependencies,
  days: number,
  remove: (connection: Database, before: Date, rows: number) => Promise<number>,
): Promise<void> {
  if (days === 0) return
  const { connection, isStopping } = dependencies
  const before = timeBefore(dependencies, days)
  for (let steps = 0; steps < MOST_STEPS && !isStopping(); steps += 1) {
    if ((await remove(connection, before, ROWS)) === 0) return
    await delay(REST_MS)
  }
}

const timeBefore = ({ clock }: RetentionDependencies, days: number) => new Date(clock().getTime() - days * DAY_MS)
