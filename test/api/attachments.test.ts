// Attachments: what is uploaded is downloaded, listed, limited, and deleted, whatever the file store does.
import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Client, Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { NO_SUCH_ENTITY, upload, uploadForm, type Upload } from '../fixtures/uploads.ts'
import { useService } from '../fixtures/use-service.ts'

const MAX_BYTES = 3_000_000
const service = await useService({ MAX_UPLOAD_BYTES: String(MAX_BYTES) })
const org = await openOrganization(service)
const { client } = org

const add = async (sent: Upload = {}, as: Client = client): Promise<Json> => {
  const { status, body, text } = await upload(as, sent)
  expect([status, text]).toEqual([201, expect.any(String)])
  return body.attachment
}
const keysOf = async (orgId: string): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of service.blobs.list(`${orgId}/attachments/`)) keys.push(key)
  return keys
}
const rowsOf = (orgId: string) => service.sql<{ id: string }>('SELECT id FROM attachments WHERE org_id = $1', orgId)
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000', 'hex'), Buffer.alloc(64)])

describe('an upload', () => {
  test('answers all its fields, and its URL gives the file back', async () => {
    const invoice = await org.invoice()
    const content = 'Delivered in two parcels, नमस्ते.'
    const attachment = await add({ content, filename: 'note.txt', fields: { entity_id: invoice.invoice_id, description: 'From the driver' } })
    expect(attachment).toEqual({
      attachment_id: expect.any(String), entity_type: 'INVOICE', entity_id: invoice.invoice_id, filename: 'note.txt', content_type: 'text/plain',
      size_bytes: Buffer.byteLength(content), description: 'From the driver', download_url: expect.stringMatching(/^http/),
      uploaded_by_user_id: expect.any(String), created_time: expect.stringMatching(/Z$/),
    })
    const file = await fetch(attachment.download_url)
    expect([file.status, await file.text(), file.headers.get('content-type')]).toEqual([200, content, 'text/plain'])
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="note.txt"; filename*=UTF-8''note.txt`)
    const [row] = await service.sql<{ hash: string }>(`SELECT encode(sha256, 'hex') AS hash FROM attachments WHERE id = $1`, attachment.attachment_id)
    expect(row!.hash).toBe(createHash('sha256').update(content).digest('hex'))
  })

  test('of the user of the token is theirs', async () => {
    const userId = (await service.sql<{ id: string }>('SELECT id FROM users WHERE org_id = $1', client.orgId))[0]!.id
    const token = await service.token(client.orgId, { userId })
    expect((await add({}, { ...client, post: (path, body) => service.call('POST', path, { token, body }) })).uploaded_by_user_id).toBe(userId)
  })

  test('may have its file before its fields, and a record that does not exist', async () => {
    expect((await add({ fileFirst: true, content: png, filename: 'a.png' })).content_type).toBe('image/png')
  })

  test('of many megabytes comes back whole', async () => {
    const content = new Uint8Array(MAX_BYTES)
    for (let place = 0; place < content.length; place += 1) content[place] = (place * 31) % 251
    const { download_url, size_bytes } = await add({ content, filename: 'big.bin' })
    expect(size_bytes).toBe(MAX_BYTES)
    expect(Buffer.from(await (await fetch(download_url)).arrayBuffer()).equals(Buffer.from(content))).toBe(true)
  })

  test('stands in the log of its document, and so does its deletion', async () => {
    const { invoice_id, invoice_number } = await org.invoice()
    const { attachment_id } = await add({ fields: { entity_id: invoice_id } })
    expect((await client.delete(`/attachments/${attachment_id}`)).status).toBe(200)
    const { body } = await client.get(`/invoices/${invoice_id}/activity`)
    const about = { entity_type: 'INVOICE', entity_id: invoice_id, entity_ref: invoice_number, metadata: expect.objectContaining({ attachment_id, filename: 'note.txt' }) }
    expect(body.activity.slice(0, 2)).toEqual([
      expect.objectContaining({ action: 'ATTACHMENT_DELETED', ...about }), expect.objectContaining({ action: 'ATTACHMENT_ADDED', ...about }),
    ])
  })
})

describe('the type is that of the content, and nothing runs', () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, string, string]>([
    ['photo.png', png, 'image/png', 'image/png'],
    ['invoice.pdf', '%PDF-1.7\n%âãÏÓ\n', 'application/pdf', 'application/pdf'],
    ['invoice.pdf', '<!doctype html><script>alert(1)</script>', 'text/plain', 'text/plain'],
    ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'text/plain', 'text/plain'],
    ['books.xml', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 'application/xml', 'application/octet-stream'],
    ['list.csv', 'a,b\n1,2\n', 'text/csv', 'text/csv'],
    ['page.html', new Uint8Array([0xff, 0xfe, 0x00, 0x01]), 'application/octet-stream', 'application/octet-stream'],
    ['setup.txt', 'MZ\u0090\0\u0003\0', 'application/x-msdownload', 'application/octet-stream'],
  ])('%s of %s', async (filename, content, type, served) => {
    const attachment = await add({ filename, content, type: 'image/svg+xml' })
    expect(attachment.content_type).toBe(type)
    const { headers } = await fetch(attachment.download_url)
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([served, expect.stringMatching(/^attachment;/)])
  })
})

describe('the name is without path and unseen characters', () => {
  test.each([
    ['../../etc/passwd', 'passwd'], ['C:\\Users\\asha\\bill.pdf', 'bill.pdf'], ['photo\u202egpj.exe', 'photogpj.exe'], ['बिल ७.pdf', 'बिल ७.pdf'],
    ['..', 'file'], ['a/b/', 'file'], [`${'क'.repeat(200)}.pdf`, `${'क'.repeat(83)}.pdf`], [' spaced out .txt ', 'spaced out .txt'], ['a\u0000b\u0007.txt', 'ab.txt'],
  ])('%j', async (filename, name) => {
    const attachment = await add({ filename })
    expect(attachment.filename).toBe(name)
    expect((await fetch(attachment.download_url)).headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
  })
})

describe('a refused upload leaves nothing', () => {
  const refusals: [string, Upload, number, Json][] = [
    ['an empty file', { content: '' }, 400, { code: 'validation.invalid_value', field: 'file' }],
    ['an unknown type of record', { fields: { entity_type: 'RECEIPT' } }, 400, { code: 'validation.invalid_value', field: 'entity_type', details: { valid: expect.arrayContaining(['INVOICE', 'CONTACT']) } }],
    ['an id that is none', { fields: { entity_id: 'nonsense' }, fileFirst: true }, 422, { code: 'validation.failed', errors: [expect.objectContaining({ field: 'entity_id' })] }],
    ['a long description', { fields: { description: 'x'.repeat(1_001) } }, 422, { code: 'validation.failed', errors: [expect.objectContaining({ field: 'description', code: 'too_long' })] }],
    ['text that cannot be stored', { fields: { description: 'a\0b' } }, 422, { code: 'validation.failed', errors: [expect.objectContaining({ field: 'description' })] }],
    ['a file that is one byte too large', { content: new Uint8Array(MAX_BYTES + 1) }, 413, { code: 'validation.invalid_value', details: { max_bytes: MAX_BYTES, received_bytes: MAX_BYTES + 1 } }],
    ['a file that is a megabyte too large', { content: new Uint8Array(MAX_BYTES + 1_000_000) }, 413, { details: { max_bytes: MAX_BYTES, received_bytes: MAX_BYTES + 1_000_000 } }],
  ]
  test.each(refusals)('%s', async (_name, sent, status, told) => {
    const own = await openOrganization(service)
    const refused = await upload(own.client, sent)
    expect([refused.status, refused.body]).toEqual([status, expect.objectContaining(told)])
    expect([await rowsOf(own.client.orgId), await keysOf(own.client.orgId)]).toEqual([[], []])
    // The refusal is stored under its key, and the same answer comes again.
    const key = randomUUID()
    const [first, second] = [await upload(own.client, sent, key), await upload(own.client, sent, key)]
    expect([second.text, second.headers['idempotency-replay']]).toEqual([first.text, 'true'])
  })
})

describe('a key', () => {
  test('gives the same answer again and keeps one file, whatever the boundary', async () => {
    const own = await openOrganization(service)
    const key = randomUUID()
    const first = await upload(own.client, {}, key)
    const again = await upload(own.client, { fileFirst: true }, key)
    expect([again.status, again.text, again.headers['idempotency-replay'], again.headers['idempotency-body-mismatch']]).toEqual([201, first.text, 'true', undefined])
    const other = await upload(own.client, { content: 'Another.' }, key)
    expect([other.text, other.headers['idempotency-body-mismatch']]).toEqual([first.text, 'true'])
    const named = await upload(own.client, { fields: { description: 'Another' } }, key)
    expect(named.headers['idempotency-body-mismatch']).toBe('true')
    expect([(await rowsOf(own.client.orgId)).length, (await keysOf(own.client.orgId)).length]).toEqual([1, 1])
  })

  test('of two calls at once makes one attachment', async () => {
    const own = await openOrganization(service)
    const key = randomUUID()
    const answers = await Promise.all([1, 2, 3].map(() => upload(own.client, { content: new Uint8Array(1_000_000) }, key)))
    const codes = answers.map(({ status, body }) => body.code || status)
    expect(codes.filter((code) => code === 201 || code === 'idempotency.in_progress')).toHaveLength(3)
    expect([(await rowsOf(own.client.orgId)).length, (await keysOf(own.client.orgId)).length]).toEqual([1, 1])
  })
})

describe('a list', () => {
  test('is by record and by type, the newest first, in pages, with fresh URLs', async () => {
    const own = await openOrganization(service)
    const [first, second] = [randomUUID(), randomUUID()]
    const made: string[] = []
    for (const [entity_type, entity_id] of [['INVOICE', first], ['BILL', second], ['INVOICE', first], ['CONTACT', second]] as const) {
      made.push((await add({ fields: { entity_type, entity_id } }, own.client)).attachment_id)
    }
    const list = async (query: string) => (await own.client.get(`/attachments?${query}`)).body
    const ids = async (query: string) => (await list(query)).attachments.map(({ attachment_id }: Json) => made.indexOf(attachment_id))
    expect(await ids('')).toEqual([3, 2, 1, 0])
    expect(await ids(`entity_type=INVOICE&entity_id=${first}`)).toEqual([2, 0])
    expect(await ids('entity_type=BILL')).toEqual([1])
    expect(await ids(`entity_id=${second}`)).toEqual([3, 1])
    expect(await ids('entity_id=nonsense')).toEqual([])
    expect(await ids('per_page=3&page=2')).toEqual([0])
    expect((await list('per_page=3')).page_context).toEqual({ page: 1, per_page: 3, has_more_page: true })
    expect((await list('')).page_context).toEqual({ page: 1, per_page: 50, has_more_page: false })
    const { attachments: [newest] } = await list('per_page=1')
    expect((await fetch(newest.download_url)).status).toBe(200)
    for (const query of ['per_page=0', 'per_page=201', 'page=0', 'entity_type=RECEIPT', 'entity_type=invoice']) {
      const { status, body } = await own.client.get(`/attachments?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'validation.invalid_value'])
    }
  })
})

describe('limits of an organisation', () => {
  test('by files and by bytes: 409, nothing kept, and a deletion makes room', async () => {
    const { origin, close } = await service.another({ MAX_ATTACHMENTS: '2', MAX_ATTACHMENT_BYTES: '100' })
    const own = await openOrganization(service)
    const post = (sent: Upload) => {
      const call = (path: string, body: unknown) => fetch(`${origin}/api/public/v1${path}`, { method: 'POST', headers: { authorization: `Bearer ${own.client.token}` }, body: body as FormData })
      return upload({ ...own.client, post: async (path, body) => { const answer = await call(path, body); return { status: answer.status, body: await answer.json() } as never } }, sent)
    }
    const first = await post({ content: 'x'.repeat(90) })
    const large = await post({ content: 'x'.repeat(11) })
    expect([first.status, large.status, large.body.code, large.body.details]).toEqual([201, 409, 'conflict.limit_reached', { limit_bytes: 100, used_bytes: 90 }])
    expect((await post({ content: 'x'.repeat(10) })).status).toBe(201)
    const third = await post({ content: 'x' })
    expect([third.status, third.body.code, third.body.details]).toEqual([409, 'conflict.limit_reached', { limit: 2 }])
    expect((await keysOf(own.client.orgId)).length).toBe(2)
    await own.client.delete(`/attachments/${first.body.attachment.attachment_id}`)
    expect((await post({ content: 'x' })).status).toBe(201)
    await close()
  })
})

describe('a file store that is away', () => {
  test('fails an upload with 502, which may be sent again under its key; reading and deleting go on', async () => {
    const { origin, close } = await service.another({ AZURE_STORAGE_CONNECTION_STRING: service.env.AZURE_STORAGE_CONNECTION_STRING!.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1') })
    const own = await openOrganization(service)
    const { attachment_id } = await add({}, own.client)
    const headers = { authorization: `Bearer ${own.client.token}`, 'idempotency-key': 'store-away' }
    const failed = await fetch(`${origin}/api/public/v1/attachments`, { method: 'POST', headers, body: uploadForm({ content: new Uint8Array(2_000_000) }) })
    expect([failed.status, ((await failed.json()) as Json).code]).toEqual([502, 'storage.upload_failed'])
    expect((await rowsOf(own.client.orgId)).length).toBe(1)
    expect((await upload(own.client, {}, 'store-away')).status).toBe(201)
    const list = await fetch(`${origin}/api/public/v1/attachments`, { headers })
    expect([list.status, ((await list.json()) as Json).attachments.length]).toEqual([200, 2])
    const deleted = await fetch(`${origin}/api/public/v1/attachments/${attachment_id}`, { method: 'DELETE', headers })
    expect(deleted.status).toBe(200)
    expect((await own.client.get(`/attachments/${attachment_id}`)).status).toBe(404)
    expect((await keysOf(own.client.orgId)).length).toBe(2)
    await close()
  })
})

test('a deleted attachment is gone, and so is its file', async () => {
  const { attachment_id, download_url } = await add()
  expect((await client.get(`/attachments/${attachment_id}`)).body.attachment.entity_id).toBe(NO_SUCH_ENTITY)
  expect((await client.delete(`/attachments/${attachment_id}`)).body).toEqual({ code: 0, message: 'Attachment deleted.' })
  expect((await client.get(`/attachments/${attachment_id}`)).status).toBe(404)
  expect((await client.delete(`/attachments/${attachment_id}`)).status).toBe(404)
  expect((await fetch(download_url)).status).toBe(404)
})
