// The ways that a bulk can go, to be recorded: whole, in two runs of its activity, over a suspension, cancelled.
import { setTimeout as delay } from 'node:timers/promises'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import { postingsOf, whileLocked } from '../hammer/two-servers.ts'
import { untilTimer } from '../workflows/history.ts'
import type { Save } from './record.ts'

// Longer than one run of the activity begins rows.
const OVER_MS = 11_000

export async function recordBulks(save: Save): Promise<void> {
  const service = await startService()
  const org = await openOrganizationWithItem(service)
  await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))
  await service.startWorker()
  const engine = openEngine({ address: service.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: service.env.ENCRYPTION_KEY! })
  const rows = { invoices: [{}, {}, { place_of_supply: 'Atlantis' }, {}].map((changes) => invoiceBody(org, { auto_approve: true, ...changes })) }
  const accepted = async (): Promise<string> => (await org.client.post('/bulk/invoices?async=true', rows)).body.bulk_id
  /** A bulk whose first row is being written when `meanwhile` begins. */
  const whileWritten = async (meanwhile: (id: string) => Promise<unknown>): Promise<string> => {
    let id = ''
    await whileLocked(service.database, postingsOf(org), async (waiting) => {
      id = await accepted()
      await waiting(1)
      await meanwhile(id)
      return []
    })
    return id
  }

  await save(engine, `bulk/${await accepted()}`, 'bulk-whole')
  await save(engine, `bulk/${await whileWritten(() => delay(OVER_MS))}`, 'bulk-in-two-runs')

  const suspended = await whileWritten(() => service.sql(`UPDATE organizations SET status = 'SUSPENDED'`))
  await untilTimer(engine, `bulk/${suspended}`, 'organisation suspended')
  await service.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  await engine.client.workflow.getHandle(`bulk/${suspended}`).signal('lookAgain')
  await save(engine, `bulk/${suspended}`, 'bulk-suspended')

  const cancelled = await whileWritten((id) => engine.client.workflow.getHandle(`bulk/${id}`).cancel())
  await save(engine, `bulk/${cancelled}`, 'bulk-cancelled')
  await engine.close()
  await service.close()
}
