// How fast payments, bills, expenses and the like are booked, each next to the same rows by the bare driver.
import type { Call, LoadJob } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { BILL, type Deed, EXPENSE, PAYMENT } from './deeds.ts'
import { checkSameRows, loaded, measured, prepared } from './measuring.ts'
import type { Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import { keepSpecimens } from './specimens.ts'
import type { Stage } from './stage.ts'
import { bill, expense, openTrades, payment, type Trade } from './trades.ts'
import { step } from '../bin/machines/steps.ts'

const MOST_ROUND_TRIPS = 8
const COUNTED = 20
const AIM = 0.35

const MEASURED: { deed: Deed; what: string; call(trade: Trade): Call }[] = [
  { deed: PAYMENT, what: 'payments with one allocation', call: payment },
  { deed: BILL, what: 'approved bills of three item lines', call: bill },
  { deed: EXPENSE, what: 'expenses', call: expense },
]

export async function measureDocuments(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const trades = await step('Trades', async () => [
    `${parties.length} organisations with what the deeds need`, await openTrades(stage, parties),
  ], 'open')
  for (const { deed, what, call } of MEASURED) {
    const calls = trades.map(call)
    // The second is the usual one: the first found an untouched document, and sequences without a number.
    await runChild('load.ts', { port: stage.port, calls, pace: { clients: 1, count: calls.length * 2 } }, stage.stopping)
    await connected(stage.databaseUrl, async (client) => {
      await keepSpecimens(client, deed, trades)
      await client.query('ANALYZE')
    })
    await checkWays(stage, deed, calls[0]!)
    await measureDeed(stage, deed, what, calls, scale, report)
  }
}

async function measureDeed(stage: Stage, deed: Deed, what: string, calls: Call[], scale: Scale, report: Report): Promise<void> {
  report.section(`${what[0]!.toUpperCase()}${what.slice(1)}, ${calls.length} organisations`)
  const job = { port: stage.port, calls: calls.slice(0, 1), pace: { clients: 1, count: COUNTED } }
  const { roundTrips } = await loaded(stage, job, report, `${COUNTED} ${what}`)
  report.must(roundTrips <= MOST_ROUND_TRIPS, `one of ${what} took ${roundTrips} round trips`)
  for (const clients of scale.clients) {
    const pace = { clients, seconds: scale.deedSeconds, warmSeconds: scale.deedWarmSeconds }
    const job: LoadJob = { port: stage.port, calls, pace }
    const { figures: service } = await loaded(stage, job, report, what)
    const floor = await measured(stage, report, '  floor: pg statements', clients, () => prepared(stage, deed, calls.length, pace))
    report.aim({ name: `${what}, ${clients} clients: service / bare pg`, value: service.rate / floor.rate, atLeast: AIM })
  }
}

async function checkWays(stage: Stage, deed: Deed, call: Call): Promise<void> {
  const pace = { clients: 1, seconds: 0.5, warmSeconds: 0 }
  await checkSameRows(stage, deed, {
    service: () => runChild('load.ts', { port: stage.port, calls: [call], pace }, stage.stopping),
    'bare pg': () => prepared(stage, deed, 1, pace),
  })
}
