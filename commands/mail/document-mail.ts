// Stores the request to mail a document: to whom, with which subject and text, and whether its PDF is attached.
import { DOCUMENTS } from '../../domain/documents.ts'
import { isUnregistered, type ShownEInvoice } from '../../domain/e-invoice/state.ts'
import { fault } from '../../domain/faults.ts'
import { inOneLine, MAX_RECIPIENTS, recipientsOf, type Recipient } from '../../domain/mail.ts'
import { mailAddress } from '../../domain/mail-address.ts'
import { UNDELIVERABLE } from '../../domain/mail-delivery.ts'
import type { MailedKind } from '../../domain/mail-run.ts'
import { defaultBody, defaultSubject, type MailedDocument } from '../../domain/mail-text.ts'
import { DEFAULT_ORGANIZATION_PREFERENCES, type MailPreferences } from '../../domain/preferences.ts'
import { creditNotes } from '../../models/credit-note.ts'
import { countMails, emailRecipients, emails, findEmail, undeliverableAmong, type Email } from '../../models/email.ts'
import { estimates } from '../../models/estimate.ts'
import { existingRow, type Scope } from '../../models/find.ts'
import { invoices, type InvoiceRow } from '../../models/invoice.ts'
import { findPreferences } from '../../models/preferences.ts'
import type { Books } from '../books/books.ts'
import { today } from '../documents/drafting.ts'

export interface MailRequest {
  to: string[]
  cc?: string[] | null
  bcc?: string[] | null
  subject?: string | null
  body_html?: string | null
  attach_pdf?: boolean | null
}

/** How mail is sent here; null where it is off. */
export interface MailPolicy {
  /** The address that the provider has verified. */
  from: string
  /** The most mails of an organisation in a day. */
  dailyLimit: number
}

/** What is mailed of a document: the facts that its texts and its events name. */
export interface MailableDocument {
  id: string
  kind: MailedKind
  number: string
  customerName: string
  total: bigint
  currency: string
  status: string
  eInvoice: ShownEInvoice | null
}

/**
 * Stores the mail under `id`. Returns the stored one if the id exists already; `isNew` says that it cannot.
 * Throws not_found.resource for a document that does not exist, validation.invalid_value for a credit of a vendor,
 * conflict.limit_reached for a mail beyond those of the day, and service.unavailable where mail is off: a sandbox organisation,
 * which sends nothing, may do without.
 */
export async function requestDocumentMail(
  books: Books,
  id: string,
  { kind, documentId }: { kind: MailedKind; documentId: string },
  input: MailRequest,
  policy: MailPolicy | null,
  isNew = false,
): Promise<Email> {
  const earlier = isNew ? null : await findEmail(books, id)
  if (earlier) return earlier
  const document = await mailableOf(books, kind, documentId)
  const { sandbox, name } = books.organization
  if (!policy && !sandbox) throw fault('service.unavailable', { message: 'Mail is off in this installation.' })
  const mail = { ...DEFAULT_ORGANIZATION_PREFERENCES.mail, ...(await findPreferences(books)).mail }
  await refuseBeyondLimit(books, dailyLimitOf(mail, policy))
  const texts: MailedDocument = {
    ...document,
    noun: DOCUMENTS[kind].noun,
    organizationName: name,
    notInForce: notInForce(document),
  }
  const attach = input.attach_pdf ?? true
  const row = books.insert(emails, {
    ...EMPTY,
    id,
    purpose: 'DOCUMENT',
    entity_type: kind,
    entity_id: document.id,
    entity_ref: document.number,
    sender: policy?.from ?? SANDBOX_SENDER,
    sender_name: inOneLine(mail.from_name ?? name),
    reply_to: mail.reply_to,
    subject: input.subject?.trim() || defaultSubject(texts),
    body_html: input.body_html?.trim() ? input.body_html : defaultBody(texts, attach),
    attach_pdf: attach,
    requested_by: books.caller.userId,
    origin: books.caller.origin,
    created_time: books.now,
    last_modified_time: books.now,
  })
  warnOfStatus(books, document)
  warnOfEInvoice(books, document)
  const recipients = recipientsIn(input)
  await warnOfUndeliverable(books, recipients)
  return { ...row, recipients: insertRecipients(books, id, recipients) }
}

export const SANDBOX_SENDER = 'sandbox@bahi.test'

/** A mail that nobody has tried to send. */
export const EMPTY = {
  state: 'READY',
  pdf_filename: null,
  pdf_bytes: null,
  pdf_sha256: null,
  tries: 0,
  message_id: null,
  refusal: null,
  reason: null,
  reminded_on: null,
  template: null,
  sent_at: null,
} as const

export function insertRecipients(books: Books, emailId: string, recipients: Recipient[]) {
  return recipients.slice(0, MAX_RECIPIENTS).map((recipient, place) =>
    books.insert(emailRecipients, {
      ...recipient,
      email_id: emailId,
      place,
      reported: null,
      reported_at: null,
      report: null,
    }),
  )
}

/** The document as mails name it. Throws as requestDocumentMail does. */
async function mailableOf(scope: Scope, kind: MailedKind, id: string): Promise<MailableDocument> {
  const { noun } = DOCUMENTS[kind]
  type Facts = Pick<InvoiceRow, 'id' | 'customer_name' | 'total' | 'currency_code'> & { status: string } & Partial<
      Pick<InvoiceRow, 'e_invoice'>
    >
  const facts = (row: Facts, number: string) => ({
    id: row.id,
    kind,
    number,
    customerName: row.customer_name,
    total: row.total,
    currency: row.currency_code,
    status: row.status,
    eInvoice: row.e_invoice ?? null,
  })
  switch (kind) {
    case 'INVOICE': {
      const invoice = await existingRow(scope, invoices, id, noun)
      return facts(invoice, invoice.invoice_number)
    }
    case 'ESTIMATE': {
      const estimate = await existingRow(scope, estimates, id, noun)
      return facts(estimate, estimate.estimate_number)
    }
    case 'CREDIT_NOTE': {
      const note = await existingRow(scope, creditNotes, id, noun)
      if (note.type === 'vendor')
        throw fault('validation.invalid_value', { message: "A vendor's credit note is not mailed: it is theirs." })
      return facts(note, note.credit_note_number)
    }
  }
}

/** The most mails of the organisation in a day: what it prefers, and never more than the operator allows. */
export const dailyLimitOf = ({ daily_limit }: MailPreferences, policy: MailPolicy | null): number =>
  Math.min(daily_limit, policy?.dailyLimit ?? daily_limit)

/** Throws conflict.limit_reached where the organisation has sent its mails of today. No other call counts them until the commit. */
export async function refuseBeyondLimit(books: Books, limit: number): Promise<void> {
  const day = { day: today(books), zone: books.organization.time_zone }
  if ((await countMails(books, 'OTHER', day, 'lock')) < limit) return
  throw fault('conflict.limit_reached', {
    message: `The organisation has sent its ${limit} mails of today; more can be sent tomorrow.`,
    details: { limit },
  })
}

// An estimate is an offer as a draft too.
function notInForce({ kind, status }: MailableDocument): 'draft' | 'cancelled' | null {
  if (status === 'CANCELLED') return 'cancelled'
  return status === 'DRAFT' && kind !== 'ESTIMATE' ? 'draft' : null
}

function warnOfStatus(books: Books, document: MailableDocument): void {
  const how = notInForce(document)
  if (!how) return
  const is = how === 'draft' ? 'a draft' : 'cancelled'
  books.warn({
    code: 'email.not_in_force',
    message: `The document is ${is}. The mail is sent all the same.`,
    details: { status: document.status },
  })
}

// Without its IRN, the document is no invoice (CGST Rules, rule 48(5)).
export function warnOfEInvoice(books: Books, { eInvoice }: Pick<MailableDocument, 'eInvoice'>): void {
  if (!eInvoice || !isUnregistered(eInvoice)) return
  const how = eInvoice.status === 'PENDING' ? 'is not registered yet' : 'could not be registered'
  books.warn({
    code: 'email.e_invoice_not_registered',
    message: `The e-invoice of the document ${how}, and without its IRN the document is no invoice. The mail is sent all the same.`,
    details: { status: eInvoice.status, errors: eInvoice.errors },
  })
}

export async function warnOfUndeliverable(books: Books, recipients: Recipient[]): Promise<void> {
  const addresses = recipients.map(({ address }) => address)
  const found = await undeliverableAmong(books, addresses, UNDELIVERABLE)
  if (found.length === 0) return
  books.warn({
    code: 'email.undeliverable_address',
    message: `Earlier mail did not arrive at ${found.map(({ address }) => address).join(', ')}. The mail is sent all the same.`,
    details: {
      addresses: found.map(({ address, reported, reported_at }) => ({
        address,
        status: reported,
        reported_at: reported_at.toISOString(),
      })),
    },
  })
}

// The shape has refused what is no address.
export function recipientsIn({ to, cc, bcc }: MailRequest): Recipient[] {
  const sent = (list: string[] | null | undefined) => (list ?? []).flatMap((address) => mailAddress(address) ?? [])
  return recipientsOf({ to: sent(to), cc: sent(cc), bcc: sent(bcc) })
}
