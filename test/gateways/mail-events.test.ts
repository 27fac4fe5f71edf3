// The provider's reports: only requests with its signature are believed, and whatever they contain does no harm.
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { eventKeyOf, isSigned, MAX_EVENTS, presentedSignature, readEvents, TOLERANCE_SECONDS } from '../../gateways/mail/events.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = eventKeyOf(publicKey.export({ format: 'der', type: 'spki' }).toString('base64'))
const NOW = new Date('2026-11-22T10:00:00Z')
const TIMESTAMP = String(NOW.getTime() / 1000)

const signatureOf = (body: Buffer, timestamp = TIMESTAMP, key = privateKey) =>
  sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), key).toString('base64')
const BODY = Buffer.from('[{"event":"delivered"}]')
interface Sent { body: Buffer; signature: string | undefined; timestamp: string | undefined }
function isBelieved({ body, ...headers }: Sent): boolean {
  const presented = presentedSignature(headers, NOW)
  return presented !== null && isSigned(KEY, presented, body)
}

describe('a signature', () => {
  test('of the provider is believed', () => {
    expect(isBelieved({ body: BODY, signature: signatureOf(BODY), timestamp: TIMESTAMP })).toBe(true)
  })

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const late = String(Number(TIMESTAMP) - TOLERANCE_SECONDS - 1)
  const early = String(Number(TIMESTAMP) + TOLERANCE_SECONDS + 1)
  test.each<[string, Partial<Sent>]>([
    ['over another body', { body: Buffer.from('[]') }],
    ['over another time', { timestamp: String(Number(TIMESTAMP) + 1) }],
    ['by another key', { signature: signatureOf(BODY, TIMESTAMP, other) }],
    ['that is missing', { signature: undefined }],
    ['that is empty', { signature: '' }],
    ['that is no base64', { signature: '%%%%' }],
    ['of half its length', { signature: signatureOf(BODY).slice(0, 40) }],
    ['that is huge', { signature: 'A'.repeat(100_000) }],
    ['without a time', { timestamp: undefined }],
    ['with a time that is no number', { timestamp: '12e3' }],
    ['of long ago', { timestamp: late, signature: signatureOf(BODY, late) }],
    ['of the future', { timestamp: early, signature: signatureOf(BODY, early) }],
  ])('%s is not', (_what, changes) => {
    expect(isBelieved({ body: BODY, signature: signatureOf(BODY), timestamp: TIMESTAMP, ...changes })).toBe(false)
  })

  test.each<[string, Partial<Sent>]>([
    ['that is missing', { signature: undefined }],
    ['that is none', { signature: 'nonsense' }],
    ['that is huge', { signature: 'A'.repeat(100_000) }],
    ['without a time', { timestamp: undefined }],
    ['of long ago', { timestamp: late, signature: signatureOf(BODY, late) }],
  ])('%s is refused by its headers alone', (_what, changes) => {
    expect(presentedSignature({ signature: signatureOf(BODY), timestamp: TIMESTAMP, ...changes }, NOW)).toBeNull()
  })
})

test.each([
  ['nonsense', 'x'],
  ['an RSA key', generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
  ['another curve', generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
])('a key that is %s is refused at start', (_what, text) => expect(() => eventKeyOf(text)).toThrow())

const EVENT = {
  event: 'bounce', org_id: 'o', email_id: 'm', email: 'a@b.example', timestamp: 1_790_000_000, reason: '550 no\r\nsuch user',
}

describe('events', () => {
  test('are read', () => {
    expect(readEvents(Buffer.from(JSON.stringify([EVENT])))).toEqual([{
      orgId: 'o', emailId: 'm', address: 'a@b.example', report: 'BOUNCED', at: new Date(1_790_000_000_000), words: '550 no  such user',
    }])
  })

  test.each<[string, unknown]>([
    ['of another name', { ...EVENT, event: 'group_unsubscribe' }],
    ['of a mail that is not ours', { ...EVENT, email_id: undefined }],
    ['without an organisation', { ...EVENT, org_id: '' }],
    ['with an address that is none', { ...EVENT, email: { toString: 'x' } }],
    ['with a huge address', { ...EVENT, email: 'a'.repeat(1_000) }],
    ['with a time that is none', { ...EVENT, timestamp: '1' }],
    ['with a time that no clock shows', { ...EVENT, timestamp: 1e300 }],
    ['that is null', null],
    ['that is a list', [EVENT]],
  ])('%s are left out', (_what, event) => {
    expect(readEvents(Buffer.from(JSON.stringify([event, EVENT])))).toHaveLength(1)
  })

  test.each<[string, string]>([
    ['no JSON', '{'],
    ['an object', '{}'],
    ['too long a list', JSON.stringify(Array.from({ length: MAX_EVENTS + 1 }, () => 1))],
    ['nothing', ''],
  ])('are none where the body is %s', (_what, body) => expect(readEvents(Buffer.from(body))).toBeNull())
})
