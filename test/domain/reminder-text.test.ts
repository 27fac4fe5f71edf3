// The texts of reminders: what stands for what, what is refused, how values are shown in HTML, and the texts of the service.
import { describe, expect, test } from '@jest/globals'
import { REMINDER_PLACEHOLDERS, refuseUnknownPlaceholders, reminderTexts, type ReminderFacts } from '../../domain/reminder-text.ts'
import { addressOfCustomer } from '../../domain/reminders.ts'
import { refusalOf as refusal } from './refusal.ts'

const FACTS: ReminderFacts = {
  number: 'INV-7', customerName: 'Meena & <Sons>', organizationName: 'Chandni "Traders"', date: '2026-10-21', dueDate: '2026-11-20', today: '2026-11-27',
  total: 1_00_00_000_00n, balance: 99_999_50n, currency: 'INR', paymentLink: null, withPdf: false,
}
const NONE = { subject: null, html: null }

test('each placeholder stands for its value', () => {
  const html = REMINDER_PLACEHOLDERS.map((name) => `{{${name}}}`).join('|')
  const { subject } = reminderTexts({ subject: html, html: '' }, { ...FACTS, paymentLink: 'https://pay.test/?a=1&b=2' })
  expect(subject).toBe('INV-7|21 Oct 2026|20 Nov 2026|INR 1,00,00,000.00|INR 99,999.50|7|0|Meena & <Sons>|Chandni "Traders"|https://pay.test/?a=1&b=2')
})

test('values are text in HTML, and nothing in them is a placeholder, a pattern or a line of a header', () => {
  const customerName = '<img src=x onerror="a()"> $& {{number}} \'x\''
  const { subject, html } = reminderTexts({ subject: 'To {{ customer_name }}\r\nBcc: x', html: '<p title="{{customer_name}}">{{customer_name}}</p>' }, { ...FACTS, customerName })
  const shown = '&#60;img src=x onerror=&#34;a()&#34;&#62; $&#38; {{number}} &#39;x&#39;'
  expect(html).toBe(`<p title="${shown}">${shown}</p>`)
  expect(subject).toBe(`To ${customerName} Bcc: x`)
  expect(reminderTexts({ subject: '', html: '{{customer_name}}' }, { ...FACTS, customerName: '\u202eA\u2028B\u0001' }).html).toBe('A B')
  expect(reminderTexts({ subject: '{{customer_name}}', html: '' }, { ...FACTS, customerName: 'x'.repeat(600) }).subject).toHaveLength(500)
})

test.each([
  ['2026-11-27', 'Reminder: invoice INV-7 was due on 20 Nov 2026', 'was due on 20 Nov 2026, 7 days ago. INR 99,999.50 is still to be paid.'],
  ['2026-11-21', 'Reminder: invoice INV-7 was due on 20 Nov 2026', 'was due on 20 Nov 2026, one day ago.'],
  ['2026-11-20', 'Reminder: invoice INV-7 is due today', 'for INR 1,00,00,000.00 is due today. INR'],
  ['2026-11-17', 'Reminder: invoice INV-7 is due on 20 Nov 2026', 'of 21 Oct 2026 for INR 1,00,00,000.00 is due on 20 Nov 2026. INR'],
])('on %s the texts of the service say so', (today, subject, words) => {
  const texts = reminderTexts(NONE, { ...FACTS, today })
  expect(texts.subject).toBe(subject)
  expect(texts.html).toContain(words)
  expect(texts.html).toContain('<p>Dear Meena &#38; &#60;Sons&#62;,</p>')
  expect(texts.html).not.toContain('{{')
})

test('the texts of the service name the attachment and the link where there are any', () => {
  const { html } = reminderTexts(NONE, { ...FACTS, withPdf: true, paymentLink: 'https://pay.test/?a=1&b="2"' })
  expect(html).toContain('The invoice is attached.')
  expect(html).toContain('<a href="https://pay.test/?a=1&#38;b=&#34;2&#34;">')
  expect(reminderTexts(NONE, FACTS).html).not.toMatch(/attached|paid here/)
})

test('a paragraph of nothing but a placeholder without a value is left out', () => {
  const html = '<p>One</p>\n<p>{{payment_link}}</p>\n<p> {{ payment_link }} </p><p>Two</p>'
  expect(reminderTexts({ subject: '', html }, FACTS).html).toBe('<p>One</p>\n<p>Two</p>')
  expect(reminderTexts({ subject: '', html: '<p>{{payment_link}}</p>' }, { ...FACTS, paymentLink: 'https://pay.test' }).html).toBe('<p>https://pay.test</p>')
})

describe('a text', () => {
  test.each(['{{amount}}', '{{}}', '{{ }}', '{{NUMBER}}', '{{constructor}}', '{{__proto__}}', '{{number|x}}'])('with %s is refused with the list', (text) => {
    expect(refusal(() => refuseUnknownPlaceholders(`{{number}} ${text}`, 'reminders.text'))).toMatchObject({
      code: 'validation.invalid_value', field: 'reminders.text', details: { valid: REMINDER_PLACEHOLDERS.map((name) => `{{${name}}}`) },
    })
    // One of a version that did not look stays as it is.
    expect(reminderTexts({ subject: text, html: '' }, FACTS).subject).toBe(text.replaceAll(/ +/g, ' '))
  })

  test('with spaces, single braces and a hundred placeholders is right; with one more it is refused', () => {
    refuseUnknownPlaceholders('{ {x} } }} {{  number  }} {{'.repeat(100), 'subject')
    expect(refusal(() => refuseUnknownPlaceholders('{{number}}'.repeat(101), 'subject'))).toMatchObject({ field: 'subject', details: { limit: 100 } })
    refuseUnknownPlaceholders(null, 'subject')
    refuseUnknownPlaceholders(`{{${' '.repeat(50_000)}`, 'subject')
  })
})

test.each([
  ['its own', { email: 'own@x.test', contact_persons: [{ email: 'a@x.test', is_primary: true }] }, 'own@x.test'],
  ['that of the primary person', { email: null, contact_persons: [{ email: 'a@x.test', is_primary: false }, { email: 'b@x.test', is_primary: true }] }, 'b@x.test'],
  ['that of the first who has one', { email: 'none', contact_persons: [{ email: null, is_primary: true }, { email: 'c@x.test', is_primary: false }] }, 'c@x.test'],
  ['none', { email: null, contact_persons: [] }, null],
])('the address of a customer is %s', (_which, customer, address) => expect(addressOfCustomer(customer)).toBe(address))
