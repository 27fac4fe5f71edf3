// Which addresses of mail are taken, and how they are sent.
import { expect, test } from '@jest/globals'
import { mailAddress } from '../../domain/mail-address.ts'

test.each([
  ['meena@example.com', 'meena@example.com'],
  ['Meena.K+books@Example.COM', 'Meena.K+books@example.com'],
  ["o'hara&co@a-b.co.in", "o'hara&co@a-b.co.in"],
  ['a@मेल.भारत', 'a@xn--r2bi6d.xn--h2brj9c'],
  ['a@bücher.example', 'a@xn--bcher-kva.example'],
  ['a@EXAMPLE。com', 'a@example.com'],
])('%s is sent as %s', (given, sent) => {
  expect(mailAddress(given)).toBe(sent)
})

test.each([
  '', '@', 'a@', '@b.com', 'a', 'a@b', 'a b@c.de', 'a@b c.de', 'a@b.com ', ' a@b.com', 'a@b.com\r\nBcc: x@y.zz', 'a@b.com\nx', 'a\u2028@b.com',
  'a@b\u2028.com', 'a,b@c.de', 'a@b.com,c@d.ef', 'a@b.com;c@d.ef', '<a@b.com>', 'Meena <a@b.com>', '"a b"@c.de', 'a(x)@b.com', '.a@b.com', 'a.@b.com', 'a..b@c.de',
  'a@-b.com', 'a@b-.com', 'a@b..com', 'a@.com', 'a@com.', 'a@127.0.0.1', 'a@[127.0.0.1]', 'a@1.2.3', 'a@b.com/x', 'a@b.com:25', 'a@b.com?x', 'a@b.com#x', 'a@ex%61mple.com',
  'मीना@example.com', `${'a'.repeat(65)}@b.com`, `a@${'b'.repeat(64)}.com`, `a@${'b.'.repeat(127)}com`, 'a@b_c.com', 'a\u0000@b.com', 'a@xn--.com', 'owner@organization.invalid',
])('%j is no address', (given) => {
  expect(mailAddress(given)).toBeNull()
})
