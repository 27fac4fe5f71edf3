// Measures approved invoices, each announced to a receiver, over one API process and over two, to the CPU time of every part.
import type { LoadJob, LoadResult } from './children/load.ts'
import { startChild, type Child } from './children/parent.ts'
import type { Received, ReceiverJob } from './children/receiver.ts'
import { connected } from './connected.ts'
import { cpuSeconds, descendants, memoryMb } from './consumption.ts'
import { approvedInvoice, post, type Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Stage } from './stage.ts'

const CLIENTS = [8, 32]
const SECONDS = 6
const WARM_SECONDS = 2
const PATIENCE_MS = 120_000

export async function measureProcesses(stage: Stage, parties: Party[], report: Report): Promise<void> {
  const receiver = startChild('receiver.ts', stage.stopping)
  const loads = [0, 1].map(() => startChild('load.ts', stage.stopping))
  try {
    const another = await stage.startAnotherApi()
    const apis = [{ port: stage.port, pid: stage.pids.api }, another]
    const { port } = await receiver.ask<ReceiverJob, Received>({ listen: true })
    const secrets: Record<string, string> = {}
    for (const { token, orgId } of parties) {
      const { endpoint } = await post<{ endpoint: { secret: string } }>(
        `${stage.baseUrl}/webhooks/endpoints`, { Authorization: `Bearer ${token}` }, { url: `http://127.0.0.1:${port}/${orgId}`, events: ['INVOICE_CREATED'] })
      secrets[`/${orgId}`] = endpoint.secret
    }
    await connected(stage.databaseUrl, (client) => client.query('ANALYZE'))
    console.log(`\nApproved invoices of three item lines of ${parties.length} organisations, a webhook each; CPU ms for each invoice, until its webhook has arrived`)
    const cells = (all: (string | number)[]) => console.log(all.map((cell, place) => String(cell).padStart(place === 0 ? 5 : 9)).join(''))
    cells(['APIs', 'clients', 'rate/s', 'p50 ms', 'p99 ms', 'API', 'worker', 'PG', 'Temporal', 'client', 'receiver', 'conns', 'busy'])
    for (const clients of CLIENTS)
      for (const many of [1, 2]) {
        await receiver.ask<ReceiverJob, Received>({ secrets })
        const used = apis.slice(0, many)
        await run(stage, loads, used, parties, { clients, seconds: WARM_SECONDS })
        const pids = { API: used.map(({ pid }) => pid), worker: [stage.pids.worker], PG: descendants(stage.pids.postgres),
          Temporal: [stage.temporalPid], client: loads.map(({ pid }) => pid), receiver: [receiver.pid] }
        const begun = performance.now()
        const before = Object.values(pids).map(cpuSeconds)
        const { figures, sent } = await run(stage, loads, used, parties, { clients, seconds: SECONDS })
        const conns = await connected(stage.databaseUrl, async (client) => (await client.query<{ many: number }>(
          `SELECT count(*)::integer AS many FROM pg_stat_activity WHERE backend_type = 'client backend'`)).rows[0]!.many)
        const all = Object.values(pids).flat()
        const busy = (cpuSeconds(all) - before.reduce((sum, one) => sum + one, 0)) / (performance.now() - begun) * 1_000
        const missing = await untilDelivered(stage)
        const seconds = Object.values(pids).map(cpuSeconds).map((after, place) => after - before[place]!)
        report.must(missing === 0, `${missing} webhooks did not arrive`)
        cells([many, clients, figures.rate.toFixed(0), figures.p50Ms.toFixed(1), figures.p99Ms.toFixed(1),
          ...seconds.map((one) => (one * 1_000 / sent).toFixed(2)), conns, busy.toFixed(2)])
      }
    const [api, worker, temporal] = [stage.pids.api, stage.pids.worker, stage.temporalPid].map((pid) => memoryMb(pid).toFixed(0))
    console.log(`  memory, MB: API ${api}, worker ${worker}, Temporal ${temporal}`)
  } finally {
    for (const child of [receiver, ...loads]) await child.stop()
  }
}

/** All calls at once over these APIs, an equal part of the clients each. */
async function run(
  { stopping }: Stage, loads: Child[], apis: { port: number }[], parties: Party[], { clients, seconds }: { clients: number; seconds: number },
): Promise<{ figures: { rate: number; p50Ms: number; p99Ms: number }; sent: number }> {
  stopping.throwIfAborted()
  const calls = parties.map((party) => approvedInvoice(party))
  const parts = await Promise.all(apis.map(({ port }, place) =>
    loads[place]!.ask<LoadJob, LoadResult>({ port, calls, pace: { clients: clients / apis.length, seconds, warmSeconds: 0 } })))
  const mean = (of: (part: LoadResult) => number) => parts.reduce((sum, part) => sum + of(part), 0) / parts.length
  return {
    figures: { rate: mean(({ rate }) => rate) * parts.length, p50Ms: mean(({ p50Ms }) => p50Ms), p99Ms: mean(({ p99Ms }) => p99Ms) },
    sent: parts.reduce((sum, part) => sum + part.sent, 0),
  }
}

async function untilDelivered({ databaseUrl }: Stage): Promise<number> {
  return connected(databaseUrl, async (client) => {
    for (const until = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
      const { rows: [left] } = await client.query<{ left: number }>('SELECT count(*)::integer AS left FROM webhook_deliveries WHERE held_by IS NOT NULL')
      if (left!.left === 0 || Date.now() > until) return left!.left
    }
  })
}
