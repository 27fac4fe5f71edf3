// Records what the provider reports of the recipients of a mail.
import { DOCUMENT_KINDS, type DocumentKind } from '../../domain/documents.ts'
import { recipientKey } from '../../domain/mail-address.ts'
import { stateAfter, type MailReported } from '../../domain/mail-delivery.ts'
import type { MailReport } from '../../domain/mail-run.ts'
import { emailRecipients, findEmail, type Email, type EmailRecipientRow } from '../../models/email.ts'
import type { Books } from '../books/books.ts'

/** The activity entry of each report, on the document that was mailed. */
const ACTIONS: Readonly<Record<MailReport, string>> = {
  DEFERRED: 'EMAIL_DEFERRED',
  DELIVERED: 'EMAIL_DELIVERED',
  OPENED: 'EMAIL_OPENED',
  BOUNCED: 'EMAIL_BOUNCED',
  DROPPED: 'EMAIL_DROPPED',
  SPAM: 'EMAIL_REPORTED_AS_SPAM',
}

/**
 * Records reports on one mail, in any order and however often they come: what says less than what is known changes nothing.
 * Reports on a mail or an address that the organisation does not have are left out.
 */
export async function recordReports(books: Books, emailId: string, reports: readonly MailReported[]): Promise<void> {
  const email = await findEmail(books, emailId, 'FOR UPDATE')
  if (!email) return
  for (const recipient of email.recipients) {
    const own = reports.filter(({ address }) => recipientKey(address) === recipientKey(recipient.address))
    let latest = recipient
    for (const reported of own) latest = afterReport(latest, reported)
    if (latest === recipient) continue
    books.update<EmailRecipientRow>(emailRecipients, recipient, latest)
    recordReport(books, email, latest)
  }
}

function afterReport(recipient: EmailRecipientRow, { report, at, words }: MailReported): EmailRecipientRow {
  if (stateAfter(recipient.reported, report) === recipient.reported) return recipient
  return { ...recipient, reported: report, reported_at: at, report: words }
}

// The address of a hidden recipient is not shown to whoever reads the activity.
function recordReport(books: Books, email: Email, { kind, address, reported, report }: EmailRecipientRow): void {
  const { entity_type: entityType, entity_id: entityId, entity_ref: entityRef, purpose } = email
  if (purpose === 'NOTICE' || !(DOCUMENT_KINDS as readonly string[]).includes(entityType)) return
  books.record({
    action: ACTIONS[reported!],
    entityType: entityType as DocumentKind,
    entityId,
    entityRef,
    metadata: { email_id: email.id, ...(kind === 'BCC' ? {} : { to: address }), ...(report ? { reason: report } : {}) },
  })
}
