// Mails of documents: who gets what, what is refused, and what is known afterwards.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { creditNoteBody, estimateBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { created, openOrganization } from '../fixtures/organization.ts'
import { invoiceToPrint } from '../fixtures/rendering.ts'
import { useMails } from '../fixtures/mails.ts'

const { service, org, invoice } = await useMails()

const messages = async (): Promise<Json[]> => (await fetch(`${service.mailboxUrl}/messages`)).json() as Promise<Json[]>
const message = async (id: string): Promise<Json> => (await fetch(`${service.mailboxUrl}/messages/${id}`)).json()
const mail = (body: Json, path = `/invoices/${invoice.invoice_id}`, key = randomUUID()) =>
  org.client.post(`${path}/email`, { to: ['meena@example.com'], attach_pdf: false, ...body }, key)
const sent = async (body: Json = {}, path?: string): Promise<Json> => {
  const answer = await mail(body, path)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body.delivery
}
const activityOf = async (id: string, kind = 'INVOICE') =>
  (await org.client.get(`/activity?entity_type=${kind}&entity_id=${id}`)).body.activity.map(({ action }: Json) => action)

describe('a mail', () => {
  test('has a subject and a greeting of its own, and every field in the answer', async () => {
    const delivery = await sent()
    const [newest] = await messages()
    expect(delivery).toEqual({
      message_id: newest.message_id,
      from: 'books@bahi.test',
      to: ['meena@example.com'],
      cc: [],
      bcc_count: 0,
      subject: `Invoice ${invoice.invoice_number} from Chandni Chowk Traders`,
      attached_pdf: false,
      pdf_filename: null,
      pdf_size: null,
      sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    const read = await message(newest.message_id)
    expect(read).toMatchObject({ from: 'books@bahi.test', from_name: 'Chandni Chowk Traders', reply_to: null, to: ['meena@example.com'], subject: delivery.subject })
    expect(read.text).toBe(
      `Dear Meena Sarees,\n\nThis is about invoice ${invoice.invoice_number} for INR 100.00.\n\nWith kind regards,\nChandni Chowk Traders`,
    )
    expect(read.html).toContain('<p>Dear Meena Sarees,</p>')
  })

  test('of a draft or of a cancelled document says so, and answers a warning', async () => {
    const own = await org.invoice()
    const path = `/invoices/${own.invoice_id}`
    for (const said of ['It is a draft: nothing is due by it yet.', 'It is cancelled: nothing is due by it.']) {
      const { delivery, warnings } = (await mail({}, path)).body
      expect([warnings[0].code, (await message(delivery.message_id)).text]).toEqual(['email.not_in_force', expect.stringContaining(said)])
      for (const step of ['approve', 'void']) await org.client.post(`${path}/${step}`, {})
    }
  })
  test('goes to each recipient once, in the list that names it first', async () => {
    const delivery = await sent({ to: ['a@example.com', 'A@EXAMPLE.com', 'ब@मेल.भारत'.replace('ब', 'b')], cc: ['c@example.com', 'a@example.com'], bcc: ['c@example.com', 'hidden@example.com'] })
    expect(delivery).toMatchObject({ to: ['a@example.com', 'b@xn--r2bi6d.xn--h2brj9c'], cc: ['c@example.com'], bcc_count: 1 })
    expect(JSON.stringify(delivery)).not.toContain('hidden')
    expect((await messages())[0]).toMatchObject({ to: delivery.to, cc: delivery.cc, bcc: ['hidden@example.com'] })
  })

  test('never changes the document, and is noted in its activity, as an event, and in its list of mails', async () => {
    const own = await org.invoice()
    await sent({ subject: 'Your draft' }, `/invoices/${own.invoice_id}`)
    expect(await org.getInvoice(own.invoice_id)).toEqual(own)
    expect(await activityOf(own.invoice_id)).toEqual(expect.arrayContaining(['EMAIL_SENT', 'INVOICE_CREATED']))
    const { events } = (await org.client.get(`/webhooks/events?entity_id=${own.invoice_id}&event_type=invoice.sent`)).body
    expect(events).toMatchObject([{ event_type: 'invoice.sent', data: { id: own.invoice_id, number: own.invoice_number, status: 'DRAFT', total: 100 } }])
    const { emails, page_context } = (await org.client.get(`/invoices/${own.invoice_id}/emails`)).body
    expect(page_context.has_more_page).toBe(false)
    expect(emails).toMatchObject([{
      status: 'SENT', purpose: 'DOCUMENT', error: null, subject: 'Your draft', from: 'books@bahi.test',
      recipients: [{ kind: 'TO', address: 'meena@example.com', status: 'SENT', reported_at: null, report: null }],
    }])
  })

  test('is sent of estimates and of credit notes of customers, not of those of vendors', async () => {
    const { estimate } = await created(org.client.post('/estimates', estimateBody(org)))
    expect((await sent({}, `/estimates/${estimate.estimate_id}`)).subject).toBe(`Estimate ${estimate.estimate_number} from Chandni Chowk Traders`)
    expect(await activityOf(estimate.estimate_id, 'ESTIMATE')).toContain('EMAIL_SENT')
    const { credit_note: note } = await created(org.client.post('/credit_notes', creditNoteBody(org)))
    expect((await sent({}, `/credit_notes/${note.credit_note_id}`)).subject).toBe(`Credit note ${note.credit_note_number} from Chandni Chowk Traders`)
    const { credit_note: theirs } = await created(org.client.post('/credit_notes', creditNoteBody({ customerId: org.vendorId })))
    const refused = await mail({}, `/credit_notes/${theirs.credit_note_id}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'validation.invalid_value'])
  })

  test('has the sender and the address for replies that the organisation prefers', async () => {
    const other = await openOrganization(service)
    await service.sql(
      `INSERT INTO organization_preferences VALUES ($1, 'classic', '{}', '{"from_name": "Chandni, Delhi", "reply_to": "accounts@chandni.test", "daily_limit": 2}', '{}', '{}', now())`,
      other.orgId,
    )
    const { invoice_id: id } = await other.invoice()
    const post = () => other.client.post(`/invoices/${id}/email`, { to: ['x@example.com'], attach_pdf: false })
    const { delivery } = (await post()).body
    expect(await message(delivery.message_id)).toMatchObject({ from_name: 'Chandni, Delhi', reply_to: 'accounts@chandni.test' })
    expect((await post()).status).toBe(200)
    const beyond = await post()
    expect([beyond.status, beyond.body.code, beyond.body.details]).toEqual([409, 'conflict.limit_reached', { limit: 2 }])
  })
})

test('the PDF is attached, and kept as it was mailed', async () => {
  const own = await invoiceToPrint(org)
  const delivery = await sent({ attach_pdf: true }, `/invoices/${own.invoice_id}`)
  const [{ attachments: [file] }] = await messages()
  expect(delivery).toMatchObject({ attached_pdf: true, pdf_filename: `${own.invoice_number}.pdf`, pdf_size: file.size })
  expect(file).toMatchObject({ filename: `${own.invoice_number}.pdf`, type: 'application/pdf' })
  const content = Buffer.from(file.content, 'base64')
  expect(content.subarray(0, 5).toString()).toBe('%PDF-')
  const [{ email_id: id }] = (await org.client.get(`/invoices/${own.invoice_id}/emails`)).body.emails
  // The document changes, and is rendered anew; the mailed file does not.
  await org.client.put(`/invoices/${own.invoice_id}`, { notes: 'Changed since' })
  await sent({ attach_pdf: true }, `/invoices/${own.invoice_id}`)
  const { pdf_url } = (await org.client.get(`/invoices/${own.invoice_id}/emails`)).body.emails.find(({ email_id }: Json) => email_id === id)
  expect(Buffer.from(await (await fetch(pdf_url)).arrayBuffer()).equals(content)).toBe(true)
  expect((await messages())[0].attachments[0].content).not.toBe(file.content)
}, 180_000)

describe('what is mailed of HTML', () => {
  test('runs nothing, loads nothing, asks nothing, and has a text part', async () => {
    const body_html = `<html><head><style>p { color: red }</style><script>alert(1)</script></head><body onload="alert(2)">
      <h1 style="color: #a00; background: url(https://evil.test/x); position: fixed; width: 100px">Dear Meena</h1>
      <p onclick="x()">see <a href="javascript:alert(3)">this</a> and <a href="https://example.com/pay">pay</a></p>
      <form action="https://evil.test"><input name="password"><button>Send</button></form>
      <iframe src="https://evil.test"></iframe><object data="x"></object><img src="http://evil.test/p.gif"><img src="https://example.com/logo.png" alt="Logo">
      <svg><script>alert(4)</script></svg><math><mtext></mtext></math><base href="https://evil.test"><meta http-equiv="refresh" content="0"></body></html>`
    const { message_id } = await sent({ body_html })
    const { html, text } = await message(message_id)
    for (const gone of ['script', 'alert', 'onload', 'onclick', 'javascript', 'form', 'input', 'iframe', 'object', 'svg', 'evil.test', 'position', 'url(', 'refresh', 'base', 'style>'])
      expect(html).not.toContain(gone)
    for (const kept of ['Dear Meena', 'style="color:#a00;width:100px"', 'href="https://example.com/pay"', 'src="https://example.com/logo.png"']) expect(html).toContain(kept)
    expect(text).toMatch(/^DEAR MEENA\n\nsee this and pay \[https:\/\/example\.com\/pay\]/)
  })

  test.each([
    ['nothing that is left', '<script>1</script>'],
    ['only a comment', '<!-- -->'],
    ['only space', '  \n '],
    ['deep nesting', '<div>'.repeat(9_000)],
    ['unclosed tags', '<a href="'.repeat(5_000)],
    ['many entities', '&amp;'.repeat(9_000)],
    ['wide tables', `<table>${'<tr><td>x</td></tr>'.repeat(2_500)}</table>`],
    ['many styles', `<p style="${'color:red;'.repeat(4_900)}">x</p>`],
  ])('%s is mailed all the same', async (_name, body_html) => {
    const { message_id } = await sent({ body_html: body_html.slice(0, 50_000), subject: 'The subject' })
    const { html, text } = await message(message_id)
    expect([html.length > 50, text.length > 0]).toEqual([true, true])
  })
})

describe('a request', () => {
  test.each<[string, Json, Json]>([
    ['without recipients', { to: [] }, [['to', 'too_few']]],
    ['without to', { to: undefined }, [['to', 'required']]],
    ['with text for a list', { to: 'a@example.com' }, [['to', 'type']]],
    ['with bad addresses', { to: ['nobody'], cc: ['a@b', 'ok@example.com'], bcc: ['a@example.com\r\nBcc: b@example.com'] },
      [['to.0', 'format'], ['cc.0', 'format'], ['bcc.0', 'format']]],
    ['with a name', { to: ['Meena, K <meena@example.com>'] }, [['to.0', 'format']]],
    ['with a line of its own for a header', { subject: 'Hello\r\nBcc: x@example.com' }, [['subject', 'format']]],
    ['with another kind of line', { subject: 'Hello\u2028Bcc' }, [['subject', 'format']]],
    ['with a long subject', { subject: 'x'.repeat(501) }, [['subject', 'too_long']]],
    ['with a long text', { body_html: 'x'.repeat(50_001) }, [['body_html', 'too_long']]],
    ['for a boolean', { attach_pdf: 'yes' }, [['attach_pdf', 'type']]],
    ['for too many in all', { to: Array.from({ length: 30 }, (_, n) => `a${n}@example.com`), cc: Array.from({ length: 21 }, (_, n) => `b${n}@example.com`) }, [['to', 'too_many']]],
  ])('%s is refused with every problem', async (_name, body, problems) => {
    const { status, body: answer } = await mail(body)
    expect([status, answer.code]).toEqual([422, 'validation.failed'])
    expect(answer.errors.map(({ field, code }: Json) => [field, code])).toEqual(problems)
  })

  test('of a document that is not there is 404, also where mail is off', async () => {
    expect((await mail({}, `/invoices/${randomUUID()}`)).status).toBe(404)
    expect((await org.client.get(`/invoices/${randomUUID()}/emails`)).status).toBe(404)
    const off = await service.another({ MAIL_API_URL: '', SENDGRID_API_KEY: '', MAIL_FROM: '' })
    const post = (id: string) => fetch(`${off.origin}/api/public/v1/invoices/${id}/email`, {
      method: 'POST', headers: { authorization: `Bearer ${org.client.token}`, 'content-type': 'application/json' }, body: '{"to":["a@example.com"]}',
    })
    expect((await post(randomUUID())).status).toBe(404)
    const refused = await post(invoice.invoice_id)
    expect([refused.status, ((await refused.json()) as Json).code]).toEqual([503, 'service.unavailable'])
    await off.close()
  })

  test('needs the scope of a change, and mails are read with that of reading', async () => {
    const token = await service.token(org.orgId, { scopes: ['Svc.invoices.READ'] })
    const { status, body } = await service.call('POST', `/invoices/${invoice.invoice_id}/email`, { token, body: { to: ['a@example.com'] } })
    expect([status, body.code]).toEqual([403, 'auth.insufficient_scope'])
    expect((await service.call('GET', `/invoices/${invoice.invoice_id}/emails`, { token })).status).toBe(200)
  })

  test('with a key that was used is answered as before and sends nothing more', async () => {
    const key = randomUUID()
    const first = await mail({ subject: 'Once' }, undefined, key)
    const again = await mail({ subject: 'Once' }, undefined, key)
    expect([again.status, again.headers['idempotency-replay'], again.body]).toEqual([200, 'true', first.body])
    expect((await messages()).filter(({ subject }) => subject === 'Once')).toHaveLength(1)
  })
})

describe('an outcome', () => {
  test('that the provider refuses is 502 with its reason, and the same after a repeat', async () => {
    const key = randomUUID()
    for (const _ of [1, 2]) {
      const { status, body } = await mail({ to: ['nobody@reject.test'], subject: 'Refused' }, undefined, key)
      expect([status, body.code]).toEqual([502, 'email.send_failed'])
      expect(body.message).toBe('The mail was not sent. The address nobody@reject.test is refused: it is on the suppression list.')
      expect(body.details).toEqual({ email_id: expect.any(String), status: 'REJECTED' })
    }
    const { emails } = (await org.client.get(`/invoices/${invoice.invoice_id}/emails?per_page=1`)).body
    expect(emails).toMatchObject([{ status: 'REJECTED', subject: 'Refused', sent_at: null, recipients: [{ status: 'REJECTED' }] }])
  })

  test.each([['lost'], ['error']])('that nobody knows (%s) is 502, and never sent again', async (how) => {
    const [key, subject] = [randomUUID(), `Unknown ${how}`]
    for (const _ of [1, 2]) {
      const { status, body } = await mail({ to: [`x@${how}.test`], subject }, undefined, key)
      expect([status, body.code, body.details.status]).toEqual([502, 'email.send_failed', 'UNKNOWN'])
      expect(body.message).toMatch(/^It is not known whether the mail was sent, and it is not sent again\. /)
    }
    expect((await messages()).filter((one) => one.subject === subject)).toHaveLength(how === 'lost' ? 1 : 0)
    expect((await service.sql<Json>('SELECT tries FROM emails WHERE subject = $1', subject))).toEqual([{ tries: 1 }])
  })

  test('of a sandbox organisation is a success, and nothing is sent', async () => {
    const sandbox = await openOrganization(service, { sandbox: true })
    const { invoice_id: id } = await sandbox.invoice()
    const before = (await messages()).length
    const { status, body } = await sandbox.client.post(`/invoices/${id}/email`, { to: ['nobody@reject.test'], attach_pdf: false })
    expect([status, body.delivery.to, body.delivery.message_id]).toEqual([200, ['nobody@reject.test'], expect.stringMatching(/^sandbox-/)])
    expect((await messages()).length).toBe(before)
  })
})

test('the mails of a document come in pages, newest first, those of others apart', async () => {
  const own = await org.invoice()
  for (const subject of ['1', '2', '3']) await sent({ subject }, `/invoices/${own.invoice_id}`)
  const first = (await org.client.get(`/invoices/${own.invoice_id}/emails?per_page=2`)).body
  expect(first.emails.map(({ subject }: Json) => subject)).toEqual(['3', '2'])
  const second = (await org.client.get(`/invoices/${own.invoice_id}/emails?per_page=2&cursor=${first.page_context.next_cursor}`)).body
  expect([second.emails.map(({ subject }: Json) => subject), second.page_context.has_more_page]).toEqual([['1'], false])
  const foreign = await org.client.get(`/invoices/${invoice.invoice_id}/emails?cursor=${first.page_context.next_cursor}`)
  expect([foreign.status, foreign.body.field]).toEqual([400, 'cursor'])
  const stranger = await openOrganization(service)
  expect((await stranger.client.get(`/invoices/${own.invoice_id}/emails`)).status).toBe(404)
})
