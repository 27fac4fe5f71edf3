// Uploads as no well-mannered client sends them: each is refused clearly or let go, and nothing of it is kept.
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { UPLOAD_IDLE_MS } from '../../api/http/arrival.ts'
import type { Answered } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { sendBytes } from '../fixtures/raw-request.ts'
import { NO_SUCH_ENTITY, upload } from '../fixtures/uploads.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService({ MAX_UPLOAD_BYTES: '1000000' })
const { client } = await openOrganization(service)
const B = 'bahi-boundary'

const field = (name: string, value: string, more = '') => `--${B}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
const file = (content: string, about = 'Content-Type: text/plain', filename = 'a.txt') =>
  `--${B}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n${about}\r\n\r\n${content}\r\n`
const FIELDS = field('entity_type', 'INVOICE') + field('entity_id', NO_SUCH_ENTITY)
const END = `--${B}--\r\n`

function head(headers: Record<string, string | number>, key?: string): string {
  const all = { Host: 'a', Authorization: `Bearer ${client.token}`, 'Content-Type': `multipart/form-data; boundary=${B}`, ...(key ? { 'Idempotency-Key': key } : {}), ...headers }
  return `POST /api/public/v1/attachments HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
const post = (body: string, headers: Record<string, string | number> = {}) => sendBytes(service.port, head({ 'Content-Length': Buffer.byteLength(body), ...headers }), body)

async function kept(): Promise<number> {
  let blobs = 0
  for await (const _ of service.blobs.list(`${client.orgId}/`)) blobs += 1
  const [{ count }] = (await service.sql<{ count: number }>('SELECT count(*)::integer FROM attachments WHERE org_id = $1', client.orgId)) as [{ count: number }]
  expect(count).toBe(blobs)
  return count
}
async function expectNothingKept(work: () => Promise<unknown>): Promise<void> {
  const before = await kept()
  await work()
  expect(await kept()).toBe(before)
}

describe('a form that is refused', () => {
  const NESTED = 'Content-Type: multipart/mixed; boundary=inner'
  test.each<[string, string, number, object, Record<string, string>?]>([
    ['no file', FIELDS + END, 422, { code: 'validation.failed', errors: [{ field: 'file', code: 'required', message: 'must be sent as a part with a file name, of one line' }] }],
    ['a file that is only text', FIELDS + field('file', 'text') + END, 422, { errors: [expect.objectContaining({ field: 'file' })] }],
    ['a file under another name', FIELDS + file('x').replace('name="file"', 'name="upload"') + END, 422, { errors: [expect.objectContaining({ field: 'file' })] }],
    ['no fields', file('x') + END, 422, { errors: [expect.objectContaining({ field: 'entity_type' }), expect.objectContaining({ field: 'entity_id' })] }],
    ['two files', FIELDS + file('x') + file('y') + END, 422, { errors: [expect.objectContaining({ field: 'file', code: 'repeated' })] }],
    ['ten files', FIELDS + file('x').repeat(10) + END, 422, { code: 'validation.failed' }],
    ['a field twice', FIELDS + field('entity_type', 'BILL') + file('x') + END, 422, { errors: [expect.objectContaining({ field: 'entity_type', code: 'repeated' })] }],
    ['10,000 fields', Array.from({ length: 10_000 }, (_, n) => field(`f${n}`, 'x')).join('') + FIELDS + file('x') + END, 422, { code: 'validation.failed' }],
    ['a nested form', FIELDS + file('--inner\r\n\r\nx\r\n--inner--', NESTED) + END, 400, { code: 'request.malformed' }],
    ['a nested form as a field', field('entity_type', 'INVOICE', `\r\n${NESTED}`) + file('x') + END, 400, { code: 'request.malformed' }],
    ['a file in base64', FIELDS + file('eA==', 'Content-Transfer-Encoding: base64\r\nContent-Type: text/plain') + END, 400, { code: 'request.malformed' }],
    ['no end', FIELDS + file('x'), 400, { code: 'request.malformed' }],
    ['an end in the middle of a head', `${FIELDS}--${B}\r\nContent-Dis`, 400, { code: 'request.malformed' }],
    ['no part at all', 'nothing of the kind', 400, { code: 'request.malformed' }],
    ['an empty body', '', 400, { code: 'request.malformed' }],
    ['no boundary', FIELDS + file('x') + END, 400, { code: 'request.malformed' }, { 'Content-Type': 'multipart/form-data' }],
    ['an empty boundary', FIELDS + file('x') + END, 400, { code: 'request.malformed' }, { 'Content-Type': 'multipart/form-data; boundary=' }],
    ['another boundary', FIELDS + file('x') + END, 400, { code: 'request.malformed' }, { 'Content-Type': 'multipart/form-data; boundary=other' }],
    ['JSON', '{}', 415, { code: 'request.unsupported_media_type' }, { 'Content-Type': 'application/json' }],
    ['another kind of form', 'a=b', 415, { code: 'request.unsupported_media_type' }, { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a field of a megabyte', field('description', 'x'.repeat(1_000_000)) + FIELDS + file('x') + END, 422, { errors: [expect.objectContaining({ field: 'description' })] }],
    ['a head of a part that has no end', `${FIELDS}--${B}\r\nContent-Disposition: form-data; name="${'n'.repeat(100_000)}"; filename="a"\r\n\r\nx\r\n${END}`, 422, { code: 'validation.failed' }],
  ])('%s', async (...[, body, status, told, headers]) => {
    await expectNothingKept(async () => {
      const answer = await post(body, headers)
      expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(told)])
      expect(answer.text).not.toMatch(/\.ts:|node_modules/)
    })
  })

  test('a name of a prototype is a name', async () => {
    const answer = await post(FIELDS + field('__proto__', 'x') + field('constructor', 'y') + file('x') + END)
    expect(answer.status).toBe(201)
    await client.delete(`/attachments/${answer.body.attachment.attachment_id}`)
  })

  test('a preamble, an epilogue, header names in any case and quotes in a name are as they should be', async () => {
    const part = `--${B}\r\ncontent-disposition: form-data; name="file"; filename="a \\"quoted\\" name.txt"\r\ncontent-type: text/plain\r\n\r\nx\r\n`
    const answer = await post(`preamble\r\n${FIELDS}${part}${END}epilogue`)
    expect([answer.status, answer.body.attachment.filename]).toEqual([201, 'a "quoted" name.txt'])
    await client.delete(`/attachments/${answer.body.attachment.attachment_id}`)
  })
})

describe('lengths', () => {
  test('a file that is announced to be far too large is refused before it arrives', async () => {
    await expectNothingKept(async () => {
      const answer = await sendBytes(service.port, head({ 'Content-Length': 5_000_000_000 }), FIELDS + file('x'))
      expect([answer.status, answer.body.details]).toEqual([413, { max_bytes: 1_000_000, received_bytes: 5_000_000_000 }])
    })
  })

  test('a body without an announced length is cut where no file can be so large', async () => {
    await expectNothingKept(async () => {
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
      const parts = [chunk(FIELDS + file('').trimEnd()), ...Array.from({ length: 60 }, () => chunk('y'.repeat(65_536)))]
      const answer = await sendBytes(service.port, head({ 'Transfer-Encoding': 'chunked' }), ...parts)
      expect([answer.status, answer.body.details.max_bytes]).toEqual([413, 1_000_000])
    })
  })

  test('a body in chunks is as good as any', async () => {
    const body = FIELDS + file('in chunks') + END
    const chunks = [...body].map((letter) => `1\r\n${letter}\r\n`).join('')
    const answer = await sendBytes(service.port, head({ 'Transfer-Encoding': 'chunked' }), `${chunks}0\r\n\r\n`)
    expect([answer.status, answer.body.attachment?.size_bytes]).toEqual([201, 9])
    await client.delete(`/attachments/${answer.body.attachment.attachment_id}`)
  })

  test('a length that is shorter than the body ends the file early', async () => {
    const body = FIELDS + file('x'.repeat(1_000)) + END
    await expectNothingKept(async () => {
      const answer = await post(body, { 'Content-Length': Buffer.byteLength(body) - 500 })
      expect([answer.status, answer.body.code]).toEqual([400, 'request.malformed'])
    })
  })
})

describe('callers who stop', () => {
  // Side by side, since each takes as long as it may.
  test('a stalled body is 408, and its key can be used again; a caller who leaves is forgotten', async () => {
    await expectNothingKept(async () => {
      const body = FIELDS + file('x'.repeat(500_000))
      const [key, left] = [randomUUID(), randomUUID()]
      const stalled = new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(service.port, '127.0.0.1', () => void socket.write(head({ 'Content-Length': 900_000 }, key) + body))
        const done = () => resolve(text)
        socket.on('data', (chunk) => {
          text += chunk
          if (text.includes('\r\n\r\n{')) done()
        }).on('error', done).once('close', done)
      })
      const leaver = connect(service.port, '127.0.0.1', () => leaver.write(head({ 'Content-Length': 900_000 }, left) + body, () => leaver.destroy()))
      leaver.on('error', () => undefined)
      expect(UPLOAD_IDLE_MS).toBeLessThan(60_000)
      const text = await stalled
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      expect(text).toContain('request.timeout')
      for (const again of [key, left]) {
        const { status, body: { attachment } } = await upload(client, {}, again)
        expect(status).toBe(201)
        await client.delete(`/attachments/${attachment.attachment_id}`)
      }
    })
  })
})

test('uploads of one organisation wait for each other, and another one does not wait', async () => {
  const other = await openOrganization(service)
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect(service.port, '127.0.0.1', () => void socket.write(head({ 'Content-Length': 900_000 }) + FIELDS + file('x'.repeat(1_000))))
    return socket.on('error', () => undefined)
  })
  expect((await upload(other.client)).status).toBe(201)
  for (const socket of sockets) socket.destroy()
  // The places are free again.
  expect((await upload(client)).status).toBe(201)
})

test('forty at once are all kept, each with its own content', async () => {
  const { client: own } = await openOrganization(service)
  // Six at once have a place; the others wait for ten seconds, and are sent again with their key where that was too short.
  const kept = async (n: number): Promise<Answered> => {
    const key = randomUUID()
    for (;;) {
      const answer = await upload(own, { content: `${n}`.repeat(20_000), filename: `${n}.txt` }, key)
      if (answer.status < 500) return answer
    }
  }
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => kept(n)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  for (const [n, { body }] of answers.entries()) expect(await (await fetch(body.attachment.download_url)).text()).toBe(`${n}`.repeat(20_000))
})
