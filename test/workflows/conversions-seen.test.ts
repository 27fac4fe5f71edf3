// What an operator sees of a conversion: how it is found, what it has made or why it was refused, and nobody's name.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { acceptedItemEstimate, openItemOrder, postConvert } from '../fixtures/orders.ts'
import { openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { until } from '../start/local-run.ts'
import { payloadsOf } from './history.ts'

let service: Service
let org: OrganizationWithItem
let engine: Engine
beforeAll(async () => {
  service = await startService()
  org = await openOrganizationWithItem(service)
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey: encryptionKey! })
  await service.startWorker()
})
afterAll(async () => {
  await engine.close()
  await service.close()
})

test('a conversion by its source, and what it has made', async () => {
  const { estimate_id } = await acceptedItemEstimate(org, { notes: 'for Meena, by hand' })
  const { body: { estimate } } = await postConvert(org, 'estimates', estimate_id, { through: 'invoice', auto_approve: true })
  const described = await found(`SvcEntityType = 'ESTIMATE' AND SvcEntityId = '${estimate_id}' AND SvcOrgId = '${org.client.orgId}' AND SvcState = 'CONVERTED'`)
  expect([described.type, described.workflowId, described.status.name]).toEqual(['convertDocument', `convert/ESTIMATE/${estimate_id}`, 'COMPLETED'])
  expect(await described.staticSummary()).toBe(`conversion of ESTIMATE ${estimate_id}`)
  const handle = engine.client.workflow.getHandle(described.workflowId)
  expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: `made:\n- SALES_ORDER ${estimate.converted_to_sales_order_id}\n- INVOICE ${estimate.invoices[0]}`,
  })
  expect(await decoded(described.workflowId)).not.toMatch(/Meena|Silk|by hand|1180|2360/)
})

test('what a killed worker had in hand is taken over while the caller still waits', async () => {
  const { sales_order_id } = await openItemOrder(org, 1)
  expect((await postConvert(org, 'sales_orders', sales_order_id)).status).toBe(200)
  const { events } = await engine.client.workflow.getHandle(`convert/SALES_ORDER/${sales_order_id}`).fetchHistory()
  const limits = (events ?? []).flatMap(({ workflowTaskScheduledEventAttributes: task, activityTaskScheduledEventAttributes: activity }) =>
    task ? [Number(task.startToCloseTimeout?.seconds)] : activity ? [Number(activity.heartbeatTimeout?.seconds)] : [])
  expect(limits.length).toBeGreaterThanOrEqual(3)
  // Two of them, and the pause for the worker that has the workflow in memory, are less than CONVERSION_MS.
  expect(new Set(limits)).toEqual(new Set([3]))
})

test('a refused one, and with what', async () => {
  const order = await openItemOrder(org, 1)
  const input = { orgId: org.client.orgId, conversionId: randomUUID(), source: 'SALES_ORDER' as const, sourceId: order.sales_order_id }
  // Asked for twice at once, by requests that both came before either was carried out.
  await service.sql(
    `INSERT INTO conversions (org_id, id, source_type, source_id, auto_approve, origin, hops, created_time, last_modified_time)
     VALUES ($1, $2, $3, $4, false, '{"source": "PUBLIC_API"}', 0, now(), now())`, input.orgId, input.conversionId, input.source, input.sourceId)
  const { body } = await postConvert(org, 'sales_orders', order.sales_order_id)
  const refused = engine.convert(input, () => Promise.resolve(true))
  await expect(refused).rejects.toMatchObject({
    code: 'conflict.already_converted', status: 409, details: { invoice_id: body.sales_order.invoices[0], invoice_ids: body.sales_order.invoices },
  })
  const described = await found(`SvcEntityId = '${order.sales_order_id}' AND SvcState = 'REFUSED'`)
  expect(described.status.name).toBe('FAILED')
  expect(await engine.client.workflow.getHandle(described.workflowId).query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: 'refused: conflict.already_converted',
  })
  expect(await service.sql('SELECT hops, refusal FROM conversions WHERE id = $1', input.conversionId))
    .toEqual([{ hops: 0, refusal: 'conflict.already_converted' }])
})

async function found(query: string) {
  const ids: string[] = []
  await until(async () => {
    for await (const { workflowId } of engine.client.workflow.list({ query })) ids.push(workflowId)
    return ids.length > 0
  }, 90_000, () => `nothing is found by ${query}`)
  return engine.client.workflow.getHandle(ids[0]!).describe()
}

/** Every payload of the history, as text. */
async function decoded(workflowId: string): Promise<string> {
  const payloads = await payloadsOf(engine, workflowId)
  expect(payloads.filter((payload) => payload.includes('conversionId')).length).toBeGreaterThan(2)
  return payloads.join('\n')
}

test('one that is cancelled leaves what it has made, and continues when it is requested again', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  await service.stopWorker()
  const key = randomUUID()
  const waiting = postConvert(org, 'estimates', estimate_id, { through: 'invoice' }, key)
  const handle = engine.client.workflow.getHandle(`convert/ESTIMATE/${estimate_id}`)
  await until(() => handle.cancel().then(() => true, () => false), 90_000, () => 'not started')
  await service.startWorker()
  const given = await waiting
  expect([given.status, given.body.code]).toEqual([503, 'service.unavailable'])
  expect((await handle.describe()).status.name).toBe('CANCELLED')
  const again = await postConvert(org, 'estimates', estimate_id, { through: 'invoice' }, key)
  expect([again.status, again.body.estimate.status, again.body.estimate.invoices.length]).toEqual([200, 'CONVERTED', 1])
})
