// Compares this checkout with another: both services take turns in one run, each with servers of its own.
import type { Call } from './children/load.ts'
import { connected } from './connected.ts'
import { byService } from './measuring.ts'
import { draft, mixed } from './mixed.ts'
import { approvedInvoice, makeParties } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { openTrades, PATH, type Trade } from './trades.ts'

interface Side {
  name: string
  stage: Stage
  trades: Trade[]
}

interface Measured {
  what: string
  /** The name by which `--only` chooses it. */
  part: 'invoices' | 'mixed' | 'reading'
  organizations: 'one' | 'all'
  callsOf(trade: Trade): Call[]
}

const MEASURED: Measured[] = [
  { what: 'invoices', part: 'invoices', organizations: 'all', callsOf: (trade) => [approvedInvoice(trade)] },
  { what: 'invoices of one organisation', part: 'invoices', organizations: 'one', callsOf: (trade) => [approvedInvoice(trade)] },
  { what: 'drafts of one organisation', part: 'mixed', organizations: 'one', callsOf: (trade) => [draft(trade)] },
  { what: 'mixed writes of one organisation', part: 'mixed', organizations: 'one', callsOf: mixed },
  {
    what: 'pages of 50 invoices', part: 'reading', organizations: 'all',
    callsOf: ({ token }) => [{ method: 'GET', path: `${PATH}/invoices`, token, body: null }],
  },
]

/** Measures invoices, writers of one organisation, and pages of invoices, of both stages in turn. */
export async function measureAgainst([ours, theirs]: [Stage, Stage], only: readonly string[], scale: Scale, report: Report): Promise<void> {
  const sides = [await sideOf('this', ours, scale.organizations), await sideOf('other', theirs, scale.organizations)]
  for (const { what, organizations, callsOf } of MEASURED.filter(({ part }) => only.includes(part))) {
    report.section(`${what[0]!.toUpperCase()}${what.slice(1)}: this checkout, and the other one`)
    for (const clients of scale.clients) {
      const pace = { clients, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
      const ways = sides.map(({ name, stage, trades }) => (
        byService(stage, `${name}: ${what}`, trades.slice(0, organizations === 'one' ? 1 : undefined).flatMap(callsOf), pace)
      ))
      const [mine, other] = await inRounds(ways, { rounds: scale.rounds, clients, report, stopping: ours.stopping })
      report.aim({ name: `${what}, ${clients} clients: this / other`, value: mine!.rate / other!.rate })
    }
  }
}

async function sideOf(name: string, stage: Stage, organizations: number): Promise<Side> {
  const trades = await openTrades(stage, await makeParties(stage, organizations))
  await connected(stage.databaseUrl, (client) => client.query('ANALYZE'))
  return { name, stage, trades }
}
