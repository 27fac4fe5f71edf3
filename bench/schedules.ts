// Measures many recurring schedules that are due in the same minute: their rate, and the calls of the API meanwhile.
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { openEngine } from '../gateways/temporal/engine.ts'
import { openDatabase } from '../models/database.ts'
import { reconcileSchedules } from '../worker/schedule-signals.ts'
import type { LoadJob, LoadResult } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { consumed, cpuMs, memoryMb } from './consumption.ts'
import { approvedInvoice, itemLines, post, today, type Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { measureWorkflows } from './webhooks.ts'

const CLIENTS = 2
const QUIET_SECONDS = 8
/** Schedules of one minute are spread over it. */
const SPREAD_SECONDS = 60
/** Workflows that are started a second beforehand, on a slow machine; the reconcile starts thirty at most. */
const STARTED_A_SECOND = 20
const LOOK_MS = 250
const PATIENCE_MS = 600_000

/** The schedules bill an approved invoice of three item lines each, and are of all these organisations alike. */
export async function measureSchedules(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const count = scale.schedules
  report.section(`Recurring schedules: ${count} of ${parties.length} organisations, all due in the same minute`)
  const [caller, ...others] = parties as [Party, ...Party[]]
  const quiet = await callsOf(stage, caller, QUIET_SECONDS)
  report.line({ measure: 'POST /invoices before', clients: CLIENTS, figures: quiet, consumption: null })
  const due = new Date(Math.ceil(Date.now() / 1000 + 5 + count / STARTED_A_SECOND) * 1000)
  await addSchedules(stage, others, count, due)
  await startWorkflows(stage, report)
  const isLate = Date.now() > due.getTime()
  if (isLate) console.log('  the machine was too slow: schedules fell due before all of them had a workflow')
  await delay(Math.max(0, due.getTime() - Date.now()))
  const temporalBefore = cpuMs(stage.temporalPid)
  const [{ seconds, calls }, consumption] = await consumed(stage.pids, () => untilAllHaveRun(stage, caller, count, due))
  const rate = count / seconds
  report.line({ measure: `${count} schedules, to the last`, clients: null, figures: { count, rate, p50Ms: NaN, p99Ms: NaN }, consumption })
  report.line({ measure: '  POST /invoices meanwhile', clients: CLIENTS, figures: calls, consumption: null })
  const temporalMs = (cpuMs(stage.temporalPid) - temporalBefore) / count
  console.log(`  the last after ${seconds.toFixed(1)} s; Temporal ${temporalMs.toFixed(2)} CPU ms a schedule, ${memoryMb(stage.temporalPid).toFixed(0)} MB`)
  const floor = await measureWorkflows(stage, scale, report)
  report.aim({ name: 'schedules a second / one-activity workflows', value: rate / floor.rate })
  report.aim({ name: 'schedules a second / these, or what the minute has of them', value: rate / Math.min(floor.rate, count / SPREAD_SECONDS), atLeast: 0.9 })
  report.aim({ name: 'p99 of POST /invoices while schedules run / before', value: calls.p99Ms / quiet.p99Ms, atMost: 2 })
  await checkEachOnce(stage, count, report)
}

const callsOf = ({ port, stopping }: Stage, party: Party, seconds: number) =>
  runChild<LoadJob, LoadResult>('load.ts', { port, calls: [approvedInvoice(party)], pace: { clients: CLIENTS, seconds, warmSeconds: 1 } }, stopping)

/** One schedule of each organisation by the API, the others as copies of its row. */
async function addSchedules({ baseUrl, databaseUrl }: Stage, parties: Party[], count: number, due: Date): Promise<void> {
  const last = new Date(Date.now() + 400 * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10)
  for (const { token, customerId, itemIds } of parties) {
    await post(`${baseUrl}/recurring`, { Authorization: `Bearer ${token}` }, {
      entity_type: 'INVOICE', name: 'Paper, monthly', frequency: 'MONTHLY', start_date: last, is_active: false,
      template_payload: { customer_id: customerId, place_of_supply: 'IN-KA', auto_approve: true, line_items: itemLines(itemIds) },
    })
  }
  await connected(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO recurring_schedules SELECT r.* FROM (SELECT s, row_number() OVER (ORDER BY s.id) AS place FROM recurring_schedules AS s) AS one
       CROSS JOIN generate_series(1, $1::integer) AS copy
       CROSS JOIN LATERAL jsonb_populate_record(one.s, jsonb_build_object('id', gen_random_uuid(), 'status', 'ACTIVE', 'name', 'Copy ' || copy,
         'next_run_at', $2::text, 'anchor_date', $3::text, 'start_date', $3::text)) AS r
       WHERE copy % $4 = place - 1`, [count, due.toISOString(), today(), parties.length])
    await client.query('ANALYZE recurring_schedules')
  })
}

/** Starts their workflows, each of which reads its row and waits. */
async function startWorkflows(stage: Stage, report: Report): Promise<void> {
  const { temporalAddress: address, encryptionKey, databaseUrl } = stage
  const engine = openEngine({ address, namespace: 'default', queueSuffix: '', encryptionKey })
  const connection = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi bench' })
  try {
    const begun = performance.now()
    const [count, consumption] = await consumed(stage.pids, () =>
      reconcileSchedules({ connection, engine, log: pino({ level: 'error' }), clock: () => new Date() }, true))
    const rate = (count * 1000) / (performance.now() - begun)
    report.line({ measure: 'their workflows, started', clients: 8, figures: { count, rate, p50Ms: NaN, p99Ms: NaN }, consumption })
  } finally {
    await engine.close()
    await connection.close()
  }
}

/** Calls the API until each has generated its document; returns the seconds from the due time to the last one, and the calls. */
async function untilAllHaveRun(stage: Stage, party: Party, count: number, due: Date): Promise<{ seconds: number; calls: LoadResult }> {
  const running: Promise<LoadResult>[] = []
  const lasts = [0]
  await connected(stage.databaseUrl, async (client) => {
    // As long as the schedules are spread: the rest runs without calls, and is not waited for by them.
    running.push(callsOf(stage, party, SPREAD_SECONDS - 2))
    for (const until = Date.now() + PATIENCE_MS; ;) {
      stage.stopping.throwIfAborted()
      const { rows } = await client.query(`SELECT count(*)::integer AS done, max(started_at) AS last FROM recurring_runs WHERE status = 'SUCCEEDED'`)
      if (rows[0].done >= count) {
        lasts.push(rows[0].last.getTime())
        return
      }
      if (Date.now() > until) throw new Error(`${rows[0].done} of ${count} schedules have run`)
      await delay(LOOK_MS)
    }
  })
  return { seconds: (Math.max(...lasts) - due.getTime()) / 1000, calls: await running[0]! }
}

async function checkEachOnce({ databaseUrl }: Stage, count: number, report: Report): Promise<void> {
  await connected(databaseUrl, async (client) => {
    const { rows: [found] } = await client.query(
      `SELECT count(*)::integer AS runs, count(DISTINCT schedule_id)::integer AS schedules, count(DISTINCT generated_entity_id)::integer AS documents,
         count(*) FILTER (WHERE status = 'FAILED')::integer AS failed FROM recurring_runs`)
    const { runs, schedules, documents, failed } = found
    const isOnce = runs === count && schedules === count && documents === count && failed === 0
    report.must(isOnce, `${count} schedules have ${runs} runs, ${documents} documents, ${failed} failures`)
  })
}
