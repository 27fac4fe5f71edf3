// The ways that a webhook can go since circuits: a batch that only counts its refusals, a delivery that is given back.
import { openWebhookServer } from '../fixtures/webhook-server.ts'
import { untilTimer } from '../workflows/history.ts'
import { SECRET, openWorkflowSetup } from '../workflows/setup.ts'
import type { Save } from './record.ts'

export async function recordCircuits(save: Save): Promise<void> {
  const setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '25,3600' })
  const customer = await openWebhookServer(SECRET)
  await setup.addEndpoint(customer.url)
  await setup.startWorker()

  customer.answer = () => (customer.arrivals.length % 2 === 0 ? 200 : 500)
  await setup.announce(2)
  const deliveries = await setup.until(({ attempts_made }) => attempts_made === 1)
  // Only the one that arrived still says which batch it was in.
  const { batch_id: batchId } = deliveries.find(({ status }) => status === 'DELIVERED')!
  const { id } = deliveries.find(({ status }) => status === 'RETRYING')!
  await save(setup.engine, `dispatch/${batchId}`, 'webhook-dispatch-refused')

  await untilTimer(setup.engine, `webhook/${id}`, 'retry 1 of 2')
  await setup.sql(
    `INSERT INTO webhook_circuits SELECT org_id, id, 'OPEN', 20, 1, now() + interval '1 hour', false, false FROM webhook_endpoints
     ON CONFLICT (org_id, id) DO UPDATE SET (state, opened, next_try_at) = (excluded.state, excluded.opened, excluded.next_try_at)`)
  await save(setup.engine, `webhook/${id}`, 'webhook-delivery-given-back')

  await customer.close()
  await setup.close()
}
