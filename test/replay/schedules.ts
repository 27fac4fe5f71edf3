// The ways that a recurring schedule can go, to be recorded: to its end, paused, changed, run by hand, deleted, in several runs.
import { addDays } from '../../domain/dates.ts'
import { scheduleProcessId } from '../../domain/schedule.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { AHEAD, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import { until } from '../start/local-run.ts'
import { spawnWorker, kill } from '../fixtures/worker.ts'
import type { Save } from './record.ts'

const LIMIT_MS = 60_000
const daysAgo = (days: number) => addDays(TODAY, -days)

/**
 * The server must suggest a new run early: `temporal server start-dev --dynamic-config-value
 * limit.historyCount.suggestContinueAsNew=110`. The one that is recorded in several runs is put on until then.
 */
export async function recordSchedules(save: Save): Promise<void> {
  const service = await startService()
  const org = await openOrganization(service)
  const worker = await spawnWorker({ ...service.env, RECURRING_TICK_SECONDS: '1' })
  const engine = openEngine({ address: service.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: service.env.ENCRYPTION_KEY! })
  const add = async (changes: Json = {}): Promise<string> => (await org.send('POST', '/recurring', scheduleBody(org, { start_date: `${AHEAD}-01-31`, ...changes }))).recurring.recurring_id
  const read = async (id: string): Promise<Json> => (await org.get(`/recurring/${id}`)).recurring
  const post = (id: string, action: string) => org.send('POST', `/recurring/${id}/${action}`)
  const change = (id: string, body: Json) => org.send('PUT', `/recurring/${id}`, body)
  const isStarted = (id: string) => engine.client.workflow.getHandle(scheduleProcessId(id)).describe().then(() => true, () => false)
  const whole = async (id: string, name: string) => {
    await until(() => isStarted(id), LIMIT_MS, () => `schedule ${id} has no workflow`)
    await save(engine, scheduleProcessId(id), `schedule-${name}`)
  }
  /** Resolves when the row and the workflow are as wanted. */
  const untilKnown = (id: string, status: string, runs: number) => until(async () => {
    const known = await engine.client.workflow.getHandle(scheduleProcessId(id)).query<Json | null>('state').catch(() => null)
    return known?.state === status && known.runCount === runs && (await read(id)).status === status
  }, LIMIT_MS, () => `schedule ${id} is not ${status} after ${runs} runs`)

  await whole(await add({ frequency: 'DAILY', start_date: daysAgo(3), max_runs: 3 }), 'completed-by-max-runs')
  await whole(await add({ frequency: 'DAILY', start_date: daysAgo(3), end_date: daysAgo(2) }), 'completed-by-end-date')

  const template = await org.invoice()
  const failing = await add({ template_payload: null, template_entity_id: template.invoice_id, start_date: daysAgo(2), max_runs: 1 })
  await untilKnown(failing, 'COMPLETED', 1)
  const failed = await add({ template_payload: null, template_entity_id: template.invoice_id })
  await untilKnown(failed, 'ACTIVE', 0)
  await org.send('DELETE', `/invoices/${template.invoice_id}`)
  await change(failed, { next_run_at: daysAgo(1) })
  await untilKnown(failed, 'PAUSED', 0)
  await post(failed, 'resume')
  await untilKnown(failed, 'ACTIVE', 0)
  await org.send('DELETE', `/recurring/${failed}`)
  await whole(failed, 'paused-by-failures')

  const paused = await add()
  await untilKnown(paused, 'ACTIVE', 0)
  await post(paused, 'pause')
  await untilKnown(paused, 'PAUSED', 0)
  await post(paused, 'resume')
  await untilKnown(paused, 'ACTIVE', 0)
  await change(paused, { next_run_at: daysAgo(1), max_runs: 1 })
  await whole(paused, 'paused-and-resumed')

  const changed = await add()
  await untilKnown(changed, 'ACTIVE', 0)
  await change(changed, { frequency: 'DAILY', next_run_at: daysAgo(2), max_runs: 2 })
  await whole(changed, 'changed')

  const deleted = await add()
  await untilKnown(deleted, 'ACTIVE', 0)
  await org.send('DELETE', `/recurring/${deleted}`)
  await whole(deleted, 'deleted')

  const byHand = await add({ max_runs: 2 })
  await untilKnown(byHand, 'ACTIVE', 0)
  await post(byHand, 'run')
  await untilKnown(byHand, 'ACTIVE', 1)
  await org.refusal('POST', `/recurring/${byHand}/runs/${(await org.get(`/recurring/${byHand}/runs`)).runs[0].run_id}/retry`)
  await post(byHand, 'run')
  await whole(byHand, 'run-by-hand')

  const refused = await add()
  await untilKnown(refused, 'ACTIVE', 0)
  await service.sql(`UPDATE recurring_schedules SET template_payload = jsonb_set(template_payload, '{customer_id}', to_jsonb(gen_random_uuid())) WHERE id = $1`, refused)
  await org.refusal('POST', `/recurring/${refused}/run`)
  await change(refused, { template_payload: scheduleBody(org).template_payload, max_runs: 1 })
  const [failure] = (await org.get(`/recurring/${refused}/runs`)).runs
  await org.send('POST', `/recurring/${refused}/runs/${failure.run_id}/retry`)
  await whole(refused, 'refused-and-repeated')

  const long = await add()
  const handle = engine.client.workflow.getHandle(scheduleProcessId(long))
  await untilKnown(long, 'ACTIVE', 0)
  const first = (await handle.describe()).runId
  for (let count = 1; (await handle.describe()).runId === first; count += 1) {
    if (count > 60) throw new Error('start the server with --dynamic-config-value limit.historyCount.suggestContinueAsNew=110')
    await post(long, 'run')
  }
  await save(engine, scheduleProcessId(long), 'schedule-continued-as-new', first)

  await kill(worker)
  await engine.close()
  await service.close()
}
