// The public API called by a page of the console: whose call it is, what is repeated under a key, and what ends it at once.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { callAt, type CallOptions } from '../fixtures/client.ts'
import { addPerson, givePassword, OWN_PAGE, personWith, signIn, type Person } from '../fixtures/persons.ts'
import { codeOf, UNKNOWN } from '../fixtures/sign-ins.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService({ PUBLIC_URL: 'https://books.example' })

type PublicCall = (method: string, path: string, options?: CallOptions & { orgId?: string }) => ReturnType<typeof service.call>

/** Calls of the public API as a page of the console sends them. */
const consoleOf = ({ cookie }: Person, call = service.call): PublicCall => (method, path, { headers, orgId, ...options } = {}) =>
  call(method, path, { ...options, headers: { cookie, ...OWN_PAGE, ...(orgId === undefined ? {} : { 'x-svc-org': orgId }), ...headers } })

const contact = (name = 'Meena Sarees', key: string = randomUUID()) => ({ key, body: { contact_name: name, contact_type: 'CUSTOMER' } })

/** A person who is a user of two organisations. */
async function ofTwo() {
  const [first, second] = [await service.organization(), await service.organization()]
  const email = await addPerson(service, first.orgId, 'OWNER')
  await addPerson(service, second.orgId, 'ACCOUNTANT', email)
  await givePassword(service, first.orgId, email)
  return { first: first.orgId, second: second.orgId, person: await signIn(service, email) }
}

test('the person is the author of what they do, from the console', async () => {
  const { orgId, get } = await service.organization()
  const person = await personWith(service, orgId, 'ACCOUNTANT')
  const call = consoleOf(person)
  const { contact_id } = (await call('POST', '/contacts', contact())).body.contact
  const [user] = await service.sql<{ id: string }>('SELECT id FROM users WHERE org_id = $1 AND email = $2', orgId, person.email)
  const [entry] = (await get(`/activity?entity_id=${contact_id}`)).body.activity
  expect(entry).toMatchObject({ action: 'CONTACT_CREATED', actor_user_id: user!.id, metadata: { source: 'CONSOLE' } })
  const { token, organization } = (await call('GET', '/whoami')).body
  expect([token.user_id, token.tier, token.scopes.includes('Svc.invoices.CREATE'), organization.org_id]).toEqual([user!.id, 'DEFAULT', true, orgId])
})

test('the origin of the service is as good as Sec-Fetch-Site, and no other is', async () => {
  const { orgId } = await service.organization()
  const { cookie } = await personWith(service, orgId, 'OWNER')
  const from = (origin: string) => service.call('POST', '/contacts', { ...contact(), headers: { cookie, origin } })
  expect((await from('https://books.example')).status).toBe(201)
  for (const origin of ['http://books.example', 'https://books.example.evil.example', 'https://books.example:8443', service.origin])
    expect(codeOf(await from(origin))).toEqual(UNKNOWN)
})

test('X-Svc-Org names the organisation where there are several, and the role is the one in it', async () => {
  const { first, second, person } = await ofTwo()
  const call = consoleOf(person)
  const missing = await call('GET', '/whoami')
  expect([...codeOf(missing), missing.body.field]).toEqual([400, 'validation.required_field', 'X-Svc-Org'])
  for (const orgId of [first, second]) expect((await call('GET', '/whoami', { orgId })).body.organization.org_id).toBe(orgId)
  expect(codeOf(await call('GET', '/whoami', { orgId: first, headers: { 'x-svc-org': (await service.organization()).orgId } }))).toEqual([404, 'not_found.resource'])
})

test('a key is that of the person in one organisation, in every session of theirs', async () => {
  const { first, second, person } = await ofTwo()
  const create = (by: Person, orgId: string) => consoleOf(by)('POST', '/contacts', { ...contact('Meena Sarees', 'a-key'), orgId })
  const created = await create(person, first)
  const again = await create(await signIn(service, person.email), first)
  expect([again.text, again.headers['idempotency-replay']]).toEqual([created.text, 'true'])
  const others = [await create(person, second), await create(await personWith(service, first, 'OWNER'), first)]
  const ids = [created, ...others].map(({ status, headers, body }) => [status, headers['idempotency-replay'], body.contact.contact_id])
  expect(new Set(ids.map(([, , id]) => id)).size).toBe(3)
  expect(ids.map(([status, replay]) => [status, replay])).toEqual([[201, undefined], [201, undefined], [201, undefined]])
})

test('a session that has ended, a role and an organisation that were taken away hold at once, in every process', async () => {
  const other = await service.another()
  const { orgId } = await service.organization()
  const ended = async (end: (person: Person) => Promise<unknown>, refusal: unknown[]) => {
    const person = await personWith(service, orgId, 'OWNER')
    const calls = [consoleOf(person), consoleOf(person, callAt(`${other.origin}/api/public/v1`))]
    for (const call of calls) expect((await call('POST', '/contacts', contact(randomUUID()))).status).toBe(201)
    await end(person)
    for (const call of calls) {
      expect(codeOf(await call('GET', '/contacts'))).toEqual(refusal[0] === 403 ? [200, 0] : refusal)
      expect(codeOf(await call('POST', '/contacts', contact()))).toEqual(refusal)
    }
  }
  const aside = await personWith(service, orgId, 'OWNER')
  const userId = async ({ email }: Person) => (await service.sql<{ id: string }>('SELECT id FROM users WHERE org_id = $1 AND email = $2', orgId, email))[0]!.id
  await ended((person) => person.call('DELETE', '/session'), UNKNOWN)
  await ended(({ email }) => givePassword(service, orgId, email, 'another river'), UNKNOWN)
  await ended(async (person) => aside.call('PUT', `/members/${await userId(person)}`, { body: { role: 'VIEWER' } }), [403, 'auth.insufficient_scope'])
  await ended(async (person) => aside.call('DELETE', `/members/${await userId(person)}`), [400, 'validation.required_field'])
  await other.close()
})

test('a suspended organisation is closed to its people', async () => {
  const { orgId } = await service.organization()
  const call = consoleOf(await personWith(service, orgId, 'OWNER'))
  await service.call('POST', `/partner/organizations/${orgId}/suspend`, { partnerKey: service.partnerKey, key: randomUUID() })
  const suspended = [403, 'authz.organization_suspended']
  for (const path of ['/contacts', '/whoami']) expect(codeOf(await call('GET', path))).toEqual(suspended)
  for (const path of ['/contacts', '/echo']) expect(codeOf(await call('POST', path, contact()))).toEqual(suspended)
})

test('calls are counted by person, whatever sessions they have, beside those of tokens', async () => {
  const limited = await service.another({ RATE_LIMIT_DEFAULT: '5' })
  const at = callAt(`${limited.origin}/api/public/v1`)
  const client = await service.organization()
  const person = await personWith(service, client.orgId, 'VIEWER')
  const [call, elsewhere] = [consoleOf(person, at), consoleOf(await signIn(service, person.email), at)]
  const left = async (by: PublicCall) => Number((await by('GET', '/whoami')).headers['x-ratelimit-remaining'])
  expect([await left(call), await left(elsewhere), await left(call)]).toEqual([4, 3, 2])
  const token = await service.token(client.orgId)
  expect(Number((await at('GET', '/whoami', { token })).headers['x-ratelimit-remaining'])).toBe(4)
  await limited.close()
})

test('a call costs one round trip more than with a token that is remembered', async () => {
  const client = await service.organization()
  const call = consoleOf(await personWith(service, client.orgId, 'OWNER'))
  // The fewest of several: the pool is shared with what the process writes now and then.
  const trips = async (send: () => Promise<unknown>) => {
    const counts: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      const before = service.pool.roundTrips()
      await send()
      counts.push(service.pool.roundTrips() - before)
    }
    return Math.min(...counts)
  }
  expect(await trips(() => call('GET', '/contacts')) - (await trips(() => client.get('/contacts')))).toBe(1)
  expect(await trips(() => call('POST', '/contacts', contact(randomUUID()))) - (await trips(() => client.post('/contacts', contact(randomUUID()).body)))).toBe(1)
})

test('what a person downloads stays in no cache', async () => {
  const { orgId } = await service.organization()
  const call = consoleOf(await personWith(service, orgId, 'OWNER'))
  const form = new FormData()
  form.set('file', new Blob(['%PDF-1.4 a bill'], { type: 'application/pdf' }), 'bill.pdf')
  for (const answer of [await call('GET', '/invoices'), await call('GET', `/invoices/${randomUUID()}/pdf`), await call('POST', '/attachments', { body: form })])
    expect(answer.headers['cache-control']).toBe('no-store')
})
