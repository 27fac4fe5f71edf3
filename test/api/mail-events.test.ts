// What the mail provider reports of a mail: believed when it is signed, shown with the mail, noted in the activity, and warned of.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
let org: TestOrganization
let invoice: Json
beforeAll(async () => {
  await service.startWorker()
  org = await openOrganization(service)
  invoice = await org.sentInvoice()
}, 120_000)
afterAll(() => service.stopWorker())

async function mail(to: string[], more: Json = {}): Promise<Json> {
  const answer = await org.client.post(`/invoices/${invoice.invoice_id}/email`, { to, attach_pdf: false, ...more }, randomUUID())
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body
}
const play = async (messageId: string, event: string, email?: string): Promise<number> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ event, email }) }
  const answer = await fetch(`${service.mailboxUrl}/messages/${messageId}/events`, init)
  return ((await answer.json()) as Json).status
}
const recipientsOf = async (subject: string): Promise<Json[]> => {
  const { emails } = (await org.client.get(`/invoices/${invoice.invoice_id}/emails`)).body
  return emails.find((email: Json) => email.subject === subject).recipients
}
const entries = async (action: string): Promise<Json[]> => {
  const { activity } = (await org.client.get(`/activity?entity_type=INVOICE&entity_id=${invoice.invoice_id}`)).body
  return activity.filter((entry: Json) => entry.action === action)
}

describe('a report', () => {
  test('is shown with its recipient and noted in the activity, once, whatever comes twice or late', async () => {
    const { delivery, warnings } = await mail(['meena@example.com', 'asha@example.com'], { subject: 'Reports', bcc: ['hidden@example.com'] })
    expect(warnings).toEqual([])
    expect(await play(delivery.message_id, 'open', 'meena@example.com')).toBe(204)
    expect(await play(delivery.message_id, 'delivered')).toBe(204)
    expect(await play(delivery.message_id, 'delivered')).toBe(204)
    expect(await recipientsOf('Reports')).toMatchObject([
      { address: 'meena@example.com', status: 'OPENED', reported_at: expect.any(String) },
      { address: 'asha@example.com', status: 'DELIVERED' },
      { address: 'hidden@example.com', status: 'DELIVERED' },
    ])
    const delivered = await entries('EMAIL_DELIVERED')
    expect(delivered.map(({ metadata }) => metadata.to ?? null).toSorted()).toEqual(['asha@example.com', null])
    expect(await entries('EMAIL_OPENED')).toMatchObject([{ metadata: { to: 'meena@example.com', source: 'MAIL_PROVIDER' }, actor_user_id: null }])
    expect(JSON.stringify(await entries('EMAIL_DELIVERED'))).not.toContain('hidden')
  })

  test('of a bounce warns before the next mail to that address, until one arrives', async () => {
    const first = await mail(['Bounced@example.com'])
    await play(first.delivery.message_id, 'bounce')
    const second = await mail(['meena@example.com', 'bounced@EXAMPLE.com'])
    expect(second.warnings).toMatchObject([{
      code: 'email.undeliverable_address', details: { addresses: [{ address: 'Bounced@example.com', status: 'BOUNCED' }] },
    }])
    const [report] = (await org.client.get(`/invoices/${invoice.invoice_id}/emails`)).body.emails.at(1).recipients
    expect(report).toMatchObject({ status: 'BOUNCED', report: '550 5.1.1 The mailbox does not exist.' })
    await service.sql(`UPDATE email_recipients SET reported_at = reported_at - interval '1 hour' WHERE reported = 'BOUNCED'`)
    await play(second.delivery.message_id, 'delivered')
    expect((await mail(['bounced@example.com'])).warnings).toEqual([])
  })

  test('on a mail of another organisation changes nothing of it', async () => {
    const other = await openOrganization(service)
    const { delivery } = await mail(['meena@example.com'], { subject: 'Mine' })
    const message: Json = await (await fetch(`${service.mailboxUrl}/messages/${delivery.message_id}`)).json()
    const [{ email_id }] = (await org.client.get(`/invoices/${invoice.invoice_id}/emails`)).body.emails
    expect(message.custom_args).toEqual({ email_id, org_id: org.orgId })
    const reports = await service.sql(`SELECT count(*)::integer AS count FROM email_recipients WHERE org_id = '${other.orgId}'`)
    expect(reports).toEqual([{ count: 0 }])
    expect(await recipientsOf('Mine')).toMatchObject([{ status: 'SENT', reported_at: null }])
  })
})

describe('a request', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}/internal/v1/mail/events`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  const now = () => String(Math.floor(Date.now() / 1000))

  test.each<[string, () => Record<string, string>]>([
    ['without a signature', () => ({})],
    ['signed with another key', () => {
      const timestamp = now()
      const signature = sign('sha256', Buffer.from(`${timestamp}[]`), privateKey).toString('base64')
      return { 'x-twilio-email-event-webhook-timestamp': timestamp, 'x-twilio-email-event-webhook-signature': signature }
    }],
  ])('%s is refused in the envelope', async (_what, headers) => {
    const answer = await send('[]', headers())
    expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ code: 'auth.invalid_token', request_id: expect.any(String) })])
  })

  test('that is too large is refused before it is read', async () => {
    const answer = await send('x'.repeat(5 * 1024 * 1024))
    expect([answer.status, ((await answer.json()) as Json).code]).toEqual([413, 'request.too_large'])
  })

  test('by another method is refused', async () => {
    const answer = await fetch(`${service.origin}/internal/v1/mail/events`)
    expect(answer.status).toBe(405)
  })
})
