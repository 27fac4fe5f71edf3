// Measures how fast invoices are read, one by one and in pages, in an organisation with very many of them.
import { createCursors } from '../api/http/cursors.ts'
import type { Call, LoadJob, LoadResult } from './children/load.ts'
import { runChild, startChild } from './children/parent.ts'
import { writeHistory } from './history.ts'
import { byService } from './measuring.ts'
import type { Party } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { step } from '../bin/services/steps.ts'

interface Page {
  invoices: { invoice_id: string; customer_id: string; date: string; created_time: string }[]
  page_context: { has_more_page: boolean }
}

const PATH = '/api/public/v1/invoices'
const PER_PAGE = 50
const CUSTOMERS = 200
const PAGE_CLIENTS = 8
const DAY_MS = 24 * 60 * 60 * 1000

export async function measureReading(stage: Stage, party: Party, scale: Scale, report: Report): Promise<void> {
  await step('History', async () => {
    await writeHistory(stage, party, { invoices: scale.invoices, customers: CUSTOMERS })
    return [`${scale.invoices} invoices of one organisation`, null]
  }, 'written')
  await measureSingleReads(stage, party, scale, report)
  await measurePages(stage, party, scale, report)
}

async function measureSingleReads(stage: Stage, party: Party, scale: Scale, report: Report): Promise<void> {
  const ids = (await readPage(stage, party, 'per_page=200&sort=created_time')).invoices.map(({ invoice_id }) => invoice_id)
  report.section('Single invoices of three lines, read')
  for (const clients of scale.clients) {
    const pace = { clients, seconds: scale.seconds, warmSeconds: scale.warmSeconds }
    const calls = ids.map((id) => get(party, `${PATH}/${id}`))
    const constant = startChild('constant.ts', stage.stopping)
    const bytes = await bytesOf(stage, calls[0]!)
    const port = await constant.ask<{ bytes: number }, number>({ bytes })
    const [service, floor] = await inRounds([
      byService(stage, 'GET /invoices/{id}', calls, pace),
      byService({ ...stage, port, pids: { ...stage.pids, api: constant.pid } }, `  floor: Restify alone, ${bytes} bytes`, [get(party, '/constant/1')], pace),
    ], { rounds: scale.rounds, clients, report, stopping: stage.stopping }).finally(() => constant.stop())
    report.aim({ name: `single reads, ${clients} clients: service / Restify alone`, value: service!.rate / floor!.rate, atLeast: 0.25 })
  }
}

async function measurePages(stage: Stage, party: Party, scale: Scale, report: Report): Promise<void> {
  report.section(`Pages of ${PER_PAGE} invoices, of ${scale.invoices}`)
  for (const [name, filter] of Object.entries(await filtersOf(stage, party))) {
    const first = `${PATH}?per_page=${PER_PAGE}${filter}`
    const deepest = await deepestPage(stage, party, filter)
    const pace = { clients: PAGE_CLIENTS, seconds: scale.pageSeconds, warmSeconds: scale.warmSeconds / 3 }
    const ways = Object.entries({ first, ...(deepest === null ? {} : { deepest }) })
      .map(([place, path]) => byService(stage, `${name}: ${place} page`, [get(party, path)], pace))
    const [atFirst, atDeepest] = await inRounds(ways, { rounds: scale.rounds, clients: PAGE_CLIENTS, report, stopping: stage.stopping })
    if (!atDeepest) continue
    report.aim({ name: `${name}: deepest page / first page, median`, value: atDeepest.p50Ms / atFirst!.p50Ms, atMost: 1.2 })
  }
}

async function filtersOf(stage: Stage, party: Party): Promise<Record<string, string>> {
  const { invoices } = await readPage(stage, party, 'per_page=200&sort=created_time')
  const old = invoices[100]!
  const before = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  const dates = (from: number, to: number) => `&date_from=${before(from).slice(0, 10)}&date_to=${before(to).slice(0, 10)}`
  return {
    'no filter': '',
    'status=PAID': '&status=PAID',
    'status=DRAFT': '&status=DRAFT',
    customer_id: `&customer_id=${old.customer_id}`,
    'a day, long past': dates(600, 600),
    'a quarter, long past': dates(640, 550),
    'the last year': dates(365, 0),
    reference_number: '&reference_number=PO-100',
    invoice_number: '&invoice_number=H-2000',
    'overdue=true': '&overdue=true',
    'overdue=false': '&overdue=false',
    'modified_since yesterday': `&modified_since=${before(1)}`,
    'modified_since a year': `&modified_since=${before(365)}`,
    'status and customer_id': `&status=SENT&customer_id=${old.customer_id}`,
  }
}

/** The page that ends with the oldest invoice, or null where the first page has all of them. */
async function deepestPage(stage: Stage, party: Party, filter: string): Promise<string | null> {
  // After the 51st oldest invoice come, newest first, the 50 before it. Paging through the whole list would end with this cursor.
  const { invoices, page_context } = await readPage(stage, party, `per_page=${PER_PAGE + 1}&sort=created_time${filter}`)
  if (!page_context.has_more_page) return null
  const { invoice_id: id, created_time: time } = invoices.at(-1)!
  const filters = Object.fromEntries([...new URLSearchParams(filter)].map(([name, value]) => [name, name === 'overdue' ? value === 'true' : value]))
  const cursor = createCursors(stage.encryptionKey).sign({ list: '/invoices', owner: party.orgId, ascending: false, filters }, { time, id })
  return `${PATH}?per_page=${PER_PAGE}${filter}&cursor=${cursor}`
}

async function readPage({ baseUrl }: Stage, { token }: Party, query: string): Promise<Page> {
  const answer = await fetch(`${baseUrl}/invoices?${query}`, { headers: { Authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`GET /invoices?${query} answered ${answer.status}: ${await answer.text()}`)
  return await answer.json() as Page
}

const get = ({ token }: Party, path: string): Call => ({ method: 'GET', path, token, body: null })

async function bytesOf(stage: Stage, call: Call): Promise<number> {
  const job: LoadJob = { port: stage.port, calls: [call], pace: { clients: 1, count: 1 } }
  return (await runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping)).bytes
}
