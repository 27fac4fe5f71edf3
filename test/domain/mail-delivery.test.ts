// What has become of a mail at a recipient, whatever the order in which the provider reports it.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { stateAfter, stateOfEvent, UNDELIVERABLE } from '../../domain/mail-delivery.ts'
import { MAIL_REPORTS, type MailReport } from '../../domain/mail-run.ts'

test.each<[string[], MailReport | null]>([
  [['processed', 'delivered'], 'DELIVERED'],
  [['delivered', 'processed'], 'DELIVERED'],
  [['processed', 'deferred', 'deferred', 'delivered', 'open', 'open'], 'OPENED'],
  [['open', 'delivered'], 'OPENED'],
  [['processed', 'bounce'], 'BOUNCED'],
  [['delivered', 'bounce'], 'BOUNCED'],
  [['dropped'], 'DROPPED'],
  [['delivered', 'open', 'spamreport', 'click'], 'SPAM'],
  [['unsubscribe', 'group_resubscribe', 'toString', '__proto__', 'processed'], null],
])('%j gives %s', (events, state) => {
  const reached = events.reduce<MailReport | null>((before, event) => {
    const after = stateOfEvent(event)
    return after === null ? before : stateAfter(before, after)
  }, null)
  expect(reached).toBe(state)
})

test('events that come again or in another order end in the same state', () => {
  const anyState = fc.constantFrom(...MAIL_REPORTS.filter((state) => state !== 'DROPPED'))
  fc.assert(fc.property(fc.array(anyState, { minLength: 1, maxLength: 12 }), (events) => {
    const end = (list: MailReport[]) => list.reduce<MailReport | null>(stateAfter, null)
    expect(end(events.toReversed())).toBe(end(events))
    expect(end([...events, ...events])).toBe(end(events))
  }))
})

test('a mail that nobody got warns before the next one', () => {
  expect(UNDELIVERABLE).toEqual(['BOUNCED', 'DROPPED', 'SPAM'])
})
