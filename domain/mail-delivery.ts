// What has become of a mail at one recipient, by the events that the provider reports.
import { MAIL_REPORTS, type MailReport } from './mail-run.ts'

/** One report of the provider on one recipient of a mail. */
export interface MailReported {
  address: string
  report: MailReport
  at: Date
  /** The provider's words about it. */
  words: string | null
}

/** SendGrid's names of events (Event Webhook reference); one of another name, such as `processed`, changes nothing. */
const STATE_OF_EVENT: Readonly<Record<string, MailReport>> = {
  deferred: 'DEFERRED',
  delivered: 'DELIVERED',
  open: 'OPENED',
  click: 'OPENED',
  bounce: 'BOUNCED',
  blocked: 'BOUNCED',
  dropped: 'DROPPED',
  spamreport: 'SPAM',
}

export const stateOfEvent = (event: string): MailReport | null =>
  Object.hasOwn(STATE_OF_EVENT, event) ? STATE_OF_EVENT[event]! : null

// A higher rank says more. Events arrive in any order and more than once.
const RANK: Readonly<Record<MailReport, number>> = {
  DEFERRED: 1,
  DELIVERED: 2,
  // A server that took the mail may refuse it afterwards, in a mail of its own; nobody has read it then.
  BOUNCED: 3,
  DROPPED: 3,
  OPENED: 4,
  SPAM: 5,
}

/** The state after an event. Whatever the order of events, the last state is the same, BOUNCED and DROPPED apart. */
export function stateAfter(state: MailReport | null, event: MailReport): MailReport {
  return state === null || RANK[event] > RANK[state] ? event : state
}

/** After these, another mail to the address is likely to be lost, so the sender is warned. */
export const UNDELIVERABLE = MAIL_REPORTS.filter((report) => ['BOUNCED', 'DROPPED', 'SPAM'].includes(report))
