// Compares this checkout with another: both services take turns in one run, each with servers of its own.
import type { Call } from './children/load.ts'
import { connected } from './connected.ts'
import { byService } from './measuring.ts'
import { approvedInvoice, makeParties, type Party } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { PATH } from './trades.ts'

interface Side {
  name: string
  stage: Stage
  parties: Party[]
}

const MEASURED: { what: string; organizations: 'one' | 'all'; callOf(party: Party): Call }[] = [
  { what: 'invoices', organizations: 'all', callOf: (party) => approvedInvoice(party) },
  { what: 'invoices of one organisation', organizations: 'one', callOf: (party) => approvedInvoice(party) },
  { what: 'pages of 50 invoices', organizations: 'all', callOf: ({ token }) => ({ method: 'GET', path: `${PATH}/invoices`, token, body: null }) },
]

/** Measures approved invoices, and pages of invoices, of both stages in turn. */
export async function measureAgainst([ours, theirs]: [Stage, Stage], scale: Scale, report: Report): Promise<void> {
  const sides = [await sideOf('this', ours, scale.organizations), await sideOf('other', theirs, scale.organizations)]
  for (const { what, organizations, callOf } of MEASURED) {
    report.section(`${what[0]!.toUpperCase()}${what.slice(1)}: this checkout, and the other one`)
    for (const clients of scale.clients) {
      const pace = { clients, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
      const ways = sides.map(({ name, stage, parties }) => (
        byService(stage, `${name}: ${what}`, parties.slice(0, organizations === 'one' ? 1 : undefined).map(callOf), pace)
      ))
      const [mine, other] = await inRounds(ways, { rounds: scale.rounds, clients, report, stopping: ours.stopping })
      report.aim({ name: `${what}, ${clients} clients: this / other`, value: mine!.rate / other!.rate })
    }
  }
}

async function sideOf(name: string, stage: Stage, organizations: number): Promise<Side> {
  const parties = await makeParties(stage, organizations)
  await connected(stage.databaseUrl, (client) => client.query('ANALYZE'))
  return { name, stage, parties }
}
