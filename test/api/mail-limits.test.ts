// The bounds of mail: how many in a day, how large, and how much of the worker one organisation takes.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MAX_ATTACHMENT_BYTES } from '../../domain/mail.ts'
import { renderedKey } from '../../domain/render-run.ts'
import { findPrintKey } from '../../reports/print/print-key.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

// As long as it may be: those whom the provider does not answer wait while others are served.
const service = await useService({ MAIL_TIMEOUT_SECONDS: '25' })
beforeAll(() => service.startWorker(), 120_000)
afterAll(() => service.stopWorker())

const messages = async (): Promise<Json[]> => (await fetch(`${service.mailboxUrl}/messages`)).json() as Promise<Json[]>
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('of many calls at once exactly as many as the organisation may send in a day are taken', async () => {
  const own = await openOrganization(service)
  await service.sql(
    `INSERT INTO organization_preferences VALUES ($1, 'classic', '{}', '{"daily_limit": 20}', '{}', '{}', now())`,
    own.orgId,
  )
  const { invoice_id: id } = await own.invoice()
  // What is not done in its time on a busy machine is asked for again.
  const post = async (key = randomUUID()) => {
    for (;;) {
      const answer = await own.client.post(`/invoices/${id}/email`, { to: ['x@example.com'], attach_pdf: false }, key)
      if (answer.status !== 503) return answer
    }
  }
  const answers = await Promise.all(Array.from({ length: 100 }, () => post()))
  const counts = Object.entries(Object.groupBy(answers, ({ status }) => String(status))).map(([status, some]) => [status, some!.length])
  expect(counts).toEqual([['200', 20], ['409', 80]])
  expect((await service.sql('SELECT state, count(*)::integer AS count FROM emails WHERE org_id = $1 GROUP BY state', own.orgId))).toEqual([{ state: 'SENT', count: 20 }])
}, 120_000)

test('a subject of 500 characters arrives whole, whatever they are in UTF-16', async () => {
  const own = await openOrganization(service)
  const { invoice_id: id } = await own.invoice()
  for (const subject of ['😀'.repeat(500), 'क्षि'.repeat(125)]) {
    expect((await own.client.post(`/invoices/${id}/email`, { to: ['x@example.com'], attach_pdf: false, subject }, randomUUID())).status).toBe(200)
    expect((await messages())[0].subject).toBe(subject)
  }
})

test('a PDF that is too large to be mailed is refused, and nothing is sent', async () => {
  const own = await openOrganization(service)
  const { invoice_id: id } = await own.invoice()
  const input = { orgId: own.orgId, kind: 'INVOICE' as const, id: id as string }
  const printed = await findPrintKey({ connection: service.database, orgId: own.orgId }, input.kind, input.id)
  await service.blobs.write(renderedKey(input, printed!), Buffer.alloc(MAX_ATTACHMENT_BYTES + 1, '%PDF-'), { contentType: 'application/pdf' })
  const before = (await messages()).length
  const mail = (more: Json) => own.client.post(`/invoices/${id}/email`, { to: ['x@example.com'], ...more }, randomUUID())
  const { status, body } = await mail({})
  expect([status, body.code, body.field, body.details]).toEqual([400, 'validation.invalid_value', 'attach_pdf', { limit: MAX_ATTACHMENT_BYTES }])
  expect((await messages()).length).toBe(before)
  expect((await mail({ attach_pdf: false })).status).toBe(200)
})

test('mails that the provider does not answer, of some organisations, do not hold up those of another', async () => {
  const [quick, ...slow] = [await openOrganization(service), await openOrganization(service), await openOrganization(service)]
  const { invoice_id: invoice } = await quick!.invoice()
  const calls = await Promise.all(slow.map(async (own, place) => {
    const { invoice_id: id } = await own.invoice()
    const url = `${service.origin}/api/public/v1/invoices/${id}/email`
    const headers = { authorization: `Bearer ${own.client.token}`, 'content-type': 'application/json' }
    // More of one organisation than wait in a worker.
    return Array.from({ length: [40, 6][place]! }, (_, n) => (
      fetch(url, { method: 'POST', headers, body: JSON.stringify({ to: [`${n}@slow.test`], attach_pdf: false }) })
    ))
  }))
  const heldUp = async () => (await messages()).filter(({ to }) => to[0].endsWith('@slow.test')).length
  while ((await heldUp()) < 8) await pause(50)
  expect((await quick!.client.post(`/invoices/${invoice}/email`, { to: ['x@example.com'], attach_pdf: false }, randomUUID())).status).toBe(200)
  const states = `SELECT state, count(*)::integer AS count FROM emails WHERE org_id = $1 GROUP BY state ORDER BY state`
  for (const { orgId } of slow)
    expect(await service.sql(states, orgId)).toEqual([{ state: 'READY', count: expect.any(Number) }, { state: 'SENDING', count: 4 }])
  // The provider answers again, and each is sent, those too that had to wait elsewhere.
  const open = `SELECT 1 AS one FROM emails WHERE state IN ('READY', 'SENDING')`
  while ((await service.sql(open)).length > 0) {
    await fetch(`${service.mailboxUrl}/messages`, { method: 'DELETE' })
    await pause(50)
  }
  expect(await service.sql(states, slow[0]!.orgId)).toEqual([{ state: 'SENT', count: 40 }])
  expect(await service.sql(states, slow[1]!.orgId)).toEqual([{ state: 'SENT', count: 6 }])
  // 503 for a call that has waited its 30 seconds.
  for (const { status } of await Promise.all(calls.flat())) expect([200, 503]).toContain(status)
}, 120_000)
