// `npm run oauth-client`: an operator registers, lists and revokes clients; and the worker removes what has ended of OAuth, in steps.
import { execFile } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { forgetEndedOAuth, forgetUsedTokens } from '../../worker/retention.ts'
import { asApp, connect, postForm, refresh, registerApp, tokenUrl } from '../fixtures/oauth.ts'
import { pageOf } from '../fixtures/persons.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const { orgId } = await service.organization({ name: 'Asha Traders' })

const run = (...args: string[]): Promise<{ code: number; said: string }> => new Promise((resolve) => {
  execFile(process.execPath, ['bin/oauth-client.ts', ...args], { cwd: ROOT, env: { ...process.env, ...service.env } }, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
})
const lastOf = (said: string) => JSON.parse(said.trim().split('\n').at(-1)!)

test('registers a client that works, lists it without its secret, and revokes it', async () => {
  const { code, said } = await run('--name', 'Ledger Sync', '--redirect-uri', 'https://app.example/callback', '--redirect-uri', 'https://app.example/second')
  expect(code).toBe(0)
  const made = lastOf(said)
  expect(made).toEqual({ client_id: expect.any(String), client_secret: expect.stringMatching(/^svc_ocs_/) })
  const app = { ...made, redirectUri: 'https://app.example/second' }
  const { tokens } = await connect(service, app, [orgId])
  expect(tokens.organization_ids).toEqual([orgId])
  const listed = await run('list')
  expect(listed.said).toContain(`${made.client_id}  Ledger Sync, registered by the operator, confidential, https://app.example/callback https://app.example/second`)
  expect(listed.said).not.toContain(made.client_secret)
  expect(lastOf((await run('list', '--json')).said)).toMatchObject({ id: made.client_id, is_public: false, revoked_time: null })
  expect(await run('revoke', made.client_id)).toEqual({ code: 0, said: expect.stringContaining(`${made.client_id} is revoked since `) })
  expect((await postForm(tokenUrl(service), { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...asApp(app) })).body.error).toBe('invalid_client')
  expect((await service.call('GET', `/invoices?organization_id=${orgId}`, { token: tokens.access_token })).status).toBe(401)
  expect(await run('revoke', orgId)).toEqual({ code: 1, said: expect.stringContaining('There is no OAuth client') })
})

test('a public client has no secret, and what is wrong is said', async () => {
  expect(lastOf((await run('--name', 'Mobile', '--redirect-uri', 'com.example.app:/cb', '--public')).said).client_secret).toBeNull()
  expect(await run('--name', 'Mobile', '--redirect-uri', 'http://app.example/cb')).toEqual({ code: 1, said: expect.stringMatching(/^redirect_uris\.0: This redirect URI is neither https nor/) })
  for (const args of [[], ['--name', 'x'], ['list', 'x'], ['revoke'], ['revoke', 'x']]) expect((await run(...args)).code).toBe(2)
})

test('what has ended is removed a day later, and what lives stays', async () => {
  const app = await registerApp(service)
  const gone = await connect(service, app, [orgId])
  const alive = await connect(service, app, [orgId])
  const page = pageOf(service.origin, gone.browser.cookie)
  const [{ consent_id }] = (await page('GET', '/consents')).body.consents
  await page('DELETE', `/consents/${consent_id}`)
  await refresh(service, app, alive.tokens.refresh_token)
  const count = async (what: string) => (await service.sql<{ count: number }>(`SELECT count(*)::integer AS count FROM ${what}`))[0]!.count
  const forget = async (days: number) => {
    for (const remove of [forgetUsedTokens, forgetEndedOAuth])
      await remove({ connection: service.database, clock: () => new Date(Date.now() + days * 86_400_000), isStopping: () => false })
  }

  await service.sql('INSERT INTO last_uses (subject, last_used_time) SELECT id, now() FROM oauth_grants ON CONFLICT DO NOTHING')
  const grants = (await service.sql<{ id: string }>('SELECT id FROM oauth_grants')).map(({ id }) => id)
  await forget(0)
  expect(await count('oauth_tokens WHERE successor IS NOT NULL')).toBe(1)
  await forget(0.01)
  expect(await count('oauth_tokens WHERE successor IS NOT NULL')).toBe(0)
  const consents = await count('oauth_consents')
  await forget(2)
  expect(await count("oauth_tokens WHERE kind = 'ACCESS'")).toBe(0)
  // A refresh token that was not used lives for 90 days, unless its consent is withdrawn; a used one is known by its family.
  expect(await count("oauth_tokens AS t JOIN oauth_grants AS g ON g.id = t.grant_id AND g.client_id = '" + app.client_id + "'")).toBe(1)
  await forget(92)
  expect([await count('oauth_tokens'), await count('oauth_grants'), await count(`last_uses WHERE subject IN ('${grants.join(`', '`)}')`)]).toEqual([0, 0, 0])
  expect(await count(`oauth_consents WHERE id = '${consent_id}'`)).toBe(0)
  expect(await count('oauth_consents')).toBeLessThan(consents)
  // Remembered until it is withdrawn.
  expect((await alive.browser.get(alive.url)).status).toBe(302)
})

test('a grant is looked at once its last token has expired, not before', async () => {
  const app = await registerApp(service)
  const { tokens } = await connect(service, app, [orgId])
  const grants = () => service.sql(`SELECT tokens_expire_time::text AS ends FROM oauth_grants WHERE client_id = '${app.client_id}'`)
  const lastExpiry = () => service.sql(
    `SELECT max(t.expires_time)::text AS ends FROM oauth_tokens AS t JOIN oauth_grants AS g ON g.id = t.grant_id WHERE g.client_id = '${app.client_id}'`,
  )
  const before = await grants()
  expect(before).toEqual(await lastExpiry())
  await refresh(service, app, tokens.refresh_token)
  expect(await grants()).toEqual(await lastExpiry())
  expect(await grants()).not.toEqual(before)
  await service.sql(`DELETE FROM oauth_tokens WHERE grant_id IN (SELECT id FROM oauth_grants WHERE client_id = '${app.client_id}')`)
  const forget = (days: number) => forgetEndedOAuth({ connection: service.database, clock: () => new Date(Date.now() + days * 86_400_000), isStopping: () => false })
  await forget(90)
  expect(await grants()).toHaveLength(1)
  await forget(92)
  expect(await grants()).toEqual([])
})
