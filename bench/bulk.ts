// Measures bulk creation, compared with the same invoices sent one by one over eight connections.
import { setTimeout as delay } from 'node:timers/promises'
import { MAX_ROWS } from '../domain/bulk.ts'
import type { Call, LoadJob, LoadResult } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { consumed } from './consumption.ts'
import { figuresOf } from './figures.ts'
import { approvedInvoice, post, type Party } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds, type Way } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const CLIENTS = 8
const ROWS_OF_CALL = 50
const CUSTOMERS = 50
const OTHER_CLIENTS = 2
const LOOK_MS = 50
const AIM = 1

interface Accepted {
  bulk_id: string
}

/** Each row is an approved invoice of three item lines; all are of one organisation, for its customers in turn. */
export async function measureBulk(stage: Stage, [party, other]: Party[], scale: Scale, report: Report): Promise<void> {
  const rows = scale.bulkRows
  report.section(`Bulk creation: ${rows} approved invoices of one organisation, in each round`)
  const invoices = await invoicesOf(stage, party!)
  const [asynchronous, waiting, single] = await inRounds([
    inBackground(stage, party!, invoices, rows),
    byCalls(stage, invoices, rows),
    oneByOne(stage, invoices, rows),
  ], { rounds: scale.rounds, clients: CLIENTS, report, stopping: stage.stopping })
  report.aim({ name: `one bulk of ${rows} rows / single calls over ${CLIENTS} connections`, value: asynchronous!.rate / single!.rate, atLeast: AIM })
  report.aim({ name: `bulks of ${ROWS_OF_CALL} rows, one after the other / the same`, value: waiting!.rate / single!.rate })
  await measureBeside(stage, party!, other!, { scale, report })
}

/** Single invoices of another organisation, alone and beside a bulk of as many rows as a call may have. */
async function measureBeside(stage: Stage, party: Party, other: Party, { scale, report }: { scale: Scale; report: Report }): Promise<void> {
  const measured = async (measure: string) => {
    const pace = { clients: OTHER_CLIENTS, seconds: scale.neighbourSeconds, warmSeconds: scale.warmSeconds }
    const job: LoadJob = { port: stage.port, calls: [approvedInvoice(other)], pace }
    const [figures, consumption] = await consumed(stage.pids, () => runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping))
    report.line({ measure, clients: OTHER_CLIENTS, figures, consumption })
    return figures
  }
  const invoices = await invoicesOf(stage, party)
  const alone = await measured('POST /invoices of another organisation, alone')
  const { bulk_id: id } = await post<Accepted>(`${stage.baseUrl}/bulk/invoices?async=true`, headersOf(party), rowsOf(invoices, MAX_ROWS.async))
  const beside = await measured(`  beside a bulk of ${MAX_ROWS.async} rows`)
  const { bulk } = await bulkOf(stage, party, id)
  console.log(`  ${bulk.succeeded} rows of the bulk were created by then`)
  if (bulk.status !== 'RUNNING') throw new Error('the bulk was done before the measurement: nothing was beside it')
  report.aim({ name: `p99 of POST /invoices beside a bulk of ${MAX_ROWS.async} rows of another organisation / alone`, value: beside.p99Ms / alone.p99Ms, atMost: 2 })
}

async function bulkOf({ baseUrl }: Stage, party: Party, id: string): Promise<{ bulk: { status: string; succeeded: number; failed: number } }> {
  const answer = await fetch(`${baseUrl}/bulk/${id}?per_page=1`, { headers: headersOf(party) })
  return await answer.json() as Awaited<ReturnType<typeof bulkOf>>
}

/** An approved invoice for each of CUSTOMERS customers: rows of one customer would share what they read. */
async function invoicesOf({ baseUrl }: Stage, party: Party): Promise<Call[]> {
  const calls: Call[] = []
  while (calls.length < CUSTOMERS) {
    const contact = { contact_name: `School ${calls.length}`, contact_type: 'CUSTOMER', place_of_contact: 'IN-KA' }
    const made = await post<{ contact: { contact_id: string } }>(`${baseUrl}/contacts`, headersOf(party), contact)
    calls.push(approvedInvoice({ ...party, customerId: made.contact.contact_id }))
  }
  return calls
}

const rowsOf = (invoices: Call[], count: number) => ({ invoices: Array.from({ length: count }, (_, row) => invoices[row % CUSTOMERS]!.body) })
const headersOf = ({ token }: Party) => ({ Authorization: `Bearer ${token}` })

/** One call with async=true, from the call until the bulk is completed. */
function inBackground(stage: Stage, party: Party, invoices: Call[], rows: number): Way {
  const { baseUrl, pids } = stage
  const body = rowsOf(invoices, rows)
  return {
    measure: 'one bulk with async=true',
    pids,
    async round() {
      const begun = performance.now()
      const { bulk_id: id } = await post<Accepted>(`${baseUrl}/bulk/invoices?async=true`, headersOf(party), body)
      for (;;) {
        const { bulk } = await bulkOf(stage, party, id)
        if (bulk.failed > 0) throw new Error(`${bulk.failed} rows have failed`)
        if (bulk.status === 'COMPLETED') break
        await delay(LOOK_MS)
      }
      return { ...figuresOf([], (performance.now() - begun) / 1000), count: rows, rate: (rows * 1000) / (performance.now() - begun) }
    },
  }
}

/** Calls that wait for their results, one after the other. */
function byCalls(stage: Stage, invoices: Call[], rows: number): Way {
  const { path, ...call } = invoices[0]!
  const calls = [{ ...call, path: path.replace('/invoices', '/bulk/invoices'), body: rowsOf(invoices, ROWS_OF_CALL) }]
  return {
    measure: `bulks of ${ROWS_OF_CALL} rows, one connection`,
    pids: stage.pids,
    async round() {
      const job: LoadJob = { port: stage.port, calls, pace: { clients: 1, count: Math.ceil(rows / ROWS_OF_CALL) } }
      const { count, rate, ...times } = await runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping)
      return { ...times, count: count * ROWS_OF_CALL, rate: rate * ROWS_OF_CALL, sent: count * ROWS_OF_CALL }
    },
  }
}

function oneByOne(stage: Stage, invoices: Call[], rows: number): Way {
  return {
    measure: `  floor: POST /invoices, ${CLIENTS} connections`,
    pids: stage.pids,
    round: () => runChild<LoadJob, LoadResult>(
      'load.ts', { port: stage.port, calls: invoices, pace: { clients: CLIENTS, count: rows } }, stage.stopping),
  }
}
