// PDFs over HTTP: what is answered, what is rendered again and what is not, and what callers and files that fail cost.
import { describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { findPrintKey } from '../../reports/print/print-key.ts'
import { createFileRetention } from '../../worker/files/rendered.ts'
import { renderedKey, renderedPrefix, renderedTag, renderProcessId } from '../../domain/render-run.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { invoiceToPrint } from '../fixtures/rendering.ts'
import { useService } from '../fixtures/use-service.ts'
import type { Json } from '../fixtures/client.ts'
import { startTestWorker } from '../fixtures/worker.ts'

const service = await useService()
await service.startWorker()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)
await invoiceToPrint(ours)

interface Got {
  status: number
  headers: Record<string, string>
  bytes: Buffer
  json: Json
}

async function get(path: string, headers: Record<string, string> = {}, { method = 'GET', token = ours.client.token, origin = service.origin } = {}): Promise<Got> {
  const answer = await fetch(`${origin}/api/public/v1${path}`, { method, redirect: 'manual', headers: { authorization: `Bearer ${token}`, ...headers } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isJson = answer.headers.get('content-type') === 'application/json'
  return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes, json: isJson ? JSON.parse(bytes.toString()) : null }
}

const pathOf = ({ invoice_id }: Json) => `/invoices/${invoice_id}/pdf`

async function keyOf({ invoice_id }: Json): Promise<string> {
  const current = await findPrintKey({ connection: service.database, orgId: ours.orgId }, 'INVOICE', invoice_id)
  return renderedKey({ orgId: ours.orgId, kind: 'INVOICE', id: invoice_id }, current!)
}

describe('an invoice', () => {
  test('is rendered once, and answered with the headers of the specification', async () => {
    const invoice = await ours.sentInvoice()
    const first = await get(pathOf(invoice), { accept: 'application/pdf' })
    expect([first.status, first.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-'])
    expect(first.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(first.bytes.length),
      'content-disposition': expect.stringMatching(/^inline; filename="[^"]+\.pdf"; filename\*=UTF-8''/),
      'cache-control': 'private, max-age=900',
      'x-svc-render': 'fresh',
      'x-svc-version': String(invoice.version ?? first.headers['x-svc-version']),
      'x-request-id': expect.any(String),
      'x-ratelimit-limit': expect.any(String),
    })
    expect(first.headers['content-disposition']).toContain(encodeURIComponent(invoice.invoice_number))
    const again = await get(pathOf(invoice), { accept: '*/*' })
    expect([again.status, again.headers['x-svc-render'], again.headers.etag]).toEqual([200, 'cached', first.headers.etag])
    expect(again.bytes.equals(first.bytes)).toBe(true)
    expect((await get(`${pathOf(invoice)}?download=true`)).headers['content-disposition']).toMatch(/^attachment; /)
    expect((await get(`${pathOf(invoice)}?download=false`)).headers['content-disposition']).toMatch(/^inline; /)
  })

  test('is not sent again to who has it', async () => {
    const invoice = await ours.sentInvoice()
    const { headers: { etag } } = await get(pathOf(invoice))
    for (const seen of [etag!, etag!.replace('W/', ''), `"other", ${etag}`, '*']) {
      const none = await get(pathOf(invoice), { 'if-none-match': seen })
      expect([none.status, none.bytes.length, none.headers.etag]).toEqual([304, 0, etag])
    }
    expect((await get(pathOf(invoice), { 'if-none-match': 'W/"1-other"' })).status).toBe(200)
    const head = await get(pathOf(invoice), {}, { method: 'HEAD' })
    expect([head.status, head.bytes.length, Number(head.headers['content-length']) > 1000, head.headers['x-svc-render']]).toEqual([200, 0, true, 'cached'])
  })

  test('redirects to the store, where anybody can read it for a while', async () => {
    const invoice = await ours.sentInvoice()
    for (const render of ['fresh', 'cached']) {
      const { status, headers, bytes } = await get(`${pathOf(invoice)}?redirect=true&download=true`)
      expect([status, bytes.length, headers['x-svc-render'], headers['cache-control']]).toEqual([302, 0, render, 'private, no-store'])
      const file = await fetch(headers.location!)
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])
      expect(file.headers.get('content-disposition')).toMatch(/^attachment; /)
      expect((await file.text()).startsWith('%PDF-')).toBe(true)
    }
  })

  test('is rendered again when it has changed, and when its file has gone', async () => {
    const draft = await ours.invoice()
    const first = await get(pathOf(draft))
    await ours.client.put(`/invoices/${draft.invoice_id}`, { notes: 'Deliver at the back door' })
    const changed = await get(pathOf(draft))
    expect([first.headers['x-svc-render'], changed.headers['x-svc-render']]).toEqual(['fresh', 'fresh'])
    expect(Number(changed.headers['x-svc-version'])).toBeGreaterThan(Number(first.headers['x-svc-version']))
    await service.blobs.remove(await keyOf(draft))
    // Another process has not remembered it.
    const other = await service.another()
    const lost = await fetch(`${other.origin}/api/public/v1${pathOf(draft)}`, { headers: { authorization: `Bearer ${ours.client.token}` } })
    expect([lost.status, lost.headers.get('x-svc-render')]).toEqual([200, 'fresh'])
    await lost.arrayBuffer()
    await other.close()
  })

  test('is rendered once for callers who come at the same time', async () => {
    const invoice = await ours.sentInvoice()
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(pathOf(invoice))))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const hashes = answers.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
    expect(new Set(hashes).size).toBe(1)
  })

  test('is labelled as what it shows, although its contact changes while it is rendered', async () => {
    const invoice = await ours.sentInvoice()
    const live = (name: string) => ours.client.put(`/contacts/${invoice.customer_id}`, { billing_address: { address: name, city: 'Mysuru', country: 'IN' } })
    await live('1 First Street')
    // Two workers: the engine of one stays as it is while the other, which runs workflows, is away.
    const env: Record<string, string> = { ...service.env, TEMPORAL_QUEUE_SUFFIX: `${service.env.TEMPORAL_QUEUE_SUFFIX}-labelled` }
    const [api, documents, core] = await Promise.all([service.another(env), startTestWorker(env, { queues: ['documents'] }), startTestWorker(env, { queues: ['core'] })])
    const there = (path: string) => get(path, {}, { origin: api.origin })
    const other = await ours.sentInvoice()
    while ((await there(pathOf(other))).status !== 200) await delay(200)
    await core.stop()
    const before = await findPrintKey({ connection: service.database, orgId: ours.orgId }, 'INVOICE', invoice.invoice_id)
    const asked = there(pathOf(invoice))
    const engine = openEngine({ address: env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: env.ENCRYPTION_KEY! })
    const isStarted = () => engine.client.workflow.getHandle(renderProcessId(invoice.invoice_id, before!)).describe().then(() => true, () => false)
    while (!(await isStarted())) await delay(20)
    await live('2 Second Street')
    const newCore = await startTestWorker(env, { queues: ['core'] })
    const first = await asked
    expect(first.status).toBe(200)
    expect(first.headers.etag).toBe(renderedTag(await keyOf(invoice)))
    // Nobody who has that file is told that it is the one of before.
    await live('1 First Street')
    const again = await get(pathOf(invoice), { 'if-none-match': first.headers.etag! })
    expect([again.status, again.headers['x-svc-render'], again.headers.etag]).toEqual([200, 'fresh', renderedTag(await keyOf(invoice))])
    await engine.close()
    await Promise.all([newCore.stop(), documents.stop(), api.close()])
  })

  test('has the template that is asked for, and no other', async () => {
    const invoice = await ours.sentInvoice()
    const files = await Promise.all(['classic', 'modern', 'boxed', 'tally'].map((template) => get(`${pathOf(invoice)}?template=${template}`)))
    expect(files.map(({ status, headers }) => [status, headers['x-svc-render']])).toEqual(Array(4).fill([200, 'fresh']))
    expect(new Set(files.map(({ headers }) => headers.etag)).size).toBe(4)
    expect(await get(`${pathOf(invoice)}?template=plain`)).toMatchObject({ status: 400, json: { code: 'validation.invalid_value', field: 'template' } })
    expect(await get(`${pathOf(invoice)}?download=perhaps`)).toMatchObject({ status: 400, json: { code: 'validation.invalid_value', field: 'download' } })
  })

  test('may have a number of any characters', async () => {
    const invoice = await ours.invoice({ invoice_number: 'रसीद/7 "é"; x' })
    const { headers } = await get(pathOf(invoice))
    expect(headers['content-disposition']).toBe(`inline; filename="____-7 _e__; x.pdf"; filename*=UTF-8''${encodeURIComponent('रसीद-7 "é"; x.pdf')}`)
  })

  test('of another organisation is not found, nor without the scope', async () => {
    const invoice = await ours.sentInvoice()
    expect(await get(pathOf(invoice), {}, { token: theirs.client.token })).toMatchObject({ status: 404, json: { code: 'not_found.resource' } })
    expect(await get('/invoices/INV-1/pdf')).toMatchObject({ status: 404, json: { code: 'not_found.resource' } })
    const token = await service.token(ours.orgId, { scopes: ['Svc.bills.READ'] })
    expect(await get(pathOf(invoice), {}, { token })).toMatchObject({ status: 403, json: { code: 'auth.insufficient_scope' } })
  })
})

test('files are kept below their organisation', async () => {
  const keys: string[] = []
  for await (const { key } of service.blobs.list('')) keys.push(key)
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.every((key) => key.startsWith(renderedPrefix(ours.orgId)))).toBe(true)
})

test('files older than they are kept are removed, and rendered again', async () => {
  const invoice = await ours.sentInvoice()
  await get(pathOf(invoice))
  const key = await keyOf(invoice)
  const other = `${ours.orgId}/attachments/${invoice.invoice_id}`
  await service.blobs.write(other, Buffer.from('a file'), { contentType: 'text/plain' })
  const retention = (days: number) => createFileRetention({
    blobs: service.blobs, retainPdfDays: 30, isStopping: () => false, clock: () => new Date(Date.now() + days * 86_400_000),
  })
  const isThere = async (name: string) => {
    const blob = await service.blobs.read(name)
    blob?.body.destroy()
    return blob !== null
  }
  await retention(29)()
  expect([await isThere(key), await isThere(other)]).toEqual([true, true])
  await retention(31)()
  expect([await isThere(key), await isThere(other)]).toEqual([false, true])
  await service.blobs.remove(other)
})

test('a reader that goes, or stops reading, gives its share back', async () => {
  const invoice = await ours.sentInvoice()
  await get(pathOf(invoice))
  // More than an organisation may have open at a time.
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(service.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET /api/public/v1${pathOf(invoice)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ours.client.token}\r\n\r\n`)
    return socket
  })
  for (const socket of sockets) socket.pause()
  for (const socket of sockets) socket.destroy()
  expect((await get(pathOf(invoice))).status).toBe(200)
})

test('the JSON envelope tells what failed: without Temporal, and without the store', async () => {
  const invoice = await ours.sentInvoice()
  const at = async (overrides: Record<string, string>) => {
    const other = await service.another(overrides)
    const answer = await fetch(`${other.origin}/api/public/v1${pathOf(invoice)}`, { headers: { authorization: `Bearer ${ours.client.token}`, accept: 'application/pdf' } })
    const { code } = await answer.json() as Json
    await other.close()
    return [answer.status, code, answer.headers.has('retry-after')]
  }
  expect(await at({ TEMPORAL_ADDRESS: '127.0.0.1:9' })).toEqual([503, 'service.unavailable', true])
  expect(await at({ AZURE_STORAGE_CONNECTION_STRING: '' })).toEqual([503, 'service.unavailable', true])
})
