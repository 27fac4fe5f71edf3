// A portal with NIC's API: sign-in, encryption, registration, cancellation, and every way in which it may fail.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eInvoicePayload } from '../../domain/e-invoice/payload.ts'
import { irnOf } from '../../gateways/einvoice/irn-hash.ts'
import { qrDifferences } from '../../domain/e-invoice/signed-qr.ts'
import { createIrp } from '../../gateways/einvoice/irp.ts'
import { checkedIrpCredentials } from '../../gateways/einvoice/irp-credentials.ts'
import type { IrpCredentials } from '../../gateways/einvoice/irp-session.ts'
import { SELLER_GSTIN, source } from '../domain/e-invoice-sources.ts'
import { startIrp, type IrpServer } from '../fixtures/irp-server.ts'

let irp: IrpServer
beforeAll(async () => {
  irp = await startIrp()
})
afterAll(() => irp.close())
beforeEach(() => {
  irp.mood = 'well'
  irp.asked.clear()
})

const AUTH = 'POST /eivital/v1.04/auth'
const open = (changes: Partial<IrpCredentials> = {}, { timeoutMs = 5_000, clock = () => new Date() } = {}) =>
  createIrp({ credentials: { ...irp.credentials, ...changes }, gstin: SELLER_GSTIN, timeoutMs, clock })
let last = 0
const details = (number = `INV/${(last += 1)}`) => ({ gstin: SELLER_GSTIN, type: 'INV' as const, number, date: '2026-11-10' })
const payload = (number: string) => eInvoicePayload(source({ number }), 'B2B')

test('registers, finds by IRN and by document, refuses a second registration, cancels once', async () => {
  const provider = open()
  const one = details()
  const irn = irnOf(one)
  expect(await provider.findByDocument(one)).toBeNull()
  const generated = await provider.generate(payload(one.number))
  expect(generated).toMatchObject({ did: 'REGISTERED', registration: { irn, ackNo: expect.stringMatching(/^1120\d{11}$/), isCancelled: false } })
  const { registration } = generated as Extract<typeof generated, { did: 'REGISTERED' }>
  expect(Math.abs(registration.acknowledged.getTime() - Date.now())).toBeLessThan(600_000)
  expect(qrDifferences((await provider.readQr(registration.signedQr))!, payload(one.number), irn)).toEqual([])
  expect(await provider.find(irn)).toEqual(registration)
  expect(await provider.findByDocument(one)).toEqual(registration)
  expect(await provider.generate(payload(one.number))).toMatchObject({ did: 'REFUSED', errors: [{ code: '2150' }] })
  expect(await provider.cancel(irn, 'Cancelled in the books')).toMatchObject({ did: 'CANCELLED', at: expect.any(Date) })
  expect(await provider.cancel(irn, 'Cancelled in the books')).toMatchObject({ did: 'REFUSED', errors: [{ code: '9999' }] })
  expect(await provider.find(irn)).toMatchObject({ isCancelled: true })
  expect(await provider.cancel('0'.repeat(64), 'x')).toMatchObject({ did: 'REFUSED', errors: [{ code: '2148' }] })
})

describe('the session', () => {
  test('is shared until it ends, and opened again', async () => {
    const provider = open()
    await Promise.all([1, 2, 3].map(() => provider.find('0'.repeat(64))))
    expect(irp.asked.get(AUTH)).toBe(1)
    irp.endSessions()
    expect(await provider.find('0'.repeat(64))).toBeNull()
    expect(irp.asked.get(AUTH)).toBe(2)
  })

  test('is opened again before its token expires', async () => {
    let now = Date.now()
    const provider = open({}, { clock: () => new Date(now) })
    await provider.find('0'.repeat(64))
    now += 3_599_000
    await provider.find('0'.repeat(64))
    expect(irp.asked.get(AUTH)).toBe(2)
  })

  test.each<[string, Partial<IrpCredentials>, string]>([
    ['a wrong password', { password: 'other' }, '1008'],
    ['a wrong client', { client_secret: 'other' }, '1010'],
    ['a public key that is none', { public_key: 'none' }, 'CREDENTIALS'],
    ['a password that is too long to encrypt', { password: 'p'.repeat(300) }, 'CREDENTIALS'],
  ])('is refused for %s', async (_name, changes, code) => {
    const provider = open(changes)
    const refused = await provider.generate(payload('INV/1'))
    expect(refused).toMatchObject({ did: 'REFUSED', errors: [{ code }] })
    expect(JSON.stringify(refused)).not.toContain(changes.password ?? 'pass word')
    await expect(provider.find('0'.repeat(64))).rejects.toMatchObject({ name: 'EInvoiceUnavailable' })
  })
})

test.each(['down', 'busy', 'garbage', 'huge', 'other key', 'lost'] as const)('a portal that is %s is unavailable', async (mood) => {
  const provider = open()
  const one = details()
  await provider.generate(payload(one.number))
  irp.mood = mood
  const next = details()
  await expect(mood === 'other key' ? provider.find(irnOf(one)) : provider.generate(payload(next.number))).rejects.toMatchObject({ name: 'EInvoiceUnavailable' })
})

test('so is one that answers too late', async () => {
  const provider = open({}, { timeoutMs: 100 })
  irp.mood = 'slow'
  await expect(provider.find('0'.repeat(64))).rejects.toMatchObject({ name: 'EInvoiceUnavailable' })
})

test.each([['2146', true], ['2176', false]])('%s passes by itself: %s', async (code, passes) => {
  const provider = open()
  irp.mood = 'refusing'
  irp.refusal = code
  const asked = provider.generate(payload('INV/1'))
  if (passes) await expect(asked).rejects.toMatchObject({ name: 'EInvoiceUnavailable', message: expect.stringContaining(code) })
  else expect(await asked).toMatchObject({ did: 'REFUSED', errors: [{ code }] })
})

test('a QR code that another has signed, or nobody, says nothing', async () => {
  irp.mood = 'other signature'
  const provider = open()
  const generated = await provider.generate(payload(details().number))
  if (generated.did === 'REFUSED') throw new Error('it was registered')
  const { signedQr } = generated.registration
  expect(await provider.readQr(signedQr)).toBeNull()
  const [head, body] = signedQr.split('.')
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  for (const text of ['', 'a.b.c', `${head}.${body}.`, `${unsigned}.${body}.`, 'x'.repeat(10_000)]) expect(await provider.readQr(text)).toBeNull()
})

describe('credentials', () => {
  test('are taken without what nobody asked for', () => {
    const { public_key, signing_key, ...texts } = irp.credentials
    expect(checkedIrpCredentials({ ...irp.credentials, more: 1 })).toEqual({ ...texts, public_key: public_key.trim(), signing_key: signing_key.trim() })
  })

  test.each<[string, object, string]>([
    ['nothing', {}, 'public_key is missing'],
    ['no password', { password: ' ' }, 'password is missing'],
    ['a key that is none', { signing_key: 'key' }, 'signing_key is no public key or certificate in PEM'],
    ['an address without TLS', { base_url: 'http://irp.example' }, 'base_url must begin with https://'],
    ['an address with a password', { base_url: 'https://a:b@irp.example' }, 'base_url must begin with https://'],
  ])('with %s are refused', (name, changes, message) => {
    expect(() => checkedIrpCredentials(name === 'nothing' ? changes : { ...irp.credentials, ...changes })).toThrow(message)
  })
})
