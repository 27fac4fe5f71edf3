// Sealed secrets come back under the same key and under no other.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { seal, sealer, unseal } from '../../models/sealed.ts'

const KEY = randomBytes(32).toString('base64')
const SECRET = 'svc_whsec_ünïcode ₹'

test('what was sealed comes back', () => {
  expect(unseal(KEY, seal(KEY, SECRET))).toBe(SECRET)
  expect(unseal(KEY, seal(KEY, ''))).toBe('')
})

test('the same text never looks the same, and never shows', () => {
  const sealed = [seal(KEY, SECRET), seal(KEY, SECRET)]
  expect(sealed[0]).not.toBe(sealed[1])
  expect(Buffer.from(sealed[0]!.slice(3), 'base64url').includes('svc_whsec')).toBe(false)
})

test('another key opens nothing', () => {
  expect(() => unseal(randomBytes(32).toString('base64'), seal(KEY, SECRET))).toThrow()
})

test('every changed byte is noticed', () => {
  const bytes = Buffer.from(seal(KEY, SECRET).slice(3), 'base64url')
  for (let place = 0; place < bytes.length; place += 1) {
    const touched = Buffer.from(bytes)
    touched[place]! ^= 1
    expect(() => unseal(KEY, `v1.${touched.toString('base64url')}`)).toThrow()
  }
})

test.each(['', 'v1', 'v1.', 'v2.AAAA', 'v1.AAAA', 'plain'])('%p was never sealed', (text) => {
  expect(() => unseal(KEY, text)).toThrow()
})

test('a key of another length is refused before anything is sealed', () => {
  expect(() => sealer(Buffer.alloc(16).toString('base64'))).toThrow(/32 bytes/)
})
