// Measures how fast payments, bills, expenses and the like are written, each compared with the same rows by the bare driver.
import type { Call, LoadJob } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { APPLICATION, BILL, type BookedWrite, EXPENSE, PAYMENT } from './writes.ts'
import { byPrepared, byService, byServiceOnce, checkSameRows, loaded, prepared } from './measuring.ts'
import type { Party } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import { keepSpecimens } from './specimens.ts'
import type { Stage } from './stage.ts'
import { applications, bill, expense, openTrades, payment, type Trade } from './trades.ts'
import { step } from '../bin/services/steps.ts'

const MAX_ROUND_TRIPS = 8
const COUNTED = 20
const AIM = 0.35

interface Measured {
  write: BookedWrite
  what: string
  /** Calls that can be made again and again; or `count` calls that can each be made once. */
  calls(stage: Stage, trades: Trade[], count: number): Promise<Call[]>
  once?: true
}

const MEASURED: Measured[] = [
  { write: PAYMENT, what: 'payments with one allocation', calls: async (_stage, trades) => trades.map(payment) },
  { write: BILL, what: 'approved bills of three item lines', calls: async (_stage, trades) => trades.map(bill) },
  { write: EXPENSE, what: 'expenses', calls: async (_stage, trades) => trades.map(expense) },
  { write: APPLICATION, what: 'credit notes applied to invoices', calls: applications, once: true },
]

export async function measureDocuments(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const trades = await step('Trades', async () => [
    `${parties.length} organisations with what the documents need`, await openTrades(stage, parties),
  ], 'open')
  for (const each of MEASURED) {
    // Two calls for each, because only the second is typical: the first finds an untouched document, and sequences without a number.
    await makeCalls(stage, await each.calls(stage, trades, trades.length * 2), trades.length * 2)
    await connected(stage.databaseUrl, async (client) => {
      await keepSpecimens(client, each.write, trades)
      await client.query('ANALYZE')
    })
    await checkWays(stage, each, trades)
    report.section(`${each.what[0]!.toUpperCase()}${each.what.slice(1)}, ${trades.length} organisations`)
    await measureWrite(stage, each, trades, scale, report)
  }
}

async function measureWrite(stage: Stage, { write, what, calls, once }: Measured, trades: Trade[], scale: Scale, report: Report): Promise<void> {
  const few: LoadJob = { port: stage.port, calls: await calls(stage, trades, COUNTED), pace: { clients: 1, count: COUNTED } }
  const { roundTrips } = await loaded(stage, few, report, `${COUNTED} ${what}`)
  report.must(roundTrips <= MAX_ROUND_TRIPS, `one of ${what} took ${roundTrips} round trips`)
  for (const clients of scale.clients) {
    const pace = { clients, seconds: scale.writeSeconds, warmSeconds: scale.writeWarmSeconds }
    const made = await calls(stage, trades, scale.once)
    const [service, floor] = await inRounds([
      once ? byServiceOnce(stage, what, made, clients, scale.rounds) : byService(stage, what, made, pace),
      byPrepared(stage, '  floor: pg statements', write, trades.length, pace),
    ], { rounds: scale.rounds, clients, report, stopping: stage.stopping })
    report.aim({ name: `${what}, ${clients} clients: service / bare pg`, value: service!.rate / floor!.rate, atLeast: AIM })
  }
}

async function checkWays(stage: Stage, { write, calls }: Measured, trades: Trade[]): Promise<void> {
  const some = await calls(stage, trades, COUNTED)
  await checkSameRows(stage, write, {
    service: () => makeCalls(stage, some, COUNTED),
    'bare pg': () => prepared(stage, write, 1, { clients: 1, seconds: 0.5, warmSeconds: 0 }),
  })
}

const makeCalls = (stage: Stage, calls: Call[], count: number) =>
  runChild('load.ts', { port: stage.port, calls, pace: { clients: 1, count } }, stage.stopping)
