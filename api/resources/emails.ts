// The routes that mail documents and list their mails: each mail starts a workflow, and waits for its result.
import { Type } from 'typebox'
import type { Books } from '../../commands/books/books.ts'
import { requestDocumentMail, type MailPolicy } from '../../commands/mail/document-mail.ts'
import { requestReminder } from '../../commands/mail/reminders.ts'
import { DOCUMENTS } from '../../domain/documents.ts'
import { fault } from '../../domain/faults.ts'
import { mailedPdfKey, MAX_ATTACHMENT_BYTES } from '../../domain/mail.ts'
import { refuseReminder } from '../../domain/reminders.ts'
import type { MailedKind } from '../../domain/mail-run.ts'
import { emails, findEmail, mailsOf, withRecipients, type Email, type EmailRow } from '../../models/email.ts'
import { existingDocument } from '../../models/existing-document.ts'
import { existingRow } from '../../models/find.ts'
import { invoices } from '../../models/invoice.ts'
import { pageOf } from '../../models/page.ts'
import { modifiedSince, schemasOf, whereOf } from '../http/listing.ts'
import { PageContext, pageQuery, pagingOf } from '../http/page.ts'
import { route, type RequestContext, type WorkflowAnswer } from '../http/route.ts'
import {
  EmailShape,
  MailDelivery,
  MailRequest,
  recipientProblems,
  ReminderRequest,
  showDelivery,
  showEmail,
} from '../shapes/email.ts'
import { one } from '../shapes/fields.ts'

const URL_SECONDS = 900

const emailOf = (kind: MailedKind, tag: string) =>
  route({
    method: 'POST',
    path: `${DOCUMENTS[kind].path}/{${DOCUMENTS[kind].id}}/email`,
    tag,
    does: `Mail ${nameOf(kind)} with its PDF`,
    scope: `${DOCUMENTS[kind].scope}.UPDATE`,
    answer: one('delivery', MailDelivery),
    warns: true,
    body: MailRequest,
    alsoCheck: recipientProblems,
    prepare: async (_input, gateways) => gateways.mail,
    async startWorkflow(books, { params, body }, request, prepared) {
      const document = { kind, documentId: params[DOCUMENTS[kind].id]! }
      const policy = prepared() as MailPolicy | null
      return mailing(books, await requestDocumentMail(books, request.id, document, body, policy, request.isNew))
    },
  })

const remind = route({
  method: 'POST',
  path: '/invoices/{invoice_id}/remind',
  tag: 'Invoices',
  does: 'Remind the customer of an unpaid invoice by mail, at most once a day',
  scope: 'invoices.UPDATE',
  answer: one('delivery', MailDelivery),
  warns: true,
  body: ReminderRequest,
  alsoCheck: recipientProblems,
  prepare: async (_input, gateways) => gateways.mail,
  async startWorkflow(books, { params, body }, request, prepared) {
    const policy = prepared() as MailPolicy | null
    return mailing(books, await requestReminder(books, request.id, params.invoice_id!, body, policy, request.isNew))
  },
})

const filters = modifiedSince()
const query = pageQuery(schemasOf(filters))

const emailsOf = (kind: MailedKind, tag: string) =>
  route({
    method: 'GET',
    path: `${DOCUMENTS[kind].path}/{${DOCUMENTS[kind].id}}/emails`,
    tag,
    does: `List the mails of ${nameOf(kind)}, with what became of each recipient`,
    scope: `${DOCUMENTS[kind].scope}.READ`,
    query,
    answer: Type.Object({ emails: Type.Array(EmailShape), page_context: PageContext }),
    async list(context, { params, query: asked }) {
      const id = await existingDocument(context, kind, params[DOCUMENTS[kind].id]!)
      const paging = pagingOf(context, `${DOCUMENTS[kind].path}/${id}/emails`, query, asked)
      const where = mailsOf(kind, id, whereOf(filters, asked, context))
      const { rows, end, hasMore } = await pageOf(context, emails, { ...paging.request, where })
      return {
        key: 'emails',
        rows,
        answer: { emails: [], page_context: paging.contextOf({ end, hasMore }) },
        show: async (some) => {
          const whole = await withRecipients(context, some as EmailRow[])
          return Promise.all(whole.map(async (email) => showEmail(email, await pdfUrlOf(context, email))))
        },
      }
    },
  })

/** Where anybody can read the PDF as it was mailed, for a while. */
async function pdfUrlOf({ gateways }: RequestContext, email: Email): Promise<string | null> {
  const { org_id: orgId, id, pdf_filename: filename } = email
  if (filename === null) return null
  const about = { seconds: URL_SECONDS, filename, contentType: 'application/pdf', disposition: 'inline' } as const
  return gateways.blobs.presign(mailedPdfKey(orgId, id), about)
}

const nameOf = (kind: MailedKind) => `${kind === 'CREDIT_NOTE' ? 'a' : 'an'} ${DOCUMENTS[kind].noun}`

export const invoiceMailRoutes = [emailOf('INVOICE', 'Invoices'), remind, emailsOf('INVOICE', 'Invoices')]
export const creditNoteMailRoutes = [emailOf('CREDIT_NOTE', 'Credit notes'), emailsOf('CREDIT_NOTE', 'Credit notes')]
export const estimateMailRoutes = [emailOf('ESTIMATE', 'Estimates'), emailsOf('ESTIMATE', 'Estimates')]

/** The answer to a call that has stored a mail: it waits for the workflow that sends it, and shows what became of it. */
function mailing(books: Books, stored: Email): WorkflowAnswer {
  const { org_id: orgId, id: emailId, entity_type: entityType, entity_id: entityId, attach_pdf: attach } = stored
  const isOpen = stored.state === 'READY' || stored.state === 'SENDING'
  const { warnings } = books
  return async (context) => {
    const pdfOf = attach ? { kind: entityType as MailedKind, id: entityId } : null
    if (isOpen) await context.gateways.engine.runMail({ orgId, emailId, pdfOf }, { entityType, entityId })
    const email = await findEmail(context, emailId)
    if (email?.refusal === 'NOT_OWED') refuseReminder(await existingRow(context, invoices, entityId, 'invoice'))
    return { message: 'Mail sent.', delivery: showDelivery(sent(email)), warnings }
  }
}

/** The mail, once it is sent. Throws email.send_failed where it was not, or where that is not known. */
function sent(email: Email | null): Email {
  switch (email?.state) {
    case 'SENT':
      return email
    case 'REJECTED': {
      if (email.refusal !== 'TOO_LARGE')
        throw fault('email.send_failed', {
          message: `The mail was not sent. ${email.reason}`,
          details: detailsOf(email),
        })
      const limit = `${MAX_ATTACHMENT_BYTES / 2 ** 20} MB`
      const message = `${email.reason} Up to ${limit} are attached; send it with attach_pdf false.`
      throw fault('validation.invalid_value', {
        field: 'attach_pdf',
        message,
        details: { limit: MAX_ATTACHMENT_BYTES },
      })
    }
    case 'UNKNOWN':
      throw fault('email.send_failed', {
        message: `It is not known whether the mail was sent, and it is not sent again. ${email.reason}`,
        details: detailsOf(email),
      })
    default:
      throw fault('service.unavailable', {
        message: 'The mail has not been sent yet; send the call again with the same Idempotency-Key.',
        retryAfter: 5,
      })
  }
}

const detailsOf = ({ id, state }: Email) => ({ email_id: id, status: state })
