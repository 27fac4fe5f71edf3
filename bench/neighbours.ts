// Measures how much an organisation is slowed down by another that is hostile, unlucky or busy: its calls alone, then with each neighbour.
import { BODY_LIMIT } from '../api/http/body.ts'
import { MAX_ROWS } from '../domain/bulk.ts'
import type { LedgerJob, LedgerResult } from './children/ledger.ts'
import type { LoadJob, LoadResult } from './children/load.ts'
import type { NeighbourJob, NeighbourResult } from './children/neighbour.ts'
import { runChild } from './children/parent.ts'
import { consumed, peakMemory } from './consumption.ts'
import type { Figures } from './figures.ts'
import { ledgerUrl, writeLedger } from './ledgers.ts'
import { nastyBodies } from './nasty-bodies.ts'
import { approvedInvoice, post, type Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { PATH } from './trades.ts'

/** The calls of the victim, and how they are timed. */
export interface Victim {
  name: string
  measure(seconds: number): Promise<Figures>
}

/** A neighbour and its victim. `begin` runs for this many seconds and returns a line on what was answered. */
export interface Neighbour {
  name: string
  victim: Victim
  begin(seconds: number): Promise<string>
}

// How long before the measurement a neighbour starts, and how long after it the neighbour ends.
const AHEAD_SECONDS = 2
const VICTIM_CLIENTS = 2
const MAX_RATIO = 1.5
const MAX_MORE_MS = 100

/** Measures every victim alone, then with each of its neighbours. To add a neighbour, add an entry to neighboursOf. */
export async function measureNeighbours(stage: Stage, [ours, theirs]: [Party, Party], scale: Scale, report: Report): Promise<void> {
  const neighbours = await neighboursOf(stage, ours, theirs, scale)
  report.section('A victim beside its neighbours')
  for (const victim of new Set(neighbours.map((neighbour) => neighbour.victim))) {
    await victim.measure(scale.warmSeconds)
    const alone = await look(stage, report, `${victim.name}, alone`, () => victim.measure(scale.neighbourSeconds))
    for (const neighbour of neighbours.filter((one) => one.victim === victim)) {
      const beside = await look(stage, report, `  ${neighbour.name}`, async () => {
        const bothering = neighbour.begin(scale.neighbourSeconds + 2 * AHEAD_SECONDS)
        await new Promise((resolve) => setTimeout(resolve, AHEAD_SECONDS * 1000))
        const [figures, outcome] = await Promise.all([victim.measure(scale.neighbourSeconds), bothering])
        console.log(`  the neighbour: ${outcome}`)
        return figures
      })
      report.aim({
        name: `${victim.name} beside ${neighbour.name}: p99 / (1.5 x alone + 100 ms)`,
        value: beside.p99Ms / (MAX_RATIO * alone.p99Ms + MAX_MORE_MS), atMost: 1,
      })
      if (alone.peak !== null && beside.peak !== null) {
        report.aim({ name: `${victim.name} beside ${neighbour.name}: the API's memory / alone`, value: beside.peak / alone.peak, atMost: MAX_RATIO })
      }
    }
  }
}

async function neighboursOf(stage: Stage, ours: Party, theirs: Party, scale: Scale): Promise<Neighbour[]> {
  const short = await writeLedger(stage, ours, scale.ledgers[0]!)
  const long = await writeLedger(stage, theirs, scale.ledgers[1]!)
  const invoices: Victim = {
    name: 'POST /invoices',
    measure: (seconds) => runChild<LoadJob, LoadResult>('load.ts', {
      port: stage.port, calls: [approvedInvoice(ours)], pace: { clients: VICTIM_CLIENTS, seconds, warmSeconds: 0 },
    }, stage.stopping),
  }
  const ledger: Victim = {
    name: 'customer ledger',
    measure: async (seconds) => (await runChild<LedgerJob, LedgerResult>('ledger.ts', {
      url: ledgerUrl(stage, short.contactId), token: ours.token, clients: 1, seconds,
    }, stage.stopping)).whole,
  }
  const token = { Authorization: `Bearer ${theirs.token}` }
  return [
    {
      name: '4 connections of 2 MB junk', victim: invoices,
      begin: flood(stage, 4, nastyBodies(BODY_LIMIT - 1_000).map(({ text }) => (
        { method: 'POST', path: `${PATH}/invoices`, headers: { ...token, 'Idempotency-Key': '<new>' }, body: text }
      ))),
    },
    {
      name: '300 connections with unknown tokens', victim: invoices,
      begin: flood(stage, 300, [{ method: 'GET', path: `${PATH}/whoami`, headers: { Authorization: 'Bearer svc_pat_<new>' }, body: null }]),
    },
    {
      name: 'a bulk of 5,000 rows', victim: invoices,
      async begin(seconds) {
        const body = { invoices: Array.from({ length: MAX_ROWS.async }, () => approvedInvoice(theirs).body) }
        const { bulk_id: id } = await post<{ bulk_id: string }>(`${stage.baseUrl}/bulk/invoices?async=true`, token, body)
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
        const answer = await fetch(`${stage.baseUrl}/bulk/${id}?per_page=1`, { headers: token })
        const { summary } = await answer.json() as { summary: { succeeded: number } }
        return `${summary.succeeded} rows created`
      },
    },
    {
      name: '30 slow readers of a large ledger', victim: ledger,
      begin: flood(stage, 30, [{ method: 'GET', path: ledgerUrl({ baseUrl: PATH }, long.contactId), headers: token, body: null }], true),
    },
  ]
}

/** A neighbour that sends these requests over this many connections; `slowly` leaves the answers unread. */
export function flood(stage: Stage, connections: number, requests: NeighbourJob['requests'], slowly = false): Neighbour['begin'] {
  return async (seconds) => {
    const answered = await runChild<NeighbourJob, NeighbourResult>('neighbour.ts', { port: stage.port, connections, seconds, requests, slowly }, stage.stopping)
    return Object.entries(answered).map(([status, count]) => `${count} times ${status === '0' ? 'cut off' : status}`).join(', ') || 'nothing answered'
  }
}

async function look(stage: Stage, report: Report, measure: string, work: () => Promise<Figures>): Promise<Figures & { peak: number | null }> {
  stage.stopping.throwIfAborted()
  const [[figures, consumption], peak] = await peakMemory(stage.pids.api, () => consumed(stage.pids, work))
  report.line({ measure, clients: null, figures, consumption })
  if (peak !== null) console.log(`  peak of the API: ${peak.toFixed(0)} MB`)
  return { ...figures, peak }
}
