// The workflow that sends a mail: its input, the states of the mail, and what is known of it afterwards.
import type { KindThatHas } from './documents.ts'

/** The kinds of documents that are mailed (specification, "E-mail send"). */
export type MailedKind = KindThatHas<'isMailed'>

export const MAIL_STATES = ['READY', 'SENDING', 'SENT', 'REJECTED', 'UNKNOWN'] as const
/**
 * READY: stored, to be sent. SENDING: the provider is being called. SENT: it has taken the mail. REJECTED: the mail is not
 * sent, and will not be. UNKNOWN: the provider may have taken it; it is never sent again.
 */
export type MailState = (typeof MAIL_STATES)[number]

export const MAIL_REPORTS = ['DEFERRED', 'DELIVERED', 'OPENED', 'BOUNCED', 'DROPPED', 'SPAM'] as const
/**
 * What the provider has reported of a recipient. DEFERRED: the recipient's server put it off. DELIVERED: that server has taken
 * it. OPENED: its pictures were loaded. BOUNCED: the server refused it. DROPPED: the provider did not send it, for example
 * because the address bounced before. SPAM: the recipient reported it.
 */
export type MailReport = (typeof MAIL_REPORTS)[number]

/**
 * Why a mail was not sent: the provider refused it, its PDF could not be made or is too large, or it is too late for it. Of a
 * reminder also: the invoice is not owed any more, its customer has no address, or earlier mail did not arrive at it.
 */
export type MailRefusal =
  | 'PROVIDER'
  | 'NOT_RENDERED'
  | 'TOO_LARGE'
  | 'LATE'
  | 'NOT_OWED'
  | 'NO_ADDRESS'
  | 'UNDELIVERABLE'

/** What is known once the provider was asked to send a mail; see gateways/mail/sender.ts. */
export type SendOutcome =
  | { kind: 'SENT'; messageId: string | null }
  | { kind: 'REJECTED'; reason: string; refusal?: MailRefusal }
  | { kind: 'NOT_SENT'; reason: string }
  | { kind: 'UNKNOWN'; reason: string }

/** The input of the workflow `sendDocumentEmail`. */
export interface MailInput {
  orgId: string
  emailId: string
  /** The document whose PDF is attached; null for a mail without one. */
  pdfOf: { kind: MailedKind; id: string } | null
}

/** The result of the workflow. */
export interface MailOutcome {
  state: MailState
}

export const mailProcessId = (emailId: string) => `email/${emailId}`
