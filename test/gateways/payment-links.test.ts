// Signed payment links, verified by the page that they lead to.
import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createSignedLinks } from '../../gateways/payment-links/signed-links.ts'
import { paymentLinksOf, readSettings } from '../../settings.ts'
import { payableBy } from '../fixtures/payment-page.ts'

const SECRET = 'a secret of page and service'
const KEY = randomBytes(32).toString('base64')
const INVOICE = { orgId: '019e0000-0000-7000-8000-000000000001', invoiceId: '019e0000-0000-7000-8000-000000000002', total: 118_050n, currency: 'INR' }
const linksOf = (baseUrl: string, secret: string | null = SECRET, encryptionKey = KEY) => createSignedLinks({ baseUrl, secret, encryptionKey })

test('a link has its parameters in the order that is signed, and the page verifies them', () => {
  const link = linksOf('https://pay.example.test/i').linkOf(INVOICE)
  expect(link).toMatch(new RegExp(
    `^https://pay\\.example\\.test/i\\?organization_id=${INVOICE.orgId}&invoice_id=${INVOICE.invoiceId}&amount=1180\\.50&currency=INR&signature=[0-9a-f]{64}$`,
  ))
  expect(payableBy(link, SECRET)).toEqual({ organization_id: INVOICE.orgId, invoice_id: INVOICE.invoiceId, amount: '1180.50', currency: 'INR' })
  expect(linksOf('https://pay.example.test/i').linkOf(INVOICE)).toBe(link)
})

test('a base URL with a query keeps it, and amounts have the digits of their currency', () => {
  const link = linksOf('https://pay.example.test/?shop=7').linkOf({ ...INVOICE, total: 500n, currency: 'JPY' })
  expect(link).toMatch(/^https:\/\/pay\.example\.test\/\?shop=7&organization_id=/)
  expect(payableBy(link, SECRET)).toMatchObject({ amount: '500', currency: 'JPY' })
})

test('what was changed is not of the secret, and neither is a link of another one', () => {
  const link = linksOf('https://pay.example.test/i').linkOf(INVOICE)
  for (const changed of [
    link.replace('1180.50', '1.50'), link.replace('INR', 'USD'), link.replace(INVOICE.invoiceId, INVOICE.orgId), link.replace('&amount=', '&a=1&amount='), `${link}0`,
  ]) expect([changed, payableBy(changed, SECRET)]).toEqual([changed, null])
  expect(payableBy(link, `${SECRET}!`)).toBeNull()
})

test('without settings a link leads to /pay of the service, signed by a secret of its own', () => {
  const settings = (more: NodeJS.ProcessEnv) => paymentLinksOf(readSettings({ DATABASE_URL: 'postgres://x', ENCRYPTION_KEY: KEY, ...more }))
  expect(settings({})).toEqual({ baseUrl: 'http://127.0.0.1:8080/pay', secret: null, encryptionKey: KEY })
  expect(settings({ PUBLIC_URL: 'https://books.example.test' }).baseUrl).toBe('https://books.example.test/pay')
  expect(settings({ PAYMENT_LINK_BASE_URL: 'https://pay.example.test' }).baseUrl).toBe('https://pay.example.test')
  for (const PAYMENT_LINK_BASE_URL of ['pay.example.test', 'ftp://pay.example.test', 'https://pay.example.test/#a']) {
    expect(() => settings({ PAYMENT_LINK_BASE_URL })).toThrow(/PAYMENT_LINK_BASE_URL/)
  }
  expect(() => settings({ PAYMENT_LINK_SECRET: 'short' })).toThrow(/PAYMENT_LINK_SECRET/)
  const own = linksOf('https://pay.example.test', null).linkOf(INVOICE)
  expect(linksOf('https://pay.example.test', null).linkOf(INVOICE)).toBe(own)
  expect(linksOf('https://pay.example.test', null, randomBytes(32).toString('base64')).linkOf(INVOICE)).not.toBe(own)
})
