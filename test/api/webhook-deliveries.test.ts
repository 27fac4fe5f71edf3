// What callers do with the delivery log: find the deliveries of a record, and have them sent again.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { openWebhookApi, type WebhookApi } from '../fixtures/webhook-api.ts'

let api: WebhookApi
beforeAll(async () => {
  api = await openWebhookApi()
})
afterAll(() => api.close())
beforeEach(async () => {
  await api.setup.sql('DELETE FROM webhook_attempts')
  await api.setup.sql('DELETE FROM webhook_deliveries')
})

test('the deliveries of a record are found by its id, with its type or without', async () => {
  const [one, two] = [await api.setup.addEndpoint('https://1.1.1.1/'), await api.setup.addEndpoint('https://8.8.8.8/')]
  const [record] = await api.setup.announce(3)
  await api.setup.sql(`UPDATE webhook_deliveries SET status = 'FAILED', held_by = NULL WHERE endpoint_id = $1`, two)
  const count = async (query: string, as?: 'other') => (await api.get(`/webhooks/deliveries?${query}`, as && { as })).body.deliveries.length
  expect(await count(`entity_id=${record}`)).toBe(2)
  expect(await count(`entity_type=INVOICE&entity_id=${record!.toUpperCase()}`)).toBe(2)
  expect(await count(`entity_id=${record}&endpoint_id=${two}&status=FAILED&event_type=INVOICE_CREATED&since=2020-01-01`)).toBe(1)
  expect(await count(`entity_id=${record}&endpoint_id=${one}&status=FAILED`)).toBe(0)
  expect(await count(`entity_type=BILL&entity_id=${record}`)).toBe(0)
  expect(await count('entity_type=INVOICE')).toBe(6)
  expect(await count('entity_type=BILL')).toBe(0)
  expect(await count(`entity_id=${uuidv7()}`)).toBe(0)
  expect(await count("entity_id=x' OR true--")).toBe(0)
  expect(await count(`entity_id=${record}`, 'other')).toBe(0)
  expect(await api.get('/webhooks/deliveries?entity_type=ORDER')).toMatchObject({ status: 400, body: { field: 'entity_type' } })
})
