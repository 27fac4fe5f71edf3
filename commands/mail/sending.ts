// What becomes of a mail: it is being sent, was sent, was refused, or nobody knows.
import type { DocumentKind } from '../../domain/documents.ts'
import { notFound } from '../../domain/faults.ts'
import type { MailRefusal, MailState, SendOutcome } from '../../domain/mail-run.ts'
import { emails, findEmail, type Email, type EmailRow } from '../../models/email.ts'
import { findRow } from '../../models/find.ts'
import { invoices } from '../../models/invoice.ts'
import type { Books } from '../books/books.ts'
import { announceDocument } from '../documents/document-entries.ts'
import { reminderToSend } from './reminders.ts'

/** The PDF as it is mailed. */
export interface MailedPdf {
  filename: string
  bytes: number
  sha256: string
}

/** Notes the PDF that is kept for the mail. A mail that is sent already keeps what it has. */
export async function attachPdf(books: Books, emailId: string, pdf: MailedPdf): Promise<void> {
  const email = await emailOf(books, emailId)
  if (email.state !== 'READY') return
  books.update<EmailRow>(emails, rowOf(email), {
    pdf_filename: pdf.filename,
    pdf_bytes: pdf.bytes,
    pdf_sha256: pdf.sha256,
    last_modified_time: books.now,
  })
}

/**
 * Marks a mail as being sent; the provider may be called once this is committed. Returns the mail as it was found: only one
 * that was READY may be sent by the caller. One that was SENDING is that of a process that died, so nobody knows. A reminder says
 * what is owed now, and is REJECTED where nothing is.
 */
export async function beginSending(books: Books, emailId: string, sender: string): Promise<Email> {
  const email = await emailOf(books, emailId)
  if (email.state !== 'READY') return email
  const latest = email.purpose === 'REMINDER' ? await reminderToSend(books, email) : {}
  if (latest.state === 'REJECTED') {
    books.update<EmailRow>(emails, rowOf(email), { ...latest, last_modified_time: books.now })
    return { ...email, ...latest }
  }
  const begun = { state: 'SENDING' as const, tries: email.tries + 1, reason: null, last_modified_time: books.now }
  books.update<EmailRow>(emails, rowOf(email), { ...latest, ...begun, sender: email.sender ?? sender })
  return { ...email, ...latest, sender: email.sender ?? sender }
}

/**
 * Records what became of a mail, with the activity entry and the event of one that was sent. A mail that is final stays as it is,
 * so recording twice is harmless. One that was NOT_SENT is READY again. Returns its state.
 */
export async function recordOutcome(books: Books, emailId: string, outcome: SendOutcome): Promise<MailState> {
  const email = await emailOf(books, emailId)
  if (email.state !== 'READY' && email.state !== 'SENDING') return email.state
  const change = (changes: Partial<EmailRow>) =>
    books.update<EmailRow>(emails, rowOf(email), { ...changes, last_modified_time: books.now }).state
  switch (outcome.kind) {
    case 'NOT_SENT':
      return change({ state: 'READY', reason: outcome.reason })
    case 'UNKNOWN':
      return change({ state: 'UNKNOWN', reason: outcome.reason })
    case 'REJECTED': {
      const refusal: MailRefusal = outcome.refusal ?? 'PROVIDER'
      return change({ state: 'REJECTED', refusal, reason: outcome.reason })
    }
    case 'SENT':
      await enterSent(books, email)
      return change({ state: 'SENT', message_id: outcome.messageId ?? emailId, reason: null, sent_at: books.now })
  }
}

// The document may have been deleted meanwhile: then nothing is announced of it.
async function enterSent(books: Books, email: Email): Promise<void> {
  if (email.purpose === 'NOTICE') return
  const { entity_type: kind, entity_id: id, entity_ref: ref, recipients } = email
  const isReminder = email.purpose === 'REMINDER'
  books.record({
    action: isReminder ? 'REMINDER_SENT' : 'EMAIL_SENT',
    entityType: kind as DocumentKind,
    entityId: id,
    entityRef: ref,
    metadata: {
      email_id: email.id,
      subject: email.subject,
      // Hidden recipients are counted, and not named to whoever reads the activity.
      to: recipients.filter(({ kind }) => kind !== 'BCC').map(({ address }) => address),
      recipients: recipients.length,
      attached_pdf: email.attach_pdf,
    },
  })
  if (kind !== 'INVOICE') return
  const invoice = await findRow(books, invoices, id)
  if (invoice) announceDocument(books, 'INVOICE', isReminder ? 'invoice.reminded' : 'invoice.sent', invoice)
}

async function emailOf(books: Books, id: string): Promise<Email> {
  const email = await findEmail(books, id, 'FOR UPDATE')
  if (!email) throw notFound('mail')
  return email
}

const rowOf = ({ recipients: _, ...row }: Email): EmailRow => row
