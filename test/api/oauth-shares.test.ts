// One app, or one person, that waits for a lock with many calls leaves connections for everybody else.
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { useService } from '../fixtures/use-service.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { asApp, authorizeUrl, connect, postForm, refresh, registerApp } from '../fixtures/oauth.ts'

const CALLS = 30
// Of the pool of 10 that a test's API has.
const MOST = 5

const service = await useService()
const [first, second, other] = [await service.organization({ name: 'First' }), await service.organization({ name: 'Second' }), await service.organization({ name: 'Other' })]
const app = await registerApp(service)
let connected: Awaited<ReturnType<typeof connect>>
let holder: pg.Client
beforeAll(async () => {
  connected = await connect(service, app, [first.orgId, second.orgId])
})
beforeEach(async () => {
  holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE oauth_tokens, oauth_grants, oauth_consents IN ACCESS EXCLUSIVE MODE')
})

const formTo = (path: string) => postForm(`${service.origin}/oauth/${path}`, { token: connected.tokens.access_token, ...asApp(app) })
// The person has two organisations and names none.
const withdrawn = () =>
  fetch(`${service.origin}/internal/v1/consents/${crypto.randomUUID()}`, {
    method: 'DELETE', headers: { cookie: connected.browser.cookie, 'sec-fetch-site': 'same-origin' },
  })

test.each<[string, () => Promise<{ status: number }>]>([
  ['refreshes', () => refresh(service, app, connected.tokens.refresh_token)],
  ['introspections', () => formTo('introspect')],
  ['revocations', () => formTo('revoke')],
  ['visits', () => connected.browser.get(authorizeUrl(service, app))],
  ['withdrawals of consents', withdrawn],
])('%s', async (_name, call) => {
  let answered = 0
  const calls = Array.from({ length: CALLS }, () => call().finally(() => (answered += 1)))
  try {
    await blockedBy(holder, 2)
    for (let times = 0; times < 5; times += 1) expect((await other.call('GET', '/contacts')).status).toBe(200)
    expect((await blockedBy(holder)).length).toBeLessThanOrEqual(MOST)
    // Nobody else had to wait until these gave up.
    expect(answered).toBe(0)
  } finally {
    await holder.query('ROLLBACK')
    await Promise.allSettled(calls)
    await holder.end()
  }
})
