// Reminders of an invoice: one that a caller asks for, the row of any, and what is made of it at the moment of sending.
import { fault } from '../../domain/faults.ts'
import { inOneLine, type Recipient } from '../../domain/mail.ts'
import type { MailRefusal } from '../../domain/mail-run.ts'
import { paragraphsOf } from '../../domain/mail-text.ts'
import {
  DEFAULT_ORGANIZATION_PREFERENCES,
  type MailPreferences,
  type ReminderPreferences,
} from '../../domain/preferences.ts'
import { refuseUnknownPlaceholders, reminderTexts, type ReminderTemplate } from '../../domain/reminder-text.ts'
import { addressOfCustomer, canBeReminded, refuseReminder } from '../../domain/reminders.ts'
import { contacts } from '../../models/contact.ts'
import { emails, findEmail, type Email, type EmailRow } from '../../models/email.ts'
import { existingRow, findRow } from '../../models/find.ts'
import { invoices, type InvoiceRow } from '../../models/invoice.ts'
import { findPreferences } from '../../models/preferences.ts'
import { remindersOf } from '../../models/reminder.ts'
import type { Books } from '../books/books.ts'
import { today } from '../documents/drafting.ts'
import {
  dailyLimitOf,
  EMPTY,
  insertRecipients,
  recipientsIn,
  refuseBeyondLimit,
  SANDBOX_SENDER,
  warnOfEInvoice,
  warnOfUndeliverable,
  type MailPolicy,
  type MailRequest,
} from './document-mail.ts'

/** Without `to`, the customer is reminded at their own address; without texts, by those of the organisation. */
export type ReminderRequest = Omit<MailRequest, 'to'> & { to?: string[] | null }

/** What the organisation prefers of its mail and its reminders. */
export interface ReminderPolicy {
  mail: MailPreferences
  reminders: ReminderPreferences
}

export async function reminderPolicyOf(books: Books): Promise<ReminderPolicy> {
  const { mail, reminders } = await findPreferences(books)
  return {
    mail: { ...DEFAULT_ORGANIZATION_PREFERENCES.mail, ...mail },
    reminders: { ...DEFAULT_ORGANIZATION_PREFERENCES.reminders, ...reminders },
  }
}

/** The texts of the organisation, as reminders are made of them. */
export const templateOf = ({ subject, text }: ReminderPreferences): ReminderTemplate => ({
  subject,
  html: text === null ? null : paragraphsOf(text),
})

/**
 * Stores a reminder under `id`, to be sent now. Returns the stored one if the id exists already; `isNew` says that it cannot.
 * Throws not_found.resource; conflict.invalid_state for an invoice that is not owed or is disputed; validation.duplicate_resource
 * where its customer was reminded today; validation.required_field where the customer has no address and none is sent;
 * validation.invalid_value for a placeholder that there is not; and what requestDocumentMail throws of limits and mail that is off.
 */
export async function requestReminder(
  books: Books,
  id: string,
  invoiceId: string,
  input: ReminderRequest,
  policy: MailPolicy | null,
  isNew = false,
): Promise<Email> {
  const earlier = isNew ? null : await findEmail(books, id)
  if (earlier) return earlier
  refuseReminder(await existingRow(books, invoices, invoiceId, 'invoice'))
  refuseUnknownPlaceholders(input.subject, 'subject')
  refuseUnknownPlaceholders(input.body_html, 'body_html')
  const { sandbox } = books.organization
  if (!policy && !sandbox) throw fault('service.unavailable', { message: 'Mail is off in this installation.' })
  const preferences = await reminderPolicyOf(books)
  await refuseBeyondLimit(books, dailyLimitOf(preferences.mail, policy))
  const invoice = await existingRow(books, invoices, invoiceId, 'invoice', 'FOR UPDATE')
  refuseReminder(invoice)
  await refuseSecondOfDay(books, invoice)
  const recipients = recipientsIn({ ...input, to: input.to ?? [await addressOf(books, invoice)] })
  const own = templateOf(preferences.reminders)
  const template = {
    subject: input.subject?.trim() || own.subject,
    html: input.body_html?.trim() ? input.body_html : own.html,
  }
  const attach = input.attach_pdf ?? preferences.reminders.attach_pdf
  const email = enterReminder(books, { id, invoice, recipients, template, attach, mail: preferences.mail, policy })
  await warnOfUndeliverable(books, recipients)
  warnOfEInvoice(books, { eInvoice: invoice.e_invoice })
  return email
}

/** A reminder to be entered; `refused` for one that cannot be sent, which is kept to show why. */
export interface EnteredReminder {
  id: string
  invoice: InvoiceRow
  recipients: Recipient[]
  template: ReminderTemplate
  attach: boolean
  mail: MailPreferences
  policy: MailPolicy | null
  refused?: { refusal: MailRefusal; reason: string }
}

/** Adds a reminder of today to the books; the invoice must be locked. */
export function enterReminder(books: Books, entered: EnteredReminder): Email {
  const { id, invoice, recipients, template, attach, mail, policy, refused } = entered
  const row = books.insert(emails, {
    ...EMPTY,
    ...(refused && { state: 'REJECTED' as const, ...refused }),
    id,
    purpose: 'REMINDER',
    entity_type: 'INVOICE',
    entity_id: invoice.id,
    entity_ref: invoice.invoice_number,
    sender: policy?.from ?? SANDBOX_SENDER,
    sender_name: inOneLine(mail.from_name ?? books.organization.name),
    reply_to: mail.reply_to,
    ...textsOf(books, invoice, template, attach),
    attach_pdf: attach,
    requested_by: books.caller.userId,
    origin: books.caller.origin,
    reminded_on: today(books),
    template,
    created_time: books.now,
    last_modified_time: books.now,
  })
  return { ...row, recipients: insertRecipients(books, id, recipients) }
}

/**
 * What changes of a reminder at the moment of sending: its texts say what is owed now, and its day is today. It is refused where
 * the invoice is not owed any more, or is disputed, or where its customer was reminded otherwise on the day that has come.
 */
export async function reminderToSend(books: Books, email: Email): Promise<Partial<EmailRow>> {
  const refused = (refusal: MailRefusal, reason: string) => ({ state: 'REJECTED' as const, refusal, reason })
  const invoice = await findRow(books, invoices, email.entity_id, 'FOR UPDATE')
  if (!invoice || !canBeReminded(invoice)) {
    const what = invoice?.dispute ? 'is disputed' : 'is not owed any more'
    return refused('NOT_OWED', `The invoice ${what}, so nobody was reminded of it.`)
  }
  const day = today(books)
  if (day !== email.reminded_on) {
    const history = (await remindersOf(books, [invoice.id], day)).get(invoice.id)
    if (history?.tried_today)
      return refused('LATE', 'A day passed before it could be sent, and another reminder came first.')
  }
  const texts = textsOf(books, invoice, email.template ?? { subject: null, html: null }, email.attach_pdf)
  return { ...texts, reminded_on: day }
}

function textsOf(books: Books, invoice: InvoiceRow, template: ReminderTemplate, withPdf: boolean) {
  const { subject, html } = reminderTexts(template, {
    number: invoice.invoice_number,
    customerName: invoice.customer_name,
    organizationName: books.organization.name,
    date: invoice.date,
    dueDate: invoice.due_date,
    today: today(books),
    total: invoice.total,
    balance: invoice.balance,
    currency: invoice.currency_code,
    // The link asks for the whole total, which is signed into it.
    paymentLink: invoice.balance === invoice.total ? invoice.payment_link_url : null,
    withPdf,
  })
  return { subject, body_html: html }
}

async function refuseSecondOfDay(books: Books, { id }: InvoiceRow): Promise<void> {
  const day = today(books)
  const history = (await remindersOf(books, [id], day)).get(id)
  if (!history?.todays) return
  throw fault('validation.duplicate_resource', {
    message: 'The customer was reminded of this invoice today; the next reminder can be sent tomorrow.',
    details: { existing_email_id: history.todays, existing_date: day },
  })
}

async function addressOf(books: Books, { customer_id }: InvoiceRow): Promise<string> {
  const customer = await findRow(books, contacts, customer_id)
  const address = customer && addressOfCustomer(customer)
  if (address) return address
  throw fault('validation.required_field', {
    field: 'to',
    message: 'The customer has no e-mail address; name one in to.',
  })
}
