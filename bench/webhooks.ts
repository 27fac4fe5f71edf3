// Measures how fast webhooks arrive at a receiver, compared with the rate at which Temporal completes the smallest workflows.
import type { LoadJob, LoadResult } from './children/load.ts'
import type { WorkflowsJob } from './children/one-activity.ts'
import { type Child, runChild, startChild } from './children/parent.ts'
import type { Received, ReceiverJob } from './children/receiver.ts'
import { consumed } from './consumption.ts'
import type { Figures } from './figures.ts'
import { approvedInvoice, type Party, post } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const CLIENTS = 8
const PATIENCE_MS = 120_000
// As many endpoints as an organisation may have.
const MAX_ENDPOINTS = 20
const WORKFLOWS_AT_ONCE = 32

export async function measureWebhooks(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  report.section('Webhooks, from the first event to the last verified delivery')
  const receiver = startChild('receiver.ts', stage.stopping)
  try {
    const [one, ...others] = parties
    const rates = [
      await deliver(stage, receiver, [one!], MAX_ENDPOINTS, scale, report),
      await deliver(stage, receiver, others.slice(0, 10), 1, scale, report),
    ]
    const floor = await measureWorkflows(stage, scale, report)
    for (const { measure, rate } of rates) {
      report.aim({ name: `${measure} / one-activity workflows`, value: rate / floor.rate, atLeast: 10 })
    }
  } finally {
    await receiver.stop()
  }
}

async function deliver(
  stage: Stage, receiver: Child, parties: Party[], endpoints: number, scale: Scale, report: Report,
): Promise<{ measure: string; rate: number }> {
  const { port } = await receiver.ask<ReceiverJob, Received>({ listen: true })
  const secrets: Record<string, string> = {}
  for (const party of parties) {
    for (let place = 0; place < endpoints; place += 1) {
      const path = `/${party.orgId}/${place}`
      secrets[path] = await subscribe(stage, party, `http://127.0.0.1:${port}${path}`)
    }
  }
  const before = await receiver.ask<ReceiverJob, Received>({ secrets })
  const events = scale.webhooks / endpoints
  const calls = parties.map((party) => approvedInvoice(party))
  const job: LoadJob = { port: stage.port, calls, pace: { clients: CLIENTS, count: events } }
  const begun = Date.now()
  const [{ received, invoices }, consumption] = await consumed(stage.pids, async () => {
    const [received, invoices] = await Promise.all([
      receiver.ask<ReceiverJob, Received>({ await: scale.webhooks, patienceMs: PATIENCE_MS }),
      runChild<LoadJob, LoadResult>('load.ts', job, stage.stopping),
    ])
    return { received, invoices }
  })
  const measure = `${scale.webhooks} webhooks, ${parties.length * endpoints} endpoints of ${parties.length}`
  const rate = received.deliveries / ((received.lastAt - begun) / 1000)
  report.line({ measure, clients: CLIENTS, figures: { count: received.deliveries, rate, p50Ms: NaN, p99Ms: NaN }, consumption })
  report.line({ measure: `  their ${events} invoices meanwhile`, clients: CLIENTS, figures: invoices, consumption: null })
  const missing = scale.webhooks - received.deliveries
  report.must(missing === 0, `${missing} of ${scale.webhooks} webhooks did not arrive`)
  report.must(received.refused === before.refused, `${received.refused - before.refused} webhooks came with a wrong signature`)
  return { measure, rate }
}

async function subscribe({ baseUrl }: Stage, { token }: Party, url: string): Promise<string> {
  const { endpoint } = await post<{ endpoint: { secret: string } }>(
    `${baseUrl}/webhooks/endpoints`, { Authorization: `Bearer ${token}` }, { url, events: ['INVOICE_CREATED'] })
  return endpoint.secret
}

/** Measures how many of the smallest workflows the Temporal server completes in a second. */
export async function measureWorkflows(stage: Stage, { workflows }: Scale, report: Report): Promise<Figures> {
  const job: WorkflowsJob = { address: stage.temporalAddress, count: workflows, clients: WORKFLOWS_AT_ONCE }
  const [figures, consumption] = await consumed(stage.pids, () =>
    runChild<WorkflowsJob, Figures>('one-activity.ts', job, stage.stopping))
  report.line({ measure: `  floor: ${workflows} workflows of one empty activity`, clients: WORKFLOWS_AT_ONCE, figures, consumption })
  return figures
}
