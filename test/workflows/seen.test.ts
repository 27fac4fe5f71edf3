// What an operator sees of every kind of process: search attributes, a summary, and details of how it stands.
import type { ChildProcess } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { housekeepingId } from '../../domain/housekeeping.ts'
import { remindersId } from '../../domain/reminders.ts'
import { reconcileId } from '../../domain/schedule.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import * as workflows from '../../workflows/index.ts'
import { BUYER_GSTIN, SELLER_GSTIN } from '../domain/e-invoice-sources.ts'
import { invoiceBody, scheduleBody } from '../fixtures/bodies.ts'
import { acceptedItemEstimate, postConvert } from '../fixtures/orders.ts'
import { chooseEInvoicing } from '../fixtures/e-invoices.ts'
import { addContact, openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { invoiceToPrint } from '../fixtures/rendering.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'
import { removeSchedules } from './schedules.ts'

let service: Service
let org: OrganizationWithItem
let engine: Engine
let receiver: Server
let worker: ChildProcess
beforeAll(async () => {
  service = await startService()
  org = await openOrganizationWithItem(service)
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey: encryptionKey! })
  receiver = createServer((_request, answer) => void Object.assign(answer, { statusCode: 500 }).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  worker = await spawnWorker(service.env)
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await kill(worker)
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await engine.close()
  await service.close()
})

/** What must be there for each: the search attributes besides those of `ALWAYS`. */
const ALWAYS = ['SvcEntityType', 'SvcState']
const ATTRIBUTES: Record<keyof typeof workflows, string[]> = {
  bulkCreate: ['SvcOrgId', 'SvcEntityId'],
  convertDocument: ['SvcOrgId', 'SvcEntityId'],
  housekeeping: [],
  remindCustomers: [],
  reconcileSchedules: [],
  renderDocument: ['SvcOrgId', 'SvcEntityId'],
  recurringSchedule: ['SvcOrgId', 'SvcEntityId', 'SvcNextAt'],
  registerEInvoice: ['SvcOrgId', 'SvcEntityId', 'SvcAttempt'],
  sendDocumentEmail: ['SvcOrgId', 'SvcEntityId'],
  webhookDelivery: ['SvcOrgId', 'SvcEntityId', 'SvcEndpointId', 'SvcAttempt', 'SvcNextAt'],
  webhookDispatch: ['SvcEntityId'],
}

test('every kind is listed here', () => {
  expect(Object.keys(workflows).sort()).toEqual(Object.keys(ATTRIBUTES).sort())
})

test('each has its search attributes, a summary, and current details', async () => {
  await org.send('POST', '/webhooks/endpoints', { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, events: ['INVOICE_CREATED'] })
  const invoice = await invoiceToPrint(org)
  expect((await org.client.get(`/invoices/${invoice.invoice_id}/pdf`)).status).toBe(200)
  await org.send('POST', '/recurring', scheduleBody(org))
  await eInvoiced()
  await org.send('POST', '/bulk/invoices', { invoices: [invoiceBody(org)] })
  const { estimate_id } = await acceptedItemEstimate(org)
  await postConvert(org, 'estimates', estimate_id)
  await org.send('POST', `/estimates/${estimate_id}/email`, { to: ['asha@example.com'], attach_pdf: false })
  const queue = `TaskQueue = 'core-${service.env.TEMPORAL_QUEUE_SUFFIX}'`
  const suffix = service.env.TEMPORAL_QUEUE_SUFFIX!
  for (const id of [housekeepingId('Asia/Kolkata', suffix), reconcileId(suffix), remindersId(suffix)]) {
    await until(async () => (await engine.client.schedule.getHandle(id).trigger().then(() => true, () => false)), 90_000, () => `no schedule ${id}`)
  }
  for (const [type, attributes] of Object.entries(ATTRIBUTES)) {
    let seen: Awaited<ReturnType<typeof look>> = null
    await until(async () => {
      seen = await look(`${queue} AND WorkflowType = '${type}'`)
      return seen !== null && [...ALWAYS, ...attributes].every((name) => seen!.attributes.includes(name)) && Boolean(seen.summary) && Boolean(seen.details)
    }, 90_000, () => `${type}: ${JSON.stringify(seen)}`)
  }
})

/** An invoice that its branch registers. */
async function eInvoiced(): Promise<void> {
  const [branch] = await service.sql<{ id: string }>('UPDATE branches SET gstin = $2 WHERE org_id = $1 RETURNING id', org.orgId, SELLER_GSTIN)
  await chooseEInvoicing(service, org.orgId, { [branch!.id]: { enabled: true, provider: 'sandbox' } })
  const customer_id = await addContact(org, { contact_name: 'Lakshmi Stores', gst_no: BUYER_GSTIN })
  const { invoice } = await org.send('POST', '/invoices', invoiceBody(org, { customer_id, auto_approve: true }))
  expect(invoice.e_invoice.status).toBe('PENDING')
}

/** The first that the query finds; null where it has not started yet. */
async function look(query: string) {
  for await (const { workflowId } of engine.client.workflow.list({ query })) {
    const handle = engine.client.workflow.getHandle(workflowId)
    const described = await handle.describe()
    const { currentDetails } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    const attributes = Object.keys(described.searchAttributes)
    return { attributes, summary: await described.staticSummary(), details: currentDetails }
  }
  return null
}
