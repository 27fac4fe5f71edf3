// The secret of an endpoint as libraries of Standard Webhooks take it.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { standardSecret } from '../../domain/standard-secret.ts'

test('has the same bytes, in base64', () => {
  for (let n = 0; n < 200; n += 1) {
    const bytes = randomBytes(32)
    expect(standardSecret(`svc_whsec_${bytes.toString('base64url')}`)).toBe(`whsec_${bytes.toString('base64')}`)
  }
  expect(standardSecret('svc_whsec_-_-_')).toBe('whsec_+/+/')
})
