// Encrypting the secrets of endpoints anew after a change of ENCRYPTION_KEY.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { resealSecrets } from '../../commands/webhooks/reseal.ts'
import type { FormerSecret } from '../../domain/webhook-secrets.ts'
import { seal, unseal } from '../../models/sealed.ts'
import type { Json } from '../fixtures/client.ts'
import { openWebhookApi, type WebhookApi } from '../fixtures/webhook-api.ts'

let api: WebhookApi
beforeAll(async () => {
  api = await openWebhookApi()
})
afterAll(() => api.close())

const endpoint = async (path: string): Promise<Json> =>
  (await api.post('/webhooks/endpoints', { url: `http://127.0.0.1:9/${path}`, events: ['INVOICE_CREATED'] })).body.endpoint
const stored = async (id: string) =>
  (await api.setup.sql<{ secret_sealed: string; former_secrets: FormerSecret[] }>('SELECT secret_sealed, former_secrets FROM webhook_endpoints WHERE id = $1', id))[0]!
const resealed = (ring: string, now = new Date()) => resealSecrets(api.setup.database, ring, now)

test('every secret is readable with the new key alone, and is the same', async () => {
  const old = api.setup.env.ENCRYPTION_KEY!
  const added = randomBytes(32).toString('base64')
  const { endpoint_id: plain, secret: first } = await endpoint('plain')
  const { endpoint_id: rotated, secret: former } = await endpoint('rotated')
  const { body: { endpoint: { secret: latest } } } = await api.post(`/webhooks/endpoints/${rotated}/rotate_secret`, { overlap_seconds: 600 })
  // Of an installation whose key is lost: nobody can read it.
  const { endpoint_id: lost } = await endpoint('lost')
  await api.setup.sql('UPDATE webhook_endpoints SET secret_sealed = $2 WHERE id = $1', lost, seal(randomBytes(32).toString('base64'), 'x'))

  expect(await resealed(`${old},${added}`)).toEqual({ current: 2, resealed: 0, unreadable: [lost] })
  expect(await resealed(`${added},${old}`)).toEqual({ current: 0, resealed: 2, unreadable: [lost] })
  expect(unseal(added, (await stored(plain)).secret_sealed)).toBe(first)
  const { secret_sealed, former_secrets } = await stored(rotated)
  expect([unseal(added, secret_sealed), ...former_secrets.map(({ sealed }) => unseal(added, sealed))]).toEqual([latest, former])
  expect(await resealed(`${added},${old}`)).toEqual({ current: 2, resealed: 0, unreadable: [lost] })

  // Once the overlap is over, what no key reads any more is of no use to anybody.
  expect(await resealed(`${old},${added}`, new Date(Date.now() + 700_000))).toMatchObject({ resealed: 2 })
  expect((await stored(rotated)).former_secrets).toEqual([])
})

test('so are the credentials of branches at their portals, and the keys of the installation', async () => {
  const old = api.setup.env.ENCRYPTION_KEY!
  const added = randomBytes(32).toString('base64')
  await api.setup.sql(
    `WITH made AS (
       INSERT INTO branches (org_id, id, code, name, state, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
       SELECT id, gen_random_uuid(), 'B', 'B', 'IN-KA', false, true, 'B-', 'P-', now(), now() FROM organizations LIMIT 1 RETURNING org_id, id)
     INSERT INTO e_invoice_credentials (org_id, branch_id, sealed, last_modified_time) SELECT org_id, id, $1, now() FROM made`, seal(old, 'credentials'))
  await api.setup.sql(`INSERT INTO installation_keys (name, sealed, created_time) VALUES ('a key', $1, now())`, seal(old, 'key'))
  const read = async () => (await api.setup.sql<{ sealed: string }>('SELECT sealed FROM e_invoice_credentials UNION ALL SELECT sealed FROM installation_keys'))
    .map(({ sealed }) => unseal(added, sealed))
  await expect(read()).rejects.toThrow()
  await resealed(`${added},${old}`)
  expect(await read()).toEqual(['credentials', 'key'])
  expect((await resealed(added)).unreadable).not.toContain('a key')
  expect((await resealed(randomBytes(32).toString('base64'))).unreadable).toContain('a key')
})
