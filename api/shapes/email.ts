// The request to mail a document, its answer, and the mails of a document as JSON.
import { Type, type Static } from 'typebox'
import type { FieldProblem } from '../../domain/faults.ts'
import { MAX_RECIPIENTS } from '../../domain/mail.ts'
import { MAIL_REPORTS, MAIL_STATES } from '../../domain/mail-run.ts'
import type { Email } from '../../models/email.ts'
import { Id, nullable, optional, Text, Timestamp } from './fields.ts'

const Address = Type.String({ format: 'mail-address', maxLength: 254 })
const Addresses = Type.Array(Address, { maxItems: MAX_RECIPIENTS })

const To = Type.Array(Address, { minItems: 1, maxItems: MAX_RECIPIENTS })
const mailFields = {
  cc: optional(Addresses),
  bcc: optional(Addresses),
  subject: optional(Type.String({ format: 'one-line', maxLength: 500 })),
  body_html: optional(Text(50_000)),
  attach_pdf: optional(Type.Boolean()),
}

export const MailRequest = Type.Object(
  { to: To, ...mailFields },
  {
    examples: [
      {
        to: ['accounts@example.com'],
        cc: ['owner@example.com'],
        subject: 'Your invoice for November',
        body_html: '<p>Dear customer,</p><p>please find your invoice attached.</p>',
      },
    ],
  },
)

export const ReminderRequest = Type.Object(
  { to: optional(To), ...mailFields },
  {
    examples: [
      {
        subject: 'Invoice {{number}} is open for {{days_overdue}} days',
        body_html: '<p>Dear {{customer_name}},</p><p>please pay {{amount_due}}.</p>',
      },
    ],
  },
)

/** The bound on all recipients together, which the shapes of the lists cannot say. */
export function recipientProblems(body: unknown): FieldProblem[] {
  const { to, cc, bcc } = (body ?? {}) as Record<string, unknown>
  const recipients = [to, cc, bcc].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
  if (recipients <= MAX_RECIPIENTS) return []
  return [
    { field: 'to', code: 'too_many', message: `must not have more than ${MAX_RECIPIENTS} recipients with cc and bcc` },
  ]
}

export const MailDelivery = Type.Object({
  message_id: Type.String({ description: 'The id that the provider has given the mail.' }),
  from: Type.String(),
  to: Type.Array(Type.String()),
  cc: Type.Array(Type.String()),
  bcc_count: Type.Integer({ minimum: 0 }),
  subject: Type.String(),
  attached_pdf: Type.Boolean(),
  pdf_filename: nullable(Type.String()),
  pdf_size: nullable(Type.Integer({ description: 'In bytes.' })),
  sent_at: Timestamp,
})

export const EmailShape = Type.Object({
  email_id: Id,
  purpose: Type.Enum(['DOCUMENT', 'REMINDER']),
  status: Type.Enum([...MAIL_STATES], {
    description:
      'SENT: the provider has taken it. REJECTED: it is not sent. UNKNOWN: the provider may have it; it is not sent again.',
  }),
  error: nullable(Type.String({ description: 'Why it is not sent, is not known to be sent, or waits.' })),
  message_id: nullable(Type.String()),
  from: nullable(Type.String()),
  from_name: Type.String(),
  reply_to: nullable(Type.String()),
  subject: Type.String(),
  recipients: Type.Array(
    Type.Object({
      kind: Type.Enum(['TO', 'CC', 'BCC']),
      address: Type.String(),
      status: Type.Enum([...new Set([...MAIL_STATES, ...MAIL_REPORTS])], {
        description: 'What the provider has reported last; until then the status of the mail.',
      }),
      reported_at: nullable(Timestamp),
      report: nullable(Type.String({ description: "The provider's words about it." })),
    }),
  ),
  attached_pdf: Type.Boolean(),
  pdf_filename: nullable(Type.String()),
  pdf_size: nullable(Type.Integer()),
  pdf_url: nullable(
    Type.String({
      format: 'uri',
      description: 'A URL of the PDF as it was mailed, which anybody can read for 15 minutes.',
    }),
  ),
  requested_by: nullable(Id),
  created_time: Timestamp,
  sent_at: nullable(Timestamp),
})

const at = (email: Email, kind: 'TO' | 'CC' | 'BCC') =>
  email.recipients.filter((one) => one.kind === kind).map(({ address }) => address)

export function showDelivery(email: Email): Static<typeof MailDelivery> {
  return {
    message_id: email.message_id ?? email.id,
    from: email.sender ?? '',
    to: at(email, 'TO'),
    cc: at(email, 'CC'),
    bcc_count: at(email, 'BCC').length,
    subject: email.subject,
    attached_pdf: email.pdf_filename !== null,
    pdf_filename: email.pdf_filename,
    pdf_size: email.pdf_bytes,
    sent_at: email.sent_at!.toISOString(),
  }
}

/** `pdfUrl` is where the PDF can be read as it was mailed; null where there is none. */
export function showEmail(email: Email, pdfUrl: string | null): Static<typeof EmailShape> {
  return {
    email_id: email.id,
    purpose: email.purpose === 'REMINDER' ? 'REMINDER' : 'DOCUMENT',
    status: email.state,
    error: email.reason,
    message_id: email.message_id,
    from: email.sender,
    from_name: email.sender_name,
    reply_to: email.reply_to,
    subject: email.subject,
    recipients: email.recipients.map(({ kind, address, reported, reported_at, report }) => ({
      kind,
      address,
      status: reported ?? email.state,
      reported_at: reported_at?.toISOString() ?? null,
      report,
    })),
    attached_pdf: email.pdf_filename !== null,
    pdf_filename: email.pdf_filename,
    pdf_size: email.pdf_bytes,
    pdf_url: pdfUrl,
    requested_by: email.requested_by,
    created_time: email.created_time.toISOString(),
    sent_at: email.sent_at?.toISOString() ?? null,
  }
}
