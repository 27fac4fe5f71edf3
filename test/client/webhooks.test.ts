// verifyWebhook against what the service signs with, and against those who try to pass for it.
import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { SignatureError, verifyWebhook, type WebhookHeaders } from '../../client/src/index.ts'

const SECRET = 'svc_whsec_K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN_H-pI4'
const OTHER = 'svc_whsec_another'
const NOW = 1_795_253_400_000
const BODY = '{"event_type":"INVOICE_PAID","delivery_id":"d","data":{"number":"INV-1 \u20b9"}}'

const sign = (secret = SECRET, t = String(NOW / 1000), body = BODY) => createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
const header = (value: string): WebhookHeaders => ({ 'x-svc-signature': value })
const SIGNED = header(`t=${NOW / 1000},v1=${sign()}`)
const verify = (headers: WebhookHeaders = SIGNED, { body = BODY as string | Uint8Array | ArrayBuffer, secrets = SECRET as string | string[], options = {} } = {}) =>
  verifyWebhook(body, headers, secrets, { now: NOW, ...options })

describe('is accepted', () => {
  const bytes = Buffer.from(`....${BODY}`).subarray(4)
  test.each([
    ['text', BODY],
    ['bytes', new TextEncoder().encode(BODY)],
    ['a part of a larger buffer', bytes],
    ['an ArrayBuffer', new TextEncoder().encode(BODY).buffer],
  ])('a body as %s', async (_name, body) => {
    expect(await verify(SIGNED, { body })).toEqual(JSON.parse(BODY))
  })

  test.each([
    ['Headers', new Headers({ 'X-Svc-Signature': `t=${NOW / 1000},v1=${sign()}` })],
    ['another case', { 'X-Svc-Signature': `t=${NOW / 1000},v1=${sign()}` }],
    ['a list of values', { 'x-svc-signature': [`t=${NOW / 1000},v1=${sign()}`] }],
    ['two signatures, of which one is known', header(`t=${NOW / 1000},v1=${sign(OTHER)},v1=${sign()}`)],
    ['parts that are not known', header(`t=${NOW / 1000},v2=x,v1=${sign()},w`)],
    ['hex in capitals', header(`t=${NOW / 1000},v1=${sign().toUpperCase()}`)],
  ])('with %s', async (_name, headers) => void expect(await verify(headers)).toMatchObject({ event_type: 'INVOICE_PAID' }))

  test('with any of several secrets', async () => void expect(await verify(SIGNED, { secrets: [OTHER, SECRET] })).toBeDefined())

  test.each([-300, 300])('%i seconds away', async (seconds) => {
    expect(await verify(SIGNED, { options: { now: NOW + seconds * 1000 } })).toBeDefined()
  })
})

describe('is refused', () => {
  const t = NOW / 1000
  test.each([
    ['without a header', {}],
    ['an empty header', header('')],
    ['without a time', header(`v1=${sign()}`)],
    ['without a signature', header(`t=${t}`)],
    ['of another secret', header(`t=${t},v1=${sign(OTHER)}`)],
    ['of another time', header(`t=${t + 1},v1=${sign()}`)],
    ['a time that is none', header(`t=x,v1=${sign(SECRET, 'x')}`)],
    ['a time that is Infinity', header(`t=Infinity,v1=${sign(SECRET, 'Infinity')}`)],
    ['a time in another form', header(`t=${t}.0,v1=${sign(SECRET, `${t}.0`)}`)],
    ['half a signature', header(`t=${t},v1=${sign().slice(0, 32)}`)],
    ['a signature that is no hex', header(`t=${t},v1=${'z'.repeat(64)}`)],
    ['a signature of another version', header(`t=${t},v0=${sign()}`)],
    ['too many signatures before the right one', header(`t=${t},${`v1=${sign(OTHER)},`.repeat(10)}v1=${sign()}`)],
  ])('%s', async (_name, headers) => void (await expect(verify(headers)).rejects.toThrow(SignatureError)))

  test.each([-301, 301])('%i seconds away', (seconds) => expect(verify(SIGNED, { options: { now: NOW + seconds * 1000 } })).rejects.toThrow(SignatureError))

  test('another body', () => expect(verify(SIGNED, { body: `${BODY} ` })).rejects.toThrow(SignatureError))

  test.each([['no secret', []], ['an empty secret', ''], ['only empty secrets', ['', '']]])('with %s', async (_name, secrets) => {
    await expect(verify(header(`t=${t},v1=${sign('')}`), { secrets })).rejects.toThrow(SignatureError)
  })

  test.each([Number.NaN, undefined as never])('with a tolerance of %s that is no number', async (toleranceSeconds) => {
    const late = { now: NOW + 400_000, toleranceSeconds }
    await expect(verify(SIGNED, { options: late })).rejects.toThrow(SignatureError)
  })
})
