// Measures what approved invoices that are paid, announced and partly mailed add to PostgreSQL, its log, Temporal and the blob store.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { step } from '../bin/services/steps.ts'
import { openEngine } from '../gateways/temporal/engine.ts'
import { startChild } from './children/parent.ts'
import type { Received, ReceiverJob } from './children/receiver.ts'
import { connected } from './connected.ts'
import { itemLines, makeParties, post, today, type Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'

const ORGANIZATIONS = 10
const AT_ONCE = 8
const LINES = 4
/** Of so many invoices one is mailed. */
const MAILED = 10
/** How many are printed in all. */
const PRINTED = 10
const PATIENCE_MS = 300_000
const EVENTS = ['INVOICE_CREATED', 'INVOICE_PAID', 'PAYMENT_RECEIVED']
/** As autovacuum does, so that the space of former versions of rows is used again. */
const VACUUM_EVERY = 250
const LARGEST = 14
const LARGEST_INDEXES = 3

/** The tables that a setting empties again; the others are kept. */
const RETAINED: Record<string, string> = {
  webhook_events: 'RETAIN_EVENTS', webhook_deliveries: 'RETAIN_EVENTS', webhook_attempts: 'RETAIN_EVENTS',
  idempotent_answers: 'RETAIN_IDEMPOTENCY', emails: 'RETAIN_MAIL', email_recipients: 'RETAIN_MAIL', requests: 'RETAIN_REQUESTS',
}

/** The events of histories for which Temporal Cloud counts an action, of those that the service causes. */
const ACTIONS = [
  'workflowExecutionStarted', 'activityTaskScheduled', 'timerStarted', 'workflowExecutionSignaled', 'upsertWorkflowSearchAttributes',
] as const

export async function measureGrowth(stage: Stage, scale: Scale, report: Report): Promise<void> {
  const count = scale.growth
  const parties = await step('Trading organisations', async () =>
    [`${ORGANIZATIONS}, sandbox ones, so that mail goes nowhere`, await makeParties(stage, ORGANIZATIONS, { sandbox: true })], 'made')
  const receiver = startChild('receiver.ts', stage.stopping)
  try {
    await subscribeAll(stage, receiver, parties)
    // What every organisation has once, such as the first page of each index, is there before.
    await trade(stage, parties, ORGANIZATIONS * 10, report)
    await connected(stage.databaseUrl, async (client) => {
      const before = await measured(stage, client)
      await step('Invoices', async () => [`${count} of ${LINES} lines, paid`, await trade(stage, parties, count, report)], 'made')
      const after = await measured(stage, client)
      const temporal = await temporalOf(stage, count)
      print({ count, before, after, pdfBytes: await pdfsOf(stage, parties[0]!), ...temporal })
    })
  } finally {
    await receiver.stop()
  }
}

async function subscribeAll({ baseUrl }: Stage, receiver: ReturnType<typeof startChild>, parties: Party[]): Promise<void> {
  const { port } = await receiver.ask<ReceiverJob, Received>({ listen: true })
  const secrets: Record<string, string> = {}
  for (const { token, orgId } of parties) {
    const url = `http://127.0.0.1:${port}/${orgId}`
    const { endpoint } = await post<{ endpoint: { secret: string } }>(
      `${baseUrl}/webhooks/endpoints`, { Authorization: `Bearer ${token}` }, { url, events: EVENTS })
    secrets[`/${orgId}`] = endpoint.secret
  }
  await receiver.ask<ReceiverJob, Received>({ secrets })
}

/** Makes so many invoices with all that follows, until every delivery and mail is final. */
async function trade(stage: Stage, parties: Party[], count: number, report: Report): Promise<void> {
  for (let made = 0; made < count; made += VACUUM_EVERY) {
    stage.stopping.throwIfAborted()
    const places = Array.from({ length: Math.min(VACUUM_EVERY, count - made) }, (_, place) => made + place)
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let place = places.shift(); place !== undefined; place = places.shift())
        await tradeOne(stage, parties[place % parties.length]!, place)
    }))
    await untilFinal(stage, report)
  }
}

async function tradeOne({ baseUrl }: Stage, { token, customerId, itemIds }: Party, place: number): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  const { invoice } = await post<{ invoice: { invoice_id: string; total: number } }>(`${baseUrl}/invoices`, headers, {
    customer_id: customerId, date: today(), place_of_supply: 'IN-KA', auto_approve: true, line_items: itemLines(itemIds, LINES),
  })
  if (place % MAILED === 0) await mail(`${baseUrl}/invoices/${invoice.invoice_id}/email`, headers)
  await post(`${baseUrl}/payments`, headers, {
    flow: 'INCOMING', contact_id: customerId, date: today(), amount: invoice.total, reference_number: `UTR${place}`,
    allocations: [{ invoice_id: invoice.invoice_id, amount: invoice.total }],
  })
}

/** A mail that takes longer than its call waits is sent all the same. */
const mail = (url: string, headers: Record<string, string>) => post(url, headers, { to: ['accounts@example.com'], attach_pdf: false })
  .catch((error: Error) => {
    if (!error.message.includes('answered 503')) throw error
  })

/** The bytes of the PDFs of some invoices. */
async function pdfsOf({ baseUrl }: Stage, { token }: Party): Promise<number[]> {
  const headers = { Authorization: `Bearer ${token}` }
  const { invoices } = await (await fetch(`${baseUrl}/invoices?per_page=${PRINTED}`, { headers })).json() as { invoices: { invoice_id: string }[] }
  const bytes: number[] = []
  for (const { invoice_id: id } of invoices) {
    const pdf = await fetch(`${baseUrl}/invoices/${id}/pdf`, { headers })
    if (pdf.ok) bytes.push((await pdf.arrayBuffer()).byteLength)
  }
  return bytes
}

async function untilFinal({ databaseUrl }: Stage, report: Report): Promise<void> {
  await connected(databaseUrl, async (client) => {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await delay(100)) {
      const { rows: [left] } = await client.query<{ left: number }>(`SELECT (SELECT count(*) FROM webhook_deliveries WHERE held_by IS NOT NULL)::integer
        + (SELECT count(*) FROM emails WHERE state IN ('READY', 'SENDING'))::integer AS left`)
      if (left!.left === 0) return void await client.query('VACUUM')
    }
    report.must(false, 'deliveries or mails did not end')
  })
}

interface Size {
  name: string
  /** The table of an index, or the table itself. */
  of: string
  bytes: number
}

interface Measured {
  sizes: Size[]
  rows: Map<string, number>
  lsn: string
  temporalBytes: number
}

async function measured(stage: Stage, client: Client): Promise<Measured> {
  // A page that changes first after a checkpoint is logged whole; both ends have one behind them.
  await client.query('CHECKPOINT')
  const { rows: sizes } = await client.query<Size>(SIZES)
  const rows = new Map<string, number>()
  for (const { name } of sizes.filter(({ name, of }) => name === of)) {
    const { rows: [counted] } = await client.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${name}`)
    rows.set(name, counted!.count)
  }
  const { rows: [at] } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn()::text AS lsn')
  const files = ['temporal.db', 'temporal.db-wal'].map((name) => statSync(join(stage.folder, 'temporal', name), { throwIfNoEntry: false })?.size ?? 0)
  return { sizes, rows, lsn: at!.lsn, temporalBytes: files.reduce((sum, size) => sum + size, 0) }
}

// With what belongs to a table: texts that are stored apart, the map of free space.
const SIZES = `SELECT c.relname AS name, c.relname AS of, pg_table_size(c.oid)::float8 AS bytes FROM pg_class AS c
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
  UNION ALL SELECT x.relname, c.relname, pg_table_size(x.oid)::float8
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid JOIN pg_class AS x ON x.oid = i.indexrelid
    WHERE c.relnamespace = 'public'::regnamespace`

/** How many workflows of this run there are of each type, and how many actions of each, for 1,000 invoices. */
async function temporalOf({ temporalAddress: address, encryptionKey }: Stage, count: number): Promise<{ workflows: Map<string, number>; actions: Map<string, number> }> {
  const engine = openEngine({ address, namespace: 'default', queueSuffix: '', encryptionKey })
  const workflows = new Map<string, number>()
  const actions = new Map<string, number>()
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  try {
    const types = `WorkflowType IN ('webhookDispatch', 'webhookDelivery', 'sendDocumentEmail')`
    for await (const { type, workflowId, runId } of engine.client.workflow.list({ query: types })) {
      add(workflows, type)
      const { events = [] } = await engine.client.workflow.getHandle(workflowId, runId).fetchHistory()
      for (const event of events ?? [])
        for (const name of ACTIONS) if (event[`${name}EventAttributes`]) add(actions, `${name} of ${type}`)
    }
  } finally {
    await engine.close()
  }
  // The invoices before the measured ones have theirs too.
  const all = count + ORGANIZATIONS * 10
  const ofThousand = (counts: Map<string, number>) => new Map([...counts].map(([name, many]) => [name, many * 1_000 / all]))
  return { workflows: ofThousand(workflows), actions: ofThousand(actions) }
}

interface Grown {
  count: number
  before: Measured
  after: Measured
  pdfBytes: number[]
  workflows: Map<string, number>
  actions: Map<string, number>
}

const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, many) => sum + many, 0)

/** Prints the table of docs/running.md. */
function print({ count, before, after, pdfBytes, workflows, actions }: Grown): void {
  const each = (bytes: number) => Math.round(bytes / count * 1_000 / 1_024)
  const earlier = new Map(before.sizes.map(({ name, bytes }) => [name, bytes]))
  const grown = after.sizes.map((size) => ({ ...size, bytes: size.bytes - (earlier.get(size.name) ?? 0) }))
  const sum = (sizes: Size[]) => sizes.reduce((all, { bytes }) => all + bytes, 0)
  const tables = [...Map.groupBy(grown, ({ of }) => of)].map(([table, sizes]) => {
    const indexes = sizes.filter(({ name }) => name !== table).sort((one, other) => other.bytes - one.bytes)
    return { table, own: sum(sizes) - sum(indexes), indexes, all: sum(sizes) }
  }).filter(({ all }) => all > 0).sort((one, other) => other.all - one.all)
  const rowsOf = (table: string) => Math.round(((after.rows.get(table) ?? 0) - (before.rows.get(table) ?? 0)) / count * 1_000)
  const line = (cells: (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)
  console.log(`\nFor 1,000 approved invoices of ${LINES} lines, each paid, ${EVENTS.length} webhooks, one in ${MAILED} mailed; of ${count}, ${today()}\n`)
  line(['Table', 'Rows', 'Table, KB', 'Indexes, KB', 'The largest of them, KB', 'Kept'])
  line(['---', '---:', '---:', '---:', '---', '---'])
  for (const { table, own, indexes } of tables.slice(0, LARGEST))
    line([
      `\`${table}\``, rowsOf(table), each(own), each(sum(indexes)),
      indexes.slice(0, LARGEST_INDEXES).filter(({ bytes }) => each(bytes) > 0).map(({ name, bytes }) => `\`${name}\` ${each(bytes)}`).join(', '),
      RETAINED[table] ? `\`${RETAINED[table]}\`` : 'for ever',
    ])
  const rest = tables.slice(LARGEST)
  if (rest.length > 0) line([`${rest.length} others`, '', each(rest.reduce((all, { own }) => all + own, 0)), each(sum(rest.flatMap(({ indexes }) => indexes))), '', ''])
  const kept = tables.filter(({ table }) => !RETAINED[table])
  line(['**all**', '', each(tables.reduce((all, { own }) => all + own, 0)), each(sum(tables.flatMap(({ indexes }) => indexes))), '', ''])
  line(['**of it for ever**', '', each(kept.reduce((all, { own }) => all + own, 0)), each(sum(kept.flatMap(({ indexes }) => indexes))), '', ''])
  const lsn = (text: string) => text.split('/').reduce((value, half) => value * 2 ** 32 + Number.parseInt(half, 16), 0)
  console.log(`\nThe log of PostgreSQL (WAL): ${each(lsn(after.lsn) - lsn(before.lsn))} KB. Temporal's database: ${each(after.temporalBytes - before.temporalBytes)} KB, `
    + `${[...workflows].map(([type, many]) => `${Math.round(many)} ${type}`).join(', ')}, ${Math.round(total(actions))} actions:`)
  for (const [name, many] of actions) console.log(`  ${Math.round(many)} ${name}`)
  const pdfKb = pdfBytes.reduce((all, bytes) => all + bytes, 0) / pdfBytes.length / 1_024
  if (pdfBytes.length > 0) console.log(`A PDF: ${Math.round(pdfKb)} KB in the blob store, of ${pdfBytes.length}.`)
}
