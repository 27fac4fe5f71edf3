// Mails to the people of an organisation: queued with their cause, sent once by the worker, and bounded.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { queueNotice, type Notice } from '../../commands/mail/notices.ts'
import { housekeeper } from '../../commands/documents/overdue.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { LATE_MS } from '../../domain/mail.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { findOrganizationFacts } from '../../models/token.ts'
import { forgetOldMails, startMailsLeft } from '../../worker/mails.ts'
import { answerResetRequests } from '../../worker/password-resets.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { pageOf, signIn } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'
import { until } from '../start/local-run.ts'

const service = await useService()
let org: TestOrganization
let engine: Engine
beforeAll(async () => {
  await service.startWorker()
  org = await openOrganization(service)
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey: encryptionKey! })
}, 120_000)
afterAll(async () => {
  await engine.close()
  await service.stopWorker()
})

async function queue(notice: Partial<Notice> = {}, orgId = org.orgId, fail = false): Promise<void> {
  const organization = (await findOrganizationFacts(service.database, orgId))!
  const context = { database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }
  await openBooks(context, housekeeper(organization), async (books) => {
    await queueNotice(books, {
      to: ['asha@example.com'], subject: 'A notice', text: 'Dear <Asha>,\n\nit happened.', about: { entityType: 'RECURRING', entityId: randomUUID() }, ...notice,
    })
    if (fail) throw new Error('refused')
  })
}
const messages = async (): Promise<Json[]> => (await fetch(`${service.mailboxUrl}/messages`)).json() as Promise<Json[]>
const start = (changes: { now?: number; sendsMail?: boolean } = {}) =>
  startMailsLeft({ connection: service.database, engine, sendsMail: changes.sendsMail ?? true, clock: () => new Date(changes.now ?? Date.now()) })
const open = () => service.sql<Json>(`SELECT id, state, refusal, reason FROM emails WHERE state IN ('READY', 'SENDING')`)

test('a notice is mailed once, after its transaction, to each person once', async () => {
  await queue({ to: ['asha@example.com', 'Asha@example.com', 'not an address', 'ravi@example.com'], subject: 'Paused\r\nBcc: x@example.com' })
  await start()
  await start()
  await until(async () => (await messages()).length > 0, 90_000, () => 'no mail')
  await until(async () => (await open()).length === 0, 90_000, () => 'not recorded')
  await start()
  const [mail, ...others] = await messages()
  expect(others).toEqual([])
  expect(mail).toMatchObject({ from: 'books@bahi.test', to: ['asha@example.com', 'ravi@example.com'], subject: 'Paused Bcc: x@example.com' })
  expect(mail.html).toContain('<p>Dear &lt;Asha&gt;,</p>\n<p>it happened.</p>')
  expect(await service.sql(`SELECT 1 FROM activity WHERE action = 'EMAIL_SENT'`)).toEqual([])
})

test('nothing is queued for nobody, for a sandbox, with a cause that fails, and beyond a hundred a day', async () => {
  const sandbox = await openOrganization(service, { sandbox: true })
  await queue({ to: [] })
  await queue({ to: ['@'] })
  await queue({}, sandbox.orgId)
  await expect(queue({}, org.orgId, true)).rejects.toThrow('refused')
  expect(await open()).toEqual([])
  const many = await openOrganization(service)
  for (let queued = 0; queued < 102; queued += 1) await queue({}, many.orgId)
  const [row] = await service.sql<Json>('SELECT count(*)::integer AS queued FROM emails WHERE org_id = $1', many.orgId)
  expect(row.queued).toBe(100)
  await service.sql('DELETE FROM emails WHERE org_id = $1', many.orgId)
})

test('while mail is off a notice waits, and is given up after a day', async () => {
  await queue({ subject: 'Late' })
  await start({ sendsMail: false })
  expect(await open()).toMatchObject([{ state: 'READY' }])
  await start({ sendsMail: false, now: Date.now() + LATE_MS + 60_000 })
  expect(await open()).toEqual([])
  expect(await service.sql(`SELECT state, refusal, reason FROM emails WHERE subject = 'Late'`))
    .toEqual([{ state: 'REJECTED', refusal: 'LATE', reason: 'It could not be sent within a day.' }])
})

test('a mail of a document whose call has died is sent, its outcome known', async () => {
  const invoice = await org.sentInvoice()
  const id = randomUUID()
  await service.sql(
    `INSERT INTO emails (org_id, id, purpose, entity_type, entity_id, entity_ref, state, sender, sender_name, subject, body_html, attach_pdf, tries, origin, created_time, last_modified_time)
     VALUES ($1, $2, 'DOCUMENT', 'INVOICE', $3, $4, 'READY', 'books@bahi.test', 'Ours', 'Left', '<p>x</p>', false, 0, '{}', now() - interval '1 minute', now() - interval '1 minute')`,
    org.orgId, id, invoice.invoice_id, invoice.invoice_number,
  )
  await service.sql(`INSERT INTO email_recipients (org_id, email_id, place, kind, address) VALUES ($1, $2, 0, 'TO', 'left@example.com')`, org.orgId, id)
  await start()
  await until(async () => (await open()).length === 0, 90_000, () => 'not sent')
  expect((await messages())[0]).toMatchObject({ subject: 'Left', to: ['left@example.com'] })
  const { emails } = (await org.client.get(`/invoices/${invoice.invoice_id}/emails`)).body
  expect(emails).toMatchObject([{ email_id: id, status: 'SENT' }])
})

test('a mail that a crash left being sent is not sent again: nobody knows', async () => {
  await queue({ subject: 'Crashed' })
  await service.sql(`UPDATE emails SET state = 'SENDING', sender = 'books@bahi.test', tries = 1, last_modified_time = now() - interval '1 hour' WHERE subject = 'Crashed'`)
  await start()
  await until(async () => (await open()).length === 0, 90_000, () => 'still being sent')
  expect(await service.sql(`SELECT state, tries FROM emails WHERE subject = 'Crashed'`)).toEqual([{ state: 'UNKNOWN', tries: 1 }])
  expect((await messages()).filter(({ subject }) => subject === 'Crashed')).toEqual([])
})

test('mails are removed with their PDFs when they are older than they are kept', async () => {
  const { orgId } = org
  const [first] = await service.sql<{ id: string }>(`SELECT id FROM emails WHERE state = 'SENT' AND org_id = $1 LIMIT 1`, orgId)
  const key = `${orgId}/mail/${first!.id}.pdf`
  await service.blobs.write(key, Buffer.from('%PDF'), { contentType: 'application/pdf' })
  await service.sql(`UPDATE emails SET attach_pdf = true, pdf_filename = 'a.pdf', pdf_bytes = 4, pdf_sha256 = 'x' WHERE id = $1`, first!.id)
  const forget = (days: number, now = Date.now()) =>
    forgetOldMails({ connection: service.database, blobs: service.blobs, retainMailDays: days, clock: () => new Date(now) })
  const DAY = 24 * 3_600_000
  await forget(0, Date.now() + 1_000 * DAY)
  await forget(365, Date.now() + 364 * DAY)
  expect(await service.sql('SELECT 1 FROM emails WHERE id = $1', first!.id)).toHaveLength(1)
  await forget(365, Date.now() + 368 * DAY)
  expect(await service.sql('SELECT 1 FROM emails')).toEqual([])
  expect(await service.sql('SELECT 1 FROM email_recipients')).toEqual([])
  expect(await service.blobs.read(key)).toBeNull()
})

test('the link of a reset is in the mail alone, for the owner of a sandbox too, and works', async () => {
  const email = `${randomUUID()}@seeded.example`
  await service.organization({ sandbox: true, user: { email } })
  const page = pageOf(service.origin)
  await page('POST', '/password_resets', { body: { email } })
  await answerResetRequests({ connection: service.database, clock: () => new Date() })
  await start()
  const mailed = async () => (await messages()).find(({ to }) => to.includes(email))
  await until(async () => (await mailed()) !== undefined, 30_000, () => 'no mail')
  const token = /token=([\w-]+)/.exec((await mailed())!.html)![1]!
  expect(JSON.stringify(await service.sql('SELECT * FROM emails'))).not.toContain(token)
  expect((await page('POST', '/password_resets/confirm', { body: { token, password: 'a quiet harbour' } })).status).toBe(200)
  await signIn(service, email, 'a quiet harbour')
  await until(async () => (await open()).length === 0, 30_000, () => 'not recorded')
})
