// The ways that a webhook can go, to be recorded.
import { openWebhookServer } from '../fixtures/webhook-server.ts'
import { untilTimer } from '../workflows/history.ts'
import { SECRET, openWorkflowSetup } from '../workflows/setup.ts'
import type { Save } from './record.ts'

export async function recordWebhooks(save: Save): Promise<void> {
  const setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '1,2,3600', WEBHOOK_TIMEOUT_SECONDS: '1' })
  const customer = await openWebhookServer(SECRET)
  await setup.addEndpoint(customer.url)
  await setup.startWorker()
  const { workflow } = setup.engine.client
  const saved = (id: string, name: string) => save(setup.engine, id, name)

  /** Announces an event that is refused, and answers the id of its delivery's process once it waits for the retry. */
  async function refused(): Promise<{ id: string }> {
    const { id } = await announced()
    await untilTimer(setup.engine, id, 'retry 1 of 3')
    return { id }
  }

  /** Announces events, and answers the ids of a delivery's process and of its batch's once it has been attempted. */
  async function announced(count = 1): Promise<{ id: string; dispatch: string }> {
    await setup.sql('DELETE FROM webhook_attempts')
    await setup.sql('DELETE FROM webhook_deliveries')
    customer.arrivals.length = 0
    await setup.announce(count)
    const [delivery] = await setup.until(({ attempts_made }) => attempts_made >= 1)
    return { id: `webhook/${delivery!.id}`, dispatch: `dispatch/${delivery!.batch_id}` }
  }

  customer.answer = () => 200
  await saved((await announced(3)).dispatch, 'webhook-dispatch-all-arrive')

  // webhook-dispatch-some-refused is of a version whose batches started the processes; nothing records it again.

  customer.answer = () => (customer.arrivals.length < 3 ? 500 : 200)
  await saved((await refused()).id, 'webhook-delivery-arrives-late')

  customer.answer = () => 500
  const exhausted = await refused()
  await untilTimer(setup.engine, exhausted.id, 'retry 3 of 3')
  await workflow.getHandle(exhausted.id).signal('retryNow')
  await saved(exhausted.id, 'webhook-delivery-exhausted')

  const aborted = await refused()
  await workflow.getHandle(aborted.id).signal('abort')
  await saved(aborted.id, 'webhook-delivery-aborted')

  const byHand = await refused()
  customer.answer = () => 200
  await workflow.getHandle(byHand.id).signal('retryNow')
  await saved(byHand.id, 'webhook-delivery-retried-by-hand')

  customer.answer = () => 500
  const suspended = await refused()
  await setup.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  await untilTimer(setup.engine, suspended.id, 'organisation suspended')
  await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  customer.answer = () => 200
  await workflow.getHandle(suspended.id).signal('retryNow')
  await saved(suspended.id, 'webhook-delivery-suspended')

  await customer.close()
  await setup.close()
}
