// What the mail provider reports of a mail: believed when it is signed, shown with the mail, noted in the activity, and warned of.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useMails } from '../fixtures/mails.ts'

const { service, org, invoice } = await useMails()

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

const PATH = '/internal/v1/mail/events'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const [SIGNATURE, TIMESTAMP] = ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp']
const signed = (body: string, key = privateKey, at = Date.now()) => {
  const timestamp = String(Math.floor(at / 1000))
  return { [TIMESTAMP]: timestamp, [SIGNATURE]: sign('sha256', Buffer.from(timestamp + body), key).toString('base64') }
}

describe('a request', () => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}${PATH}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

  test.each<[string, () => Record<string, string>]>([
    ['without a signature', () => ({})],
    ['signed with another key', () => signed('[]')],
  ])('%s is refused in the envelope', async (_what, headers) => {
    const answer = await send('[]', headers())
    expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ code: 'auth.invalid_token', request_id: expect.any(String) })])
  })

  test('that is too large is refused before it is read', async () => {
    const answer = await send('x'.repeat(5 * 1024 * 1024), signed('x'))
    expect([answer.status, ((await answer.json()) as Json).code]).toEqual([413, 'request.too_large'])
  })

  test('by another method is refused', async () => {
    const answer = await fetch(`${service.origin}${PATH}`)
    expect(answer.status).toBe(405)
  })
})

describe('of hostile senders', () => {
  const LIMIT = 7
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  let api: Awaited<ReturnType<typeof service.another>>
  beforeAll(async () => {
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    api = await service.another({ MAIL_EVENTS_PUBLIC_KEY: key, RATE_LIMIT_DEFAULT: String(LIMIT), TRUSTED_PROXIES: '127.0.0.0/8,::1' })
  })
  afterAll(() => api.close())

  const from = async (address: string, body: string, headers: Record<string, string>) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers } }
    const answer = await fetch(`${api.origin}${PATH}`, init)
    await answer.text()
    return answer
  }

  /** Sends a head that announces a body, and `begun` of it. Resolves when the server has the head; `answer` is its answer. */
  async function stall(address: string, headers: Record<string, string>, begun = ''): Promise<{ answer: Promise<string> }> {
    const { hostname, port } = new URL(api.origin)
    const socket = connect(Number(port), hostname)
    const lines = Object.entries({ 'X-Forwarded-For': address, 'Content-Length': '1000', Expect: '100-continue', ...headers })
    let text = ''
    const answer = new Promise<string>((resolve) => {
      socket.on('error', () => undefined).once('close', () => resolve(text.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '')))
    })
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      socket.on('data', (chunk) => {
        text += chunk
        if (text.includes('100 Continue')) resolve()
        if (/HTTP\/1.1 [2-5]/.test(text)) socket.end()
      })
      socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${begun}`)
    })
    return { answer }
  }

  test('one without a signature of this time is answered before its body comes', async () => {
    const old = signed('[]', privateKey, Date.now() - 3_600_000)
    const none: Record<string, string>[] = [{}, { [SIGNATURE]: signed('[]')[SIGNATURE]! }, { ...signed('[]'), [SIGNATURE]: 'x' }, old]
    const answers = await Promise.all(none.map(async (headers) => (await stall('198.51.100.1', headers)).answer))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 401 /)
  })

  test('bodies that stall keep the reports of the provider waiting for nothing, and end', async () => {
    const stalled = await Promise.all(Array.from({ length: 30 }, () => stall('198.51.100.2', signed('x', stranger), '[')))
    expect((await from('198.51.100.3', '[]', signed('[]'))).status).toBe(204)
    const answers = await Promise.all(stalled.map(({ answer }) => answer))
    const statuses = new Set(answers.map((answer) => answer.slice(9, 12)))
    expect(statuses).toContain('408')
    for (const status of statuses) expect(['408', '429', '503']).toContain(status)
  })

  test('bodies that stall from many addresses give way to those that come', async () => {
    const stalled = await Promise.all(Array.from({ length: 40 }, (_, n) => stall(`192.0.2.${n}`, signed('x', stranger), '[')))
    expect((await from('198.51.100.6', '[]', signed('[]'))).status).toBe(204)
    await Promise.all(stalled.map(({ answer }) => answer))
  })

  test('those without the signature of the provider count by their address; its own are taken all the same', async () => {
    const address = '198.51.100.4'
    const unsigned = [{}, signed('[]', stranger), signed('[ ]'), { [SIGNATURE]: 'x', [TIMESTAMP]: '1' }, {}, signed('x', stranger), {}]
    for (const [place, headers] of unsigned.entries()) {
      const refused = await from(address, '[]', headers)
      expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([401, String(LIMIT - 1 - place)])
    }
    for (const headers of unsigned) {
      const refused = await from(address, '[]', headers)
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    }
    expect((await from(address, '[]', signed('[]'))).status).toBe(204)
    expect((await from('198.51.100.5', '[]', {})).status).toBe(401)
  })
})
