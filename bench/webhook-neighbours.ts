// Measures how long the webhooks of one organisation take while the receivers of others refuse, answer slowly, or never answer.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { consumed } from './consumption.ts'
import { figuresOf, type Figures } from './figures.ts'
import { approvedInvoice, type Party, post } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const VICTIM_EVERY_MS = 200
const HOSTILE_EVERY_MS = 100
// As many endpoints as one organisation may have.
const ENDPOINTS_EACH = 20
const SLOW_MS = 9_500
// How long before the measurement the neighbours start, so that many of their deliveries wait.
const AHEAD_MS = 10_000
const PATIENCE_MS = 60_000
const MAX_RATIO = 1.5
const MAX_MORE_MS = 100

interface Receiver {
  url: string
  close(): Promise<void>
}

/** Measures the victim alone, then with each kind of neighbour, and again after that neighbour has stopped. */
export async function measureWebhookNeighbours(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  report.section('Webhooks of a victim, from the event to its receipt, beside neighbours: 40 endpoints, 10 events a second each')
  const [victim, ...others] = parties as [Party, ...Party[]]
  const seconds = scale.neighbourSeconds
  const arrivals = new Map<string, number>()
  const receiver = await openReceiver((body, answer) => {
    const { occurred_at: at, data } = JSON.parse(body) as { occurred_at: string; data: { id: string } }
    arrivals.set(data.id, Date.now() - Date.parse(at))
    answer()
  })
  await subscribe(stage, victim, receiver.url)
  const look = async (measure: string) => {
    stage.stopping.throwIfAborted()
    const [figures, consumption] = await consumed(stage.pids, () => measureVictim(stage, victim, arrivals, seconds))
    report.line({ measure, clients: null, figures, consumption })
    return figures
  }
  try {
    await measureVictim(stage, victim, arrivals, scale.warmSeconds)
    const alone = await look('webhooks, alone')
    const aim = (name: string, { p99Ms }: Figures) => report.aim({
      name: `webhooks ${name}: p99 / (1.5 x alone + 100 ms)`, value: p99Ms / (MAX_RATIO * alone.p99Ms + MAX_MORE_MS), atMost: 1,
    })
    const kinds = [['that refuse', await closedPort()], ['that answer after 9.5 s', await slowReceiver()], ['that never answer', await silentReceiver()]] as const
    for (const [place, [kind, hostile]] of kinds.entries()) {
      const neighbours = others.slice(place * 2, place * 2 + 2)
      for (const one of neighbours) for (let n = 0; n < ENDPOINTS_EACH; n += 1) await subscribe(stage, one, `${hostile.url}/${n}`)
      const over = new AbortController()
      const going = Promise.all(neighbours.map((one) => keepBooking(stage, one, over.signal)))
      await delay(AHEAD_MS)
      aim(`beside receivers ${kind}`, await look(`  beside receivers ${kind}`))
      over.abort()
      const booked = (await going).reduce((sum, count) => sum + count)
      aim(`after receivers ${kind}`, await look('    and after its events have stopped'))
      console.log(`  ${booked} events to ${ENDPOINTS_EACH} endpoints each`)
      await hostile.close()
    }
  } finally {
    await receiver.close()
  }
}

/** Books an invoice at intervals, and times its webhook from the event to the receipt. */
async function measureVictim(stage: Stage, victim: Party, arrivals: Map<string, number>, seconds: number): Promise<Figures> {
  const ids: string[] = []
  const begun = performance.now()
  while (performance.now() - begun < seconds * 1_000) {
    const next = delay(VICTIM_EVERY_MS)
    ids.push(await book(stage, victim))
    await next
  }
  const spent = (performance.now() - begun) / 1_000
  const last = Date.now() + PATIENCE_MS
  while (ids.some((id) => !arrivals.has(id)) && Date.now() < last) await delay(50)
  return figuresOf(ids.map((id) => arrivals.get(id) ?? PATIENCE_MS), spent)
}

async function keepBooking(stage: Stage, party: Party, over: AbortSignal): Promise<number> {
  const booked: Promise<unknown>[] = []
  while (!over.aborted && !stage.stopping.aborted) {
    booked.push(book(stage, party).catch(() => undefined))
    await delay(HOSTILE_EVERY_MS)
  }
  return (await Promise.all(booked)).length
}

async function book({ baseUrl }: Stage, party: Party): Promise<string> {
  const { invoice } = await post<{ invoice: { invoice_id: string } }>(
    `${baseUrl}/invoices`, { Authorization: `Bearer ${party.token}` }, approvedInvoice(party).body)
  return invoice.invoice_id
}

async function subscribe({ baseUrl }: Stage, { token }: Party, url: string): Promise<void> {
  await post(`${baseUrl}/webhooks/endpoints`, { Authorization: `Bearer ${token}` }, { url, events: ['INVOICE_CREATED'] })
}

/** Opens a receiver that calls `received` with each body and a function that answers it. */
async function openReceiver(received: (body: string, answer: () => void) => void): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => received(Buffer.concat(chunks).toString(), () => response.end()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function closedPort(): Promise<Receiver> {
  const receiver = await openReceiver(() => undefined)
  await receiver.close()
  return { url: receiver.url, close: async () => undefined }
}

const slowReceiver = () => openReceiver((_body, answer) => void setTimeout(answer, SLOW_MS))
const silentReceiver = () => openReceiver(() => undefined)
