// A local run in trouble, in which every command of the runbooks finds what it looks for.
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import pg from 'pg'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { callAt, clientOf, type Client, type Json } from '../fixtures/client.ts'
import { irpCredentials } from '../fixtures/irp-credentials.ts'
import { openWebhookServer } from '../fixtures/webhook-server.ts'
import { demoCard, until } from '../start/local-run.ts'

/** The settings of the run: the last attempt of a delivery is an hour away. */
export const SETTINGS = {
  WEBHOOK_LADDER_SECONDS: '0.1,0.1,0.1,0.1,0.1,3600',
  E_INVOICE_RETRY_SECONDS: '3600',
  PDF_WARM_UP: 'false',
  SHUTDOWN_SECONDS: '1',
}

/** What the placeholders of the runbooks stand for. */
export type Places = Record<string, string>

export interface Scene {
  places: Places
  sql<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]>
  /** Makes rows look as if their processes had stood still. */
  standStill(): Promise<void>
  /** Forgets a session in a transaction; answers its process. */
  forget(): Promise<string>
  /** From now on the receivers take what they are sent. */
  mendReceivers(): void
  close(): Promise<void>
}

export async function openScene(folder: string): Promise<Scene> {
  const card = demoCard(join(folder, '.data'))
  const database = new pg.Pool({ connectionString: card.database_url, max: 2 })
  // The run ends, and is started again.
  database.on('error', () => undefined)
  const sql: Scene['sql'] = async (text, ...values) => (await database.query(text, values)).rows
  const receiver = await openWebhookServer('svc_whsec_of_the_runbooks')
  receiver.answer = () => 500
  const call = callAt(card.base_url)
  const demo = clientOf(call, card.organization.org_id, card.token)
  const other = await client(call, card.partner_key, 'Chandni Chowk Traders')
  const places: Places = { org_id: demo.orgId, database_url: card.database_url, temporal_address: card.temporal_address }
  // A lock that a forgotten session holds: the conversion of this estimate does not end.
  const forgotten = new pg.Client({ connectionString: card.database_url })
  await forgotten.connect()
  // The runbooks end it.
  forgotten.on('error', () => undefined)
  const encryptionKey = readFileSync(join(folder, '.data', 'encryption.key'), 'utf8').trim()
  const engine = openEngine({ address: card.temporal_address, namespace: 'default', queueSuffix: '', encryptionKey })
  await Promise.all([
    failedDeliveries(demo, receiver.url, engine, sql, places),
    conversions(demo, forgotten, engine, sql, places),
    suspended(other, call, card.partner_key, receiver.url, sql, places),
    mails(demo, sql),
    schedule(demo, places),
    eInvoice(demo, folder, sql, places),
    unreadableWorkflow(card.temporal_address, places),
  ])
  await engine.close()
  // A token and a key that have leaked.
  const [token] = await sql<{ id: string }>('SELECT id FROM tokens WHERE org_id = $1', other.orgId)
  await promisify(execFile)(process.execPath, ['bin/partner-key.ts', '--name', 'Asha Traders'], { cwd: folder })
  const [key] = await sql<{ id: string }>(`SELECT k.id FROM partner_keys AS k JOIN partners AS p ON p.id = k.partner_id WHERE p.name = 'Asha Traders'`)
  Object.assign(places, { token_id: token!.id, key_id: key!.id })
  return {
    places, sql,
    async standStill() {
      await sql(`UPDATE webhook_deliveries SET next_attempt_at = now() - interval '20 minutes' WHERE id = $1`, places.late_delivery_id)
      await sql(`UPDATE e_invoices SET last_modified_time = now() - interval '2 hours', attended_at = now() - interval '2 hours' WHERE id = $1`, places.document_id)
      await sql(`UPDATE emails SET created_time = now() - interval '1 hour' WHERE state = 'READY'`)
      await sql(`UPDATE reminder_sweeps SET next_at = now() - interval '3 hours'`)
    },
    async forget() {
      const session = new pg.Client({ connectionString: card.database_url })
      session.on('error', () => undefined)
      await session.connect()
      await session.query('BEGIN')
      const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      return String(rows[0]!.pid)
    },
    mendReceivers: () => void (receiver.answer = () => 200),
    async close() {
      await forgotten.end().catch(() => undefined)
      await database.end()
      await receiver.close()
    },
  }
}

async function client(call: ReturnType<typeof callAt>, partnerKey: string, name: string): Promise<Client> {
  const { body } = await call('POST', '/partner/organizations', { partnerKey, body: { name, state_code: 'IN-KA' }, key: randomUUID() })
  return clientOf(call, body.organization.org_id, body.token.token)
}

async function post(org: Client, path: string, body: unknown = {}): Promise<Json> {
  const answer = await org.post(path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

const CONTACT = { contact_name: 'Asha Traders', place_of_contact: 'IN-KA', email: 'accounts@asha.example' }
const TODAY = new Date().toISOString().slice(0, 10)
const LINES = [{ name: 'Slates', quantity: 2, rate: 100 }]

async function customer(org: Client, name: string): Promise<string> {
  return (await post(org, '/contacts', { ...CONTACT, contact_name: name })).contact.contact_id
}

async function invoice(org: Client, customerId: string): Promise<string> {
  return (await post(org, '/invoices', { customer_id: customerId, date: TODAY, place_of_supply: 'IN-KA', auto_approve: true, line_items: LINES })).invoice.invoice_id
}

async function endpoint(org: Client, url: string, ...events: string[]): Promise<string> {
  return (await post(org, '/webhooks/endpoints', { url, events })).endpoint.endpoint_id
}

/** Deliveries of three void invoices at two endpoints wait for their last attempt; one was given up. Those of four estimates open a circuit. */
async function failedDeliveries(org: Client, url: string, engine: Engine, sql: Scene['sql'], places: Places): Promise<void> {
  const first = await endpoint(org, `${url}/first`, 'INVOICE_VOIDED')
  const second = await endpoint(org, `${url}/second`, 'INVOICE_VOIDED')
  const broken = await endpoint(org, `${url}/broken`, 'ESTIMATE_CREATED')
  const who = await customer(org, 'Ravi Stores')
  const invoices = [await invoice(org, who), await invoice(org, who), await invoice(org, who)]
  for (const id of invoices) await post(org, `/invoices/${id}/void`, { reason: 'a mistake' })
  for (let made = 0; made < 4; made += 1) await post(org, '/estimates', { customer_id: who, line_items: LINES })
  const rows = () => sql<{ id: string; entity_id: string; endpoint_id: string; attempts_made: number; held_by: string }>(
    `SELECT d.id, e.entity_id, d.endpoint_id, d.attempts_made, d.held_by FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
     WHERE d.endpoint_id IN ($1, $2)`, first, second)
  await until(async () => (await rows()).filter((row) => row.attempts_made === 6 && row.held_by === 'PROCESS').length === 6, 90_000, () => 'the deliveries do not wait for their last attempt')
  await until(async () => (await sql(`SELECT FROM webhook_circuits WHERE id = $1 AND state = 'OPEN'`, broken)).length === 1, 90_000, () => 'no circuit opens')
  const of = async (entity: string, at: string) => (await rows()).find((row) => row.entity_id === entity && row.endpoint_id === at)!.id
  Object.assign(places, {
    invoice_id: invoices[0], endpoint_id: first, open_endpoint_id: broken,
    delivery_id: await of(invoices[0]!, first), other_delivery_id: await of(invoices[0]!, second), late_delivery_id: await of(invoices[2]!, second),
  })
  await engine.client.workflow.getHandle(`webhook/${await of(invoices[1]!, second)}`).signal('abort')
}

/** A conversion that is done, one that was refused, one that does not end, and one that was never started. */
async function conversions(org: Client, forgotten: pg.Client, engine: Engine, sql: Scene['sql'], places: Places): Promise<void> {
  const who = await customer(org, 'Lakshmi Stores')
  const estimate = async () => {
    const { estimate_id: id } = (await post(org, '/estimates', { customer_id: who, line_items: LINES })).estimate
    await post(org, `/estimates/${id}/accept`)
    return id as string
  }
  const order = async () => {
    const { sales_order_id: id } = (await post(org, '/sales_orders', { customer_id: who, line_items: LINES })).sales_order
    await post(org, `/sales_orders/${id}/open`)
    return id as string
  }
  const request = async (source: string) => {
    const id = uuidv7()
    await sql(
      `INSERT INTO conversions (org_id, id, source_type, source_id, auto_approve, origin, hops, created_time, last_modified_time)
       VALUES ($1, $2, 'SALES_ORDER', $3, false, '{"source": "PUBLIC_API"}', 0, now() - interval '1 hour', now())`, org.orgId, id, source)
    return id
  }
  const [done, held, wanted, refused, forgottenOrder] = [await estimate(), await estimate(), await order(), await order(), await order()]
  await converted(org, `/estimates/${done}`)
  // Asked for twice at once: by requests that both came before either was carried out.
  const second = await request(refused)
  await converted(org, `/sales_orders/${refused}`)
  const args = [{ orgId: org.orgId, conversionId: second, source: 'SALES_ORDER', sourceId: refused }]
  await engine.client.workflow.start('convertDocument', { workflowId: `convert/SALES_ORDER/${refused}`, taskQueue: 'core', args })
  await forgotten.query('BEGIN')
  await forgotten.query('SELECT FROM estimates WHERE id = $1 FOR UPDATE', [held])
  // It answers 503 after ten seconds, and its workflow goes on.
  void org.post(`/estimates/${held}/convert`).catch(() => undefined)
  await request(forgottenOrder)
  Object.assign(places, { converted_id: done, estimate_id: held, source_id: wanted, id: await request(wanted) })
}

/** Where the machine is busy, the call is answered by 503, and repeated with its key. */
async function converted(org: Client, path: string): Promise<void> {
  const key = randomUUID()
  await until(async () => (await org.post(`${path}/convert`, {}, key)).status === 200, 90_000, () => `${path} is not converted`)
}

/** An organisation that was suspended while a bulk of it was worked on and a delivery waited in PostgreSQL. */
async function suspended(org: Client, call: ReturnType<typeof callAt>, partnerKey: string, url: string, sql: Scene['sql'], places: Places): Promise<void> {
  const who = await customer(org, 'Ravi Stores')
  await endpoint(org, `${url}/third`, 'INVOICE_CREATED')
  await invoice(org, who)
  await until(async () => (await sql(`SELECT FROM webhook_deliveries WHERE org_id = $1 AND held_by = 'PROCESS'`, org.orgId)).length === 1, 90_000, () => 'no delivery waits')
  const rows = Array.from({ length: 1_000 }, () => ({ customer_id: who, date: TODAY, place_of_supply: 'IN-KA', line_items: LINES }))
  const { bulk_id } = await post(org, '/bulk/invoices?async=true', { invoices: rows })
  await call('POST', `/partner/organizations/${org.orgId}/suspend`, { partnerKey, key: randomUUID() })
  await sql(`UPDATE webhook_deliveries SET held_by = 'QUEUE' WHERE org_id = $1 AND held_by = 'PROCESS'`, org.orgId)
  places.bulk_id = bulk_id
}

/** A mail of which nobody knows whether it was sent, and one that waits; reminders are on. */
async function mails(org: Client, sql: Scene['sql']): Promise<void> {
  const id = await invoice(org, await customer(org, 'Vidya Stores'))
  void org.post(`/invoices/${id}/email`, { to: ['accounts@busy.test'], attach_pdf: false }).catch(() => undefined)
  await org.post(`/invoices/${id}/email`, { to: ['accounts@lost.test'], attach_pdf: false })
  await sql(`UPDATE organization_preferences SET reminders = jsonb_set(reminders, '{enabled}', 'true') WHERE org_id = $1`, org.orgId)
  await sql(`INSERT INTO reminder_sweeps (org_id, next_at) VALUES ($1, now()) ON CONFLICT DO NOTHING`, org.orgId)
}

async function schedule(org: Client, places: Places): Promise<void> {
  const { recurring } = await post(org, '/recurring', {
    entity_type: 'INVOICE', name: 'Rent of the shop', frequency: 'MONTHLY', start_date: '2030-01-31',
    template_payload: { customer_id: await customer(org, 'Rent Stores'), place_of_supply: 'IN-KA', line_items: LINES },
  })
  places.schedule_id = recurring.recurring_id
}

/** An e-invoice whose portal does not answer. */
async function eInvoice(org: Client, folder: string, sql: Scene['sql'], places: Places): Promise<void> {
  const [branch] = await sql<{ id: string }>('SELECT id FROM branches WHERE org_id = $1', org.orgId)
  places.branch_id = branch!.id
  writeFileSync(join(folder, 'irp.json'), irpCredentials())
  const options = ['--org', org.orgId, '--branch', branch!.id, '--provider', 'irp', '--credentials', 'irp.json', '--enable']
  await promisify(execFile)(process.execPath, ['bin/einvoice.ts', ...options], { cwd: folder })
  const [registered] = await sql<{ id: string }>(`SELECT id FROM contacts WHERE org_id = $1 AND contact_name = 'Marina Books'`, org.orgId)
  const [tax] = await sql<{ id: string }>(`SELECT id FROM taxes WHERE org_id = $1 AND name = 'GST 18%' LIMIT 1`, org.orgId)
  const lines = [{ ...LINES[0], hsn_or_sac: '4820', unit: 'NOS', tax_id: tax!.id }]
  const { invoice } = await post(org, '/invoices', { customer_id: registered!.id, date: TODAY, place_of_supply: 'IN-TN', auto_approve: true, line_items: lines })
  places.document_id = invoice.invoice_id
}

/** A workflow whose history was encrypted with a key that the service does not have. */
async function unreadableWorkflow(address: string, places: Places): Promise<void> {
  const engine = openEngine({ address, namespace: 'default', queueSuffix: '', encryptionKey: randomBytes(32).toString('base64') })
  places.workflow_id = `webhook/${uuidv7()}`
  await engine.client.workflow.start('webhookDelivery', { workflowId: places.workflow_id, taskQueue: 'core', args: [{}] })
  await engine.close()
}
