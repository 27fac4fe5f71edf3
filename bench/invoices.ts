// How fast invoices are approved, next to the same rows by one call of pgbench and by the bare driver.
import type { LoadJob, LoadResult } from './children/load.ts'
import { runChild } from './children/parent.ts'
import type { PreparedJob } from './children/prepared.ts'
import { connected } from './connected.ts'
import { consumed } from './consumption.ts'
import type { Figures, Pace } from './figures.ts'
import { approvedInvoice, type Party } from './parties.ts'
import { findPgbench, runPgbench } from './pgbench.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import { countRows, TABLES } from './specimens.ts'
import type { Stage } from './stage.ts'

const MOST_ROUND_TRIPS = 6
const COUNTED = 20

export async function measureInvoices(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const pgbench = findPgbench(stage.path)
  if (!pgbench) console.log('\npgbench is missing (Debian: apt-get install postgresql): its ratios are left out.')
  await checkSameRows(stage, parties[0]!, pgbench)
  // Autovacuum would do it within a minute; until then the plans of an empty database are measured.
  await connected(stage.databaseUrl, (client) => client.query('ANALYZE'))

  report.section('Approved invoices of three item lines, over keep-alive HTTP')
  await checkRoundTrips(stage, parties[0]!, report)
  for (const some of [parties, parties.slice(0, 1)]) {
    const over = some.length === 1 ? 'one organisation' : `${some.length} organisations`
    for (const clients of scale.clients) {
      const pace: Pace = { clients, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
      const service = await overHttp(stage, some, pace, report, `invoices, ${over}`)
      const bare = await measured(stage, report, `  floor: pg statements, ${over}`, pace, () => prepared(stage, some.length, pace))
      report.aim({ name: `${over}, ${clients} clients: service / bare pg`, value: service.rate / bare.rate, atLeast: 0.7 })
      if (!pgbench) continue
      const floor = await measured(stage, report, `  floor: pgbench, ${over}`, pace, () =>
        runPgbench(stage, { program: pgbench, specimens: some.length, pace }))
      report.aim({ name: `${over}, ${clients} clients: service / pgbench`, value: service.rate / floor.rate, atLeast: 0.4 })
    }
  }
}

async function overHttp(stage: Stage, parties: Party[], pace: Pace, report: Report, measure: string): Promise<Figures> {
  const job: LoadJob = { port: stage.port, calls: parties.map((party) => approvedInvoice(party)), pace }
  return (await loaded(stage, job, report, measure)).figures
}

async function loaded(stage: Stage, job: LoadJob, report: Report, measure: string): Promise<{ figures: Figures; roundTrips: number }> {
  const before = await countTrips(stage)
  const load = () => runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping)
  const [figures, consumption] = await consumed(stage.pids, load)
  const roundTrips = ((await countTrips(stage)) - before) / figures.sent
  report.line({ measure, clients: job.pace.clients, figures, consumption, roundTrips })
  return { figures, roundTrips }
}

async function measured(
  stage: Stage, report: Report, measure: string, { clients }: Pace, work: () => Promise<Figures>,
): Promise<Figures> {
  stage.stopping.throwIfAborted()
  const [figures, consumption] = await consumed(stage.pids, work)
  report.line({ measure, clients, figures, consumption })
  return figures
}

const prepared = ({ databaseUrl, stopping }: Stage, specimens: number, pace: Pace) =>
  runChild<PreparedJob, Figures>('prepared.ts', { databaseUrl, specimens, pace }, stopping)

async function checkRoundTrips(stage: Stage, party: Party, report: Report): Promise<void> {
  for (const lines of [3, 100]) {
    const job: LoadJob = { port: stage.port, calls: [approvedInvoice(party, lines)], pace: { clients: 1, count: COUNTED } }
    const { roundTrips } = await loaded(stage, job, report, `${COUNTED} invoices of ${lines} lines`)
    report.must(roundTrips <= MOST_ROUND_TRIPS, `an approved invoice of ${lines} lines took ${roundTrips} round trips`)
  }
}

/** The service's own count of its round trips to PostgreSQL so far. */
async function countTrips({ metricsUrl }: Stage): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const count = Number(/^bahi_database_round_trips_total (\d+)/m.exec(text)?.[1])
  if (Number.isNaN(count)) throw new Error(`${metricsUrl} does not tell bahi_database_round_trips_total`)
  return count
}

// A floor that writes less than the service does would prove nothing.
async function checkSameRows(stage: Stage, party: Party, pgbench: string | null): Promise<void> {
  const pace = { clients: 1, seconds: 1, warmSeconds: 0 }
  const ways: Record<string, () => Promise<unknown>> = {
    service: () => runChild('load.ts', { port: stage.port, calls: [approvedInvoice(party)], pace }, stage.stopping),
    'bare pg': () => prepared(stage, 1, pace),
    ...(pgbench ? { pgbench: () => runPgbench(stage, { program: pgbench, specimens: 1, pace }) } : {}),
  }
  const rows: Record<string, string> = {}
  await connected(stage.databaseUrl, async (client) => {
    for (const [way, work] of Object.entries(ways)) {
      const before = await countRows(client)
      await work()
      const after = await countRows(client)
      const made = after.invoices! - before.invoices!
      rows[way] = TABLES.map(({ name }) => `${name} ${(after[name]! - before[name]!) / made}`).join(', ')
    }
  })
  console.log(`\nRows of one invoice: ${rows.service}`)
  const other = Object.keys(rows).find((way) => rows[way] !== rows.service)
  if (other) throw new Error(`${other} writes other rows than the service: ${rows[other]}`)
}
