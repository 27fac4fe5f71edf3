// Measures how fast sales orders become invoices, compared with the same rows by the bare driver and with the smallest workflows.
import type { Call, LoadJob } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { CONVERSION } from './writes.ts'
import { byPrepared, byServiceOnce, checkSameRows, loaded, prepared } from './measuring.ts'
import type { Party } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import { keepSpecimens } from './specimens.ts'
import type { Stage } from './stage.ts'
import { conversions } from './trades.ts'
import { measureWorkflows } from './webhooks.ts'

const MAX_ROUND_TRIPS = 8
const AIM = 0.35
const CHECKED = 10
const COUNTED = 20

/** Each conversion makes an approved invoice from a whole order of three item lines. */
export async function measureConversions(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  await convert(stage, await conversions(stage, parties, parties.length))
  await connected(stage.databaseUrl, async (client) => {
    await keepSpecimens(client, CONVERSION, parties)
    await client.query('ANALYZE')
  })
  const checked = await conversions(stage, parties, CHECKED)
  await checkSameRows(stage, CONVERSION, {
    service: () => convert(stage, checked),
    'bare pg': () => prepared(stage, CONVERSION, 1, { clients: 1, seconds: 0.5, warmSeconds: 0 }),
  })
  report.section(`Sales orders of three item lines converted to approved invoices, ${parties.length} organisations`)
  const few: LoadJob = { port: stage.port, calls: await conversions(stage, parties, COUNTED), pace: { clients: 1, count: COUNTED } }
  const { roundTrips } = await loaded(stage, few, report, `${COUNTED} conversions`)
  report.must(roundTrips <= MAX_ROUND_TRIPS, `a conversion took ${roundTrips} round trips of the API`)
  const workflows = await measureWorkflows(stage, scale, report)
  for (const clients of scale.clients) {
    const calls = await conversions(stage, parties, scale.conversions)
    const pace = { clients, seconds: scale.writeSeconds, warmSeconds: scale.writeWarmSeconds }
    const [service, bare] = await inRounds([
      byServiceOnce(stage, `${calls.length} conversions`, calls, clients, scale.rounds),
      byPrepared(stage, '  floor: pg statements', CONVERSION, parties.length, pace),
    ], { rounds: scale.rounds, clients, report, stopping: stage.stopping })
    report.aim({ name: `conversions, ${clients} clients: service / bare pg`, value: service!.rate / bare!.rate })
    if (clients > 1) report.aim({ name: `conversions, ${clients} clients: service / one-activity workflows`, value: service!.rate / workflows.rate, atLeast: AIM })
  }
}

const convert = (stage: Stage, calls: Call[]) =>
  runChild('load.ts', { port: stage.port, calls, pace: { clients: 1, count: calls.length } }, stage.stopping)
