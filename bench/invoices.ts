// Measures how fast approved invoices are created, compared with the same rows by pgbench and by the bare driver.
import type { LoadJob } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { INVOICE } from './writes.ts'
import type { Throttle } from './figures.ts'
import { byPgbench, byPrepared, byService, checkSameRows, loaded, prepared } from './measuring.ts'
import { approvedInvoice, type Party } from './parties.ts'
import { findPgbench, runPgbench } from './pgbench.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const MAX_ROUND_TRIPS = 6
const COUNTED = 20

export async function measureInvoices(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const pgbench = findPgbench(stage.path)
  if (!pgbench) console.log('\npgbench is missing (Debian: apt-get install postgresql): its ratios are left out.')
  await checkWays(stage, parties[0]!, pgbench)
  // Autovacuum would do it within a minute; until then PostgreSQL would use the plans of an empty database.
  await connected(stage.databaseUrl, (client) => client.query('ANALYZE'))

  report.section('Approved invoices of three item lines, over keep-alive HTTP')
  await checkRoundTrips(stage, parties[0]!, report)
  for (const some of [parties, parties.slice(0, 1)]) {
    const over = some.length === 1 ? 'one organisation' : `${some.length} organisations`
    for (const clients of scale.clients) {
      const pace: Throttle = { clients, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
      const [service, bare, floor] = await inRounds([
        byService(stage, `invoices, ${over}`, some.map((party) => approvedInvoice(party)), pace),
        byPrepared(stage, `  floor: pg statements, ${over}`, INVOICE, some.length, pace),
        ...(pgbench ? [byPgbench(stage, `  floor: pgbench, ${over}`, pgbench, some.length, pace)] : []),
      ], { rounds: scale.rounds, clients, report, stopping: stage.stopping })
      report.aim({ name: `${over}, ${clients} clients: service / bare pg`, value: service!.rate / bare!.rate, atLeast: 0.7 })
      if (floor) report.aim({ name: `${over}, ${clients} clients: service / pgbench`, value: service!.rate / floor.rate, atLeast: 0.4 })
    }
  }
}

async function checkRoundTrips(stage: Stage, party: Party, report: Report): Promise<void> {
  for (const lines of [3, 100]) {
    const job: LoadJob = { port: stage.port, calls: [approvedInvoice(party, lines)], pace: { clients: 1, count: COUNTED } }
    const { roundTrips } = await loaded(stage, job, report, `${COUNTED} invoices of ${lines} lines`)
    report.must(roundTrips <= MAX_ROUND_TRIPS, `an approved invoice of ${lines} lines took ${roundTrips} round trips`)
  }
}

async function checkWays(stage: Stage, party: Party, pgbench: string | null): Promise<void> {
  const pace = { clients: 1, seconds: 1, warmSeconds: 0 }
  await checkSameRows(stage, INVOICE, {
    service: () => runChild('load.ts', { port: stage.port, calls: [approvedInvoice(party)], pace }, stage.stopping),
    'bare pg': () => prepared(stage, INVOICE, 1, pace),
    ...(pgbench ? { pgbench: () => runPgbench(stage, { program: pgbench, specimens: 1, pace }) } : {}),
  })
}
