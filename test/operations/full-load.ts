// Everything that callers do at the same time, at two APIs, while parts of an installation go and come; and the judgement of it.
import { expect } from '@jest/globals'
import { audit } from '../../audit/audit.ts'
import { billing } from '../kills/billing.ts'
import { bulking } from '../kills/bulking.ts'
import { expectAllAreTold, expectEachOnce } from '../kills/judging.ts'
import { startLoad } from '../kills/load.ts'
import { bodyOf, openLoadedOrganization, type LoadedOrganization } from '../kills/organization.ts'
import { patientCallerAt, type PatientCaller } from '../kills/patient-caller.ts'
import { checkedCallerOf, startWriters } from '../kills/writers.ts'
import { until } from '../start/local-run.ts'
import { figuresText, recordOutages } from './outages.ts'
import type { Installation } from './installation.ts'
import { mailing, paying, ticking } from './writers.ts'

export interface FullLoad {
  /** Does something to a part while the load goes on; returns when every kind of call has succeeded again since. Prints the figures. */
  during(name: string, work: () => Promise<void>): Promise<void>
  /** Every kind of call succeeds again. */
  goOn(): Promise<void>
  /** How many tries of calls have failed so far. */
  failures(): number
  /** So many more deliveries are refused from now on, until all are taken. */
  refuseMore(): void
  /** Nothing is refused any more. Returns when no delivery waits for its next attempt. */
  takeAll(): Promise<void>
  /** The organisation that is billed, and the other one, with everything else. */
  orgIds: [string, string]
  /** A call of the other organisation, once. */
  once: PatientCaller['once']
  /** Ends the load, and compares what was acknowledged with the books, the receiver and the mailbox. */
  judge(): Promise<void>
  stop(): Promise<void>
}

export interface LoadSize {
  /** Times the small size of every day. */
  scale: number
  /** Whether PDFs are rendered. */
  rendersPdfs: boolean
}

export async function startFullLoad(installation: Installation, { scale, rendersPdfs }: LoadSize): Promise<FullLoad> {
  const { addresses, partnerKey, mailboxUrl, database } = installation
  const outages = recordOutages()
  const [billed, other] = await Promise.all([0, 1].map(() => openLoadedOrganization(addresses[0]!, partnerKey))) as [LoadedOrganization, LoadedOrganization]
  const ladders = refuseSome(billed)
  // As if the minute had passed for which a call that waits for a workflow keeps its key.
  const keptBy = async (key: string) => void (await database.run(FREED, [key]))
  const listeners = { heard: outages.heard, ...(scale === 1 && { keptBy }) }
  const caller = checkedCallerOf(addresses, other, listeners)
  const mails = await mailing(other, caller, { mailboxUrl, attachPdf: rendersPdfs })
  const ticks = ticking(other, caller)
  const bulks = bulking(other, caller)
  const writers = startWriters([paying(other, caller), billing(other, caller), bulks, mails, ticks], AHEAD * scale)
  const load = startLoad(addresses, billed.token, (key) => bodyOf(billed, key), { callers: 2 + scale, pauseMs: scale === 1 ? 400 : 250, ...listeners })

  const more = { invoices: 10 * scale, rounds: scale }
  const limitMs = 300_000 * scale
  const goOn = async () => {
    try {
      await Promise.all([load.acknowledges(more.invoices, limitMs), writers.goOn(more.rounds, limitMs)])
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${installation.output()}`, { cause: error })
    }
  }
  const stop = async () => {
    await Promise.all([load.stop(), writers.stop()])
  }

  const takeAll = async () => {
    ladders.refuse(0)
    let climbing: unknown[] = []
    const areTaken = async () => (climbing = await database.run(CLIMBING, [])).length === 0
    await until(areTaken, limitMs, () => `deliveries still wait: ${JSON.stringify(climbing)}\n${installation.output()}`)
  }

  const full: FullLoad = {
    goOn, stop, takeAll,
    failures: () => load.unheard,
    refuseMore: () => ladders.refuse(CLIMBERS),
    orgIds: [billed.orgId, other.orgId],
    once: patientCallerAt(addresses, other.token).once,
    async during(name, work) {
      outages.take()
      const begunAt = Date.now()
      await work()
      const tookS = Math.round((Date.now() - begunAt) / 100) / 10
      await goOn()
      process.stdout.write(figuresText(`${name} in ${tookS} s`, outages.take()))
    },
    async judge() {
      await stop()
      await takeAll()
      expect(load.surprises).toEqual([])
      await expectEachOnce(billed, load.acknowledged)
      await expectAllAreTold(billed, load.acknowledged, database, installation.output)
      await writers.check()
      expect(installation.unhandled()).toEqual([])
      expect(await audit(database)).toEqual([])
      const deliveries = billed.bodiesByDelivery().size
      process.stdout.write(`${load.acknowledged.length} invoices, ${deliveries} deliveries in ${billed.customer.arrivals.length} attempts, ` +
        `${ladders.takenAgain()} sent again after they were taken, ${ticks.occurrences()} occurrences, ${mails.unknown()} mails of which nobody knows\n`)
      await Promise.all([billed.customer.close(), other.customer.close()])
    },
  }
  return full
}

const FREED = { name: 'free a key', text: 'UPDATE idempotent_answers SET claimed_until = now() WHERE key = $1 AND claimed_until IS NOT NULL' }
const CLIMBING = { name: 'climbing', text: `SELECT id, held_by, attempts_made, next_attempt_at - now() AS in, batch_id FROM webhook_deliveries WHERE status = 'RETRYING' LIMIT 5` }

// So many deliveries climb their ladders until all are taken. Beside them, one of ten is refused twice.
const CLIMBERS = 10
const TWICE_ONE_IN = 10
/** Rounds that a writer may be ahead of what is waited for. */
const AHEAD = 5

function refuseSome({ customer }: LoadedOrganization): { refuse(more: number): void; takenAgain(): number } {
  const seen = new Map<string, { climbs: boolean; place: number; refused: number; taken: number }>()
  let left = CLIMBERS
  let isRefusing = true
  customer.answer = ({ deliveryId }) => {
    const one = seen.get(deliveryId) ?? { climbs: left > 0, place: seen.size, refused: 0, taken: 0 }
    if (!seen.has(deliveryId)) left -= 1
    seen.set(deliveryId, one)
    const isRefused = isRefusing && (one.climbs || (one.place % TWICE_ONE_IN === 0 && one.refused < 2))
    if (isRefused) one.refused += 1
    else one.taken += 1
    return isRefused ? 503 : 200
  }
  return {
    refuse(more) {
      left = more
      isRefusing = more > 0
    },
    takenAgain: () => [...seen.values()].filter(({ taken }) => taken > 1).length,
  }
}
