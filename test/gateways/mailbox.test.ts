// The mailbox: what it takes, refuses and shows.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMailbox, type Mailbox } from '../../bin/mailbox/server.ts'

interface Listed {
  message_id: string; from: string; to: string[]; cc: string[]; bcc: string[]; subject: string; html: string
  attachments: { filename: string; type: string; size: number; content: string }[]; received_at: string
}

const folder = mkdtempSync(join(tmpdir(), 'bahi-mailbox-'))
let mailbox: Mailbox
beforeAll(async () => {
  mailbox = await openMailbox({ port: 0, folder, limits: { messages: 12, bytes: 1_000_000 } })
})
afterAll(async () => {
  await mailbox.close()
  rmSync(folder, { recursive: true, force: true })
})

const messages = async (): Promise<Listed[]> => (await fetch(`${mailbox.url}/messages`)).json() as Promise<Listed[]>
const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${mailbox.url}/v3/mail/send`, {
    method: 'POST',
    headers: { authorization: 'Bearer SG.x', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
/** A whole mail, as the provider's client sends it. */
const mail = ({ cc = [], bcc = [], attachment, ...changes }: { cc?: string[]; bcc?: string[]; subject?: string; attachment?: { filename: string; type: string; content: Buffer } } = {}) => ({
  from: { email: 'books@bahi.test', name: 'Asha Traders, Pune' },
  reply_to: { email: 'asha@asha.test' },
  personalizations: [{ to: [{ email: 'meena@example.com' }], cc: cc.map((email) => ({ email })), bcc: bcc.map((email) => ({ email })), custom_args: { email_id: 'e1' } }],
  subject: 'Invoice INV-1 from Asha Traders, Pune {{name}}',
  content: [{ type: 'text/plain', value: 'Dear Meena, {{name}}' }, { type: 'text/html', value: '<p>Dear Meena &amp; others</p><script>alert(1)</script>' }],
  ...(attachment ? { attachments: [{ ...attachment, content: attachment.content.toString('base64') }] } : {}),
  ...changes,
})
const whole = () => ({
  personalizations: [{ to: [{ email: 'a@example.com' }], subject: 'Hello' }],
  from: { email: 'books@bahi.test' },
  content: [{ type: 'text/plain', value: 'Hello' }],
})

describe('a mail that is taken', () => {
  test('is listed as it was sent, newest first, with the fields of the list and no others', async () => {
    const content = Buffer.from('%PDF-1.7 …')
    const attachment = { filename: 'INV-1 मीना.pdf', type: 'application/pdf', content }
    await post(mail({ subject: 'First' }))
    const answer = await post(mail({ cc: ['c@example.com'], bcc: ['b@example.com'], attachment }))
    const [newest, older] = await messages()
    expect([answer.status, answer.headers.get('x-message-id')]).toEqual([202, newest!.message_id])
    expect(older!.subject).toBe('First')
    expect(newest).toEqual({
      message_id: expect.stringMatching(/^[\w-]{22}$/),
      from: 'books@bahi.test',
      to: ['meena@example.com'],
      cc: ['c@example.com'],
      bcc: ['b@example.com'],
      subject: 'Invoice INV-1 from Asha Traders, Pune {{name}}',
      html: '<p>Dear Meena &amp; others</p><script>alert(1)</script>',
      attachments: [{ filename: 'INV-1 मीना.pdf', type: 'application/pdf', size: content.length, content: content.toString('base64') }],
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    const more = (await (await fetch(`${mailbox.url}/messages/${newest!.message_id}`)).json()) as Record<string, unknown>
    expect(more).toMatchObject({ from_name: 'Asha Traders, Pune', reply_to: 'asha@asha.test', text: 'Dear Meena, {{name}}', custom_args: { email_id: 'e1' } })
  })

  test('is shown to people in a frame that runs nothing, with its attachments to download', async () => {
    const attachment = { filename: 'a"b\u0000.html', type: 'text/html', content: Buffer.from('<script>') }
    await post(mail({ subject: '<script>alert(2)</script>', attachment }))
    const [{ message_id: id } = { message_id: '' }] = await messages()
    const list = await (await fetch(mailbox.url)).text()
    expect(list).not.toContain('<script>alert(2)')
    expect(list).toContain(`/messages/${id}/page`)
    const page = await fetch(`${mailbox.url}/messages/${id}/page`)
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect(await page.text()).toContain(`<iframe sandbox="" title="The message as it is read" src="/messages/${id}/html">`)
    const html = await fetch(`${mailbox.url}/messages/${id}/html`)
    expect(html.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
    const file = await fetch(`${mailbox.url}/messages/${id}/attachments/0`)
    expect([file.headers.get('content-type'), file.headers.get('content-disposition'), await file.text()]).toEqual([
      'application/octet-stream', `attachment; filename*=UTF-8''a%22b%00.html`, '<script>',
    ])
    expect((await fetch(`${mailbox.url}/messages/${id}/attachments/1`)).status).toBe(404)
    expect((await fetch(`${mailbox.url}/messages/..%2F..%2Fetc`)).status).toBe(404)
  })

  test('is there after a restart, and the oldest make room', async () => {
    const before = await messages()
    await mailbox.close()
    mailbox = await openMailbox({ port: 0, folder, limits: { messages: 12, bytes: 1_000_000 } })
    expect(await messages()).toEqual(before)
    for (let sent = 0; sent < 12; sent += 1) await post({ ...whole(), subject: `${sent}` })
    expect((await messages()).map(({ subject }) => subject)).toHaveLength(12)
    const large = [{ filename: 'a.bin', type: 'application/octet-stream', content: Buffer.alloc(400_000).toString('base64') }]
    for (let sent = 0; sent < 3; sent += 1) await post({ ...whole(), attachments: large })
    expect((await messages()).length).toBeLessThan(12)
    expect((await messages())[0]!.attachments).toHaveLength(1)
  })
})

describe('a mail that is refused', () => {
  test('is named with the reason in the words of the provider', async () => {
    expect(await (await post(mail({ cc: ['nobody@Reject.test'] }))).json()).toEqual({
      errors: [{ message: 'The address nobody@Reject.test is refused: it is on the suppression list.', field: 'personalizations.0.cc', help: null }],
    })
  })

  test('as a provider may answer', async () => {
    const to = (email: string) => post({ ...mail(), personalizations: [{ to: [{ email }] }] })
    expect([(await to('a@busy.test')).status, (await to('a@error.test')).status]).toEqual([429, 500])
    await expect(to('taken@lost.test')).rejects.toThrow('fetch failed')
    expect((await messages())[0]!.to).toEqual(['taken@lost.test'])
  })

  test.each([
    ['no body', null, 400, null],
    ['no sender', { ...whole(), from: undefined }, 400, 'from.email'],
    ['no recipients', { ...whole(), personalizations: [] }, 400, 'personalizations'],
    ['too many personalizations', { ...whole(), personalizations: Array(1001).fill(whole().personalizations[0]) }, 400, 'personalizations'],
    ['an empty list', { ...whole(), personalizations: [{ to: [], subject: 'x' }] }, 400, 'personalizations.0.to'],
    ['a bad address', { ...whole(), personalizations: [{ to: [{ email: 'a b@c.d' }], subject: 'x' }] }, 400, 'personalizations.0.to.0.email'],
    ['one recipient twice', { ...whole(), personalizations: [{ to: [{ email: 'a@b.cd' }], cc: [{ email: 'A@b.cd' }], subject: 'x' }] }, 400, 'personalizations.0'],
    ['no subject', { ...whole(), personalizations: [{ to: [{ email: 'a@b.cd' }] }] }, 400, 'subject'],
    ['a subject of two lines', { ...whole(), personalizations: [{ to: [{ email: 'a@b.cd' }], subject: 'a\r\nBcc: x@y.z' }] }, 400, 'subject'],
    ['no content', { ...whole(), content: [] }, 400, 'content'],
    ['empty content', { ...whole(), content: [{ type: 'text/plain', value: '' }] }, 400, 'content.0.value'],
    ['an attachment that is not base64', { ...whole(), attachments: [{ filename: 'a', content: '%' }] }, 400, 'attachments.0.content'],
  ])('with %s', async (_name, body, status, field) => {
    const answer = await post(body)
    const { errors } = (await answer.json()) as { errors: { field: string | null; message: string }[] }
    expect([answer.status, errors[0]!.field]).toEqual([status, field])
    expect(errors[0]!.message).not.toBe('')
  })

  test('without a key, and above 30 MB', async () => {
    expect((await post(whole(), { authorization: '' })).status).toBe(401)
    const large = await post({ ...whole(), subject: 'x'.repeat(31 * 1024 * 1024) }).catch(() => null)
    expect(large?.status ?? 413).toBe(413)
  })
})
