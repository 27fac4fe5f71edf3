// Resets of passwords: the same answer for every address, a link that works once and for half an hour, and what it ends.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createMailLinks } from '../../commands/people/mail-links.ts'
import { isPassword } from '../../commands/people/passwords.ts'
import { answerResetRequests } from '../../worker/password-resets.ts'
import type { Json } from '../fixtures/client.ts'
import { addPerson, givePassword, personWith, signIn } from '../fixtures/persons.ts'
import { codeOf, UNKNOWN, useSignIns } from '../fixtures/sign-ins.ts'

const { service, orgId, page, plain, elsewhere } = await useSignIns()
const links = createMailLinks(service.env.ENCRYPTION_KEY!)
const ENDED = [400, 'validation.invalid_value']
const PASSWORD = 'a quiet harbour'

const ask = (email: string) => page('POST', '/password_resets', { body: { email }, headers: elsewhere() })
const answer = () => answerResetRequests({ connection: service.database, clock: () => new Date() })
const confirm = (token: string, password = PASSWORD) => page('POST', '/password_resets/confirm', { body: { token, password }, headers: elsewhere() })
const mailsTo = (email: string) => service.sql<Json>(
  `SELECT e.org_id, e.entity_id, e.subject, e.body_html FROM emails AS e JOIN email_recipients AS r ON r.org_id = e.org_id AND r.email_id = e.id
   WHERE r.address = $1 ORDER BY e.created_time`, email)
async function linkFor(email: string): Promise<string> {
  await ask(email)
  await answer()
  return links.tokenOf('PASSWORD_RESET', [(await mailsTo(email)).at(-1)!.entity_id])
}

test('every address has the same answer, by the same statements, and known ones a mail', async () => {
  const known = await addPerson(service, orgId, 'VIEWER')
  const emails = [known, ` ${known.toUpperCase()} `, `${randomUUID()}@nobody.example`, 'not an address', '']
  const answers = []
  const roundTrips = emails.map(() => Infinity)
  // What a process asks of its database once is not counted.
  await ask('')
  // The fewest of four, in turns: the pool is shared with what the process does beside the calls.
  for (let tries = 0; tries < 4; tries += 1) {
    for (const [index, email] of emails.entries()) {
      const before = service.pool.roundTrips()
      const { status, text } = await ask(email)
      roundTrips[index] = Math.min(roundTrips[index]!, service.pool.roundTrips() - before)
      answers.push([status, text])
    }
  }
  expect(new Set(answers.map(String)).size).toBe(1)
  expect(answers[0]![0]).toBe(202)
  expect(roundTrips).toEqual(emails.map(() => roundTrips[0]))
  expect((await service.sql('SELECT FROM password_reset_requests')).length).toBe(21)
  await Promise.all([answer(), answer()])
  await answer()
  expect(await service.sql('SELECT FROM password_reset_requests')).toEqual([])
  expect((await mailsTo(known)).length).toBe(8)
  expect((await service.sql('SELECT FROM emails')).length).toBe(8)
})

test('the mail begins with the public URL whatever the Host, and no table has the secret', async () => {
  const email = await addPerson(service, orgId, 'OWNER')
  await page('POST', '/password_resets', { body: { email }, headers: { ...elsewhere(), host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://books.example' } })
  await answer()
  const [mail] = await mailsTo(email)
  expect(mail).toMatchObject({ subject: 'Set a new password', body_html: expect.stringContaining('https://books.example/console/password?token={token}') })
  expect(JSON.stringify(mail)).not.toContain('evil')
  expect((await confirm('{token}')).status).toBe(400)
})

test('a link sets the password once, and ends every session and every other link', async () => {
  const person = await personWith(service, orgId, 'OWNER')
  const [first, second] = [await linkFor(person.email), await linkFor(person.email)]
  const refused = await confirm(first, 'short')
  expect([...codeOf(refused), refused.body.field]).toEqual([400, 'validation.invalid_value', 'password'])
  expect(codeOf(await confirm(first, person.email.toUpperCase()))).toEqual(ENDED)
  expect((await person.call('GET', '/session')).status).toBe(200)
  const set = await Promise.all([confirm(first), confirm(first, 'another harbour')])
  expect(set.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(codeOf(await person.call('GET', '/session'))).toEqual(UNKNOWN)
  for (const used of [first, second]) expect((await confirm(used)).body).toMatchObject({ code: 'validation.invalid_value', field: 'token' })
  const [{ password }] = (await service.sql<Json>('SELECT password FROM people WHERE email = $1', person.email)) as [Json]
  expect(await isPassword(set[0]!.status === 200 ? PASSWORD : 'another harbour', password)).toBe(true)
  const owner = await personWith(service, orgId, 'OWNER')
  const [user] = await service.sql<Json>(`SELECT id FROM users WHERE email = $1`, person.email)
  const entries = await service.sql<Json>(`SELECT entity_id, actor_user_id FROM activity WHERE action = 'PASSWORD_SET' AND actor_user_id IS NOT NULL`)
  expect(entries).toEqual([{ entity_id: user.id, actor_user_id: user.id }])
  expect(owner.email).not.toBe(person.email)
})

test('an owner without a password gets one, and may then sign in', async () => {
  const email = `${randomUUID()}@seeded.example`
  await service.organization({ user: { email } })
  expect((await confirm(await linkFor(email))).status).toBe(200)
  await signIn(service, email, PASSWORD)
})

test.each<[string, (token: string, id: string) => Promise<string> | string]>([
  ['half an hour later', async (token, id) => {
    await service.sql(`UPDATE password_resets SET expires_time = now() - interval '1 millisecond' WHERE id = $1`, id)
    return token
  }],
  ['with another signature', (_token, id) => createMailLinks(Buffer.alloc(32).toString('base64')).tokenOf('PASSWORD_RESET', [id])],
  ['made for an invitation', (_token, id) => links.tokenOf('INVITATION', [id])],
  ['for an id of nobody', () => links.tokenOf('PASSWORD_RESET', [randomUUID()])],
  ['cut', (token) => token.slice(0, -1)],
  ['with something behind it', (token) => `${token}A`],
  ['that is empty', () => ''],
])('a link %s is refused, and changes nothing', async (_what, changed) => {
  const person = await personWith(service, orgId, 'VIEWER')
  const token = await linkFor(person.email)
  const [{ entity_id: id }] = (await mailsTo(person.email)) as [Json]
  const refused = await confirm(await changed(token, id))
  expect([...codeOf(refused), refused.body.field]).toEqual([...ENDED, 'token'])
  await signIn(service, person.email)
})

test('the eleventh request of an account, or from an address, is 429 whether it is known or not', async () => {
  const known = await addPerson(service, orgId, 'VIEWER')
  await givePassword(service, orgId, known)
  for (const email of [known, `${randomUUID()}@nobody.example`]) {
    for (let times = 0; times < 10; times += 1) expect((await ask(email)).status).toBe(202)
    const eleventh = await ask(email.toUpperCase())
    expect([...codeOf(eleventh), eleventh.body.details.limit]).toEqual([429, 'rate_limit.exceeded', 10])
  }
  const headers = elsewhere()
  for (let times = 0; times < 10; times += 1) await page('POST', '/password_resets', { body: { email: `${randomUUID()}@nobody.example` }, headers })
  expect((await page('POST', '/password_resets', { body: { email: 'x@nobody.example' }, headers })).status).toBe(429)
  // Signing in is counted apart.
  await signIn(service, known)
})

test('pages of other sites and tokens are refused', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  for (const [path, body] of [['/password_resets', { email: 'x@example.com' }], ['/password_resets/confirm', { token: 'x', password: PASSWORD }]] as const) {
    expect(codeOf(await plain('POST', path, { body, headers }))).toEqual(UNKNOWN)
    expect(codeOf(await plain('POST', path, { body, token: 'svc_pat_x' }))).toEqual(UNKNOWN)
  }
})

test('so many requests may wait; further ones are 503 for every address, until the worker has answered them', async () => {
  const known = await addPerson(service, orgId, 'VIEWER')
  // Those of the tests above.
  await answer()
  const waiting = async () => Number((await service.sql<Json>('SELECT count(*) FROM password_reset_requests'))[0]!.count)
  await service.sql(
    `INSERT INTO password_reset_requests (id, email, origin, site, created_time)
     SELECT gen_random_uuid(), 'x' || n || '@nobody.example', '{}', 'https://books.example', now() - interval '1 minute' FROM generate_series(1, 9999) AS n`)
  expect((await ask(known)).status).toBe(202)
  const refused = []
  for (const email of [known, `${randomUUID()}@nobody.example`]) refused.push(await ask(email))
  expect(refused.map((one) => [...codeOf(one), one.headers['retry-after']])).toEqual([[503, 'service.unavailable', '60'], [503, 'service.unavailable', '60']])
  await answer()
  expect(await waiting()).toBe(9_000)
  await service.sql(`DELETE FROM password_reset_requests WHERE email LIKE 'x%@nobody.example'`)
  await answer()
  expect([await waiting(), (await mailsTo(known)).length]).toEqual([0, 1])
})

test('a request that fails holds up no other', async () => {
  const [first, second] = [await addPerson(service, orgId, 'VIEWER'), await addPerson(service, orgId, 'VIEWER')]
  for (const email of [first, second]) await ask(email)
  await service.sql(`CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$`)
  await service.sql(`CREATE TRIGGER refuse_removal BEFORE DELETE ON password_reset_requests FOR EACH ROW WHEN (OLD.email = '${first}') EXECUTE FUNCTION refuse_removal()`)
  await expect(answer()).rejects.toThrow('not this one')
  expect([(await mailsTo(first)).length, (await mailsTo(second)).length]).toEqual([0, 1])
  await service.sql('DROP FUNCTION refuse_removal CASCADE')
  await answer()
  expect((await mailsTo(first)).length).toBe(1)
})
