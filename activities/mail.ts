// The activities of mail: keep the PDF as it is mailed, send, and record what became of it.
import { createHash } from 'node:crypto'
import { attachPdf, beginSending, recordOutcome } from '../commands/mail/sending.ts'
import type { Books } from '../commands/books/books.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { requesterOf } from '../commands/books/requester.ts'
import type { MailLinks } from '../commands/people/mail-links.ts'
import { isLinkKind, LINK_TOKEN } from '../domain/mail-link.ts'
import { mailedPdfKey, MAX_ATTACHMENT_BYTES, pdfFilename } from '../domain/mail.ts'
import type { MailInput, MailState, SendOutcome } from '../domain/mail-run.ts'
import type { RenderedFile } from '../domain/render-run.ts'
import { mailBody } from '../gateways/mail/html.ts'
import type { MailSender } from '../gateways/mail/sender.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import type { Database } from '../models/database.ts'
import { findEmail, type Email } from '../models/email.ts'
import { findOrganizationFacts } from '../models/token.ts'
import { withHeartbeat } from './heartbeat.ts'
import { organizationTurns } from './turns.ts'
import { unknownRow } from './unknown-row.ts'

export interface MailDependencies {
  connection: Database
  blobs: BlobStore
  /** Null where mail is off. */
  mail: { sender: MailSender; from: string } | null
  /** Makes the secrets of links. */
  links: MailLinks
  /** Wakes the relay, which looks for the deliveries that a commit has queued. */
  wakeRelay(): void
  clock(): Date
}

/** What became of the PDF of a mail. */
export type KeptPdf = { kept: true } | { kept: false; bytes: number }

/**
 * How many mails wait for the provider at once. So few are of one organisation that those which the provider does not answer leave
 * places for the others. A mail is held in memory several times, so few have a large attachment.
 */
const SMALL_MAILS = { places: 40, placesPerKey: 4 }
const LARGE_MAILS = { places: 6, placesPerKey: 2 }
const LARGE_PDF_BYTES = 256 * 1024

export function mailActivities({ connection: database, blobs, mail, links, wakeRelay, clock }: MailDependencies) {
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }
  const [ofSmall, ofLarge] = [organizationTurns(SMALL_MAILS), organizationTurns(LARGE_MAILS)]

  async function inBooks<T>({ orgId, emailId }: MailInput, work: (books: Books) => Promise<T>): Promise<T> {
    const [organization, email] = await Promise.all([
      findOrganizationFacts(database, orgId),
      findEmail({ connection: database, orgId }, emailId),
    ])
    if (!organization || !email) throw unknownRow(`there is no mail ${emailId}`, 'UnknownMail')
    return openBooks(writeContext, requesterOf(email, organization), work)
  }

  return {
    /** Copies the rendered PDF, which is rendered anew when the document changes, to one that stays as it is mailed. */
    async keepMailedPdf(input: MailInput, { key, bytes, number }: RenderedFile): Promise<KeptPdf> {
      if (bytes > MAX_ATTACHMENT_BYTES) return { kept: false, bytes }
      const rendered = await blobs.read(key)
      if (!rendered) throw new Error(`the rendered file ${key} is gone; it is rendered again`)
      const about = { contentType: 'application/pdf', maxBytes: MAX_ATTACHMENT_BYTES }
      const written = await blobs.write(mailedPdfKey(input.orgId, input.emailId), rendered.body, about)
      await inBooks(input, (books) => attachPdf(books, input.emailId, { filename: pdfFilename(number), ...written }))
      return { kept: true }
    },

    /**
     * Sends a mail, once: SENDING is committed before the provider is called, so another try of this activity, after a crash,
     * finds it and does not call again. The outcome is recorded by recordMail, for by then Temporal has it.
     */
    async sendMail(input: MailInput): Promise<SendOutcome> {
      return withHeartbeat(async ({ cancellationSignal }) => {
        const email = await findEmail({ connection: database, orgId: input.orgId }, input.emailId)
        const turn = (email?.pdf_bytes ?? 0) > LARGE_PDF_BYTES ? ofLarge : ofSmall
        return turn(input.orgId, () => send(input, cancellationSignal))
      })
    },

    /** Records what became of a mail. Repeated, it changes nothing more. */
    recordMail: (input: MailInput, outcome: SendOutcome): Promise<MailState> =>
      inBooks(input, (books) => recordOutcome(books, input.emailId, outcome)),
  }

  async function send(input: MailInput, over: AbortSignal): Promise<SendOutcome> {
    const { orgId, emailId } = input
    const [organization, stored] = await Promise.all([
      findOrganizationFacts(database, orgId),
      findEmail({ connection: database, orgId }, emailId),
    ])
    // The people of a sandbox organisation are real.
    const isSandbox = organization?.sandbox === true && !isLinkKind(stored?.entity_type ?? '')
    if (!isSandbox && !mail) return { kind: 'NOT_SENT', reason: 'Mail is off in this installation.' }
    const pdf = await mailedPdf(input)
    if (stored?.state === 'READY' && stored.pdf_sha256 !== null && pdf?.sha256 !== stored.pdf_sha256)
      throw new Error(`the PDF of mail ${emailId} is not what was kept`)
    const found = await inBooks(input, (books) => beginSending(books, emailId, mail?.from ?? 'sandbox@bahi.test'))
    if (found.state !== 'READY') return knownOf(found)
    if (isSandbox) return { kind: 'SENT', messageId: `sandbox-${emailId}` }
    return mail!.sender.send(outgoing(withLink(found, links), pdf?.content ?? null), over)
  }

  async function mailedPdf({ orgId, emailId, pdfOf }: MailInput) {
    if (pdfOf === null) return null
    const stored = await blobs.read(mailedPdfKey(orgId, emailId))
    if (!stored) throw new Error(`the PDF of mail ${emailId} is gone`)
    const content = Buffer.concat(await Array.fromAsync(stored.body as AsyncIterable<Buffer>))
    return { content, sha256: createHash('sha256').update(content).digest('hex') }
  }
}

// A mail that is found in SENDING is that of a try whose worker died: before the provider was called, or after.
function knownOf({ state, message_id, reason }: Email): SendOutcome {
  if (state === 'SENT') return { kind: 'SENT', messageId: message_id }
  if (state === 'REJECTED') return { kind: 'REJECTED', reason: reason ?? '' }
  return { kind: 'UNKNOWN', reason: reason ?? 'The process that sent the mail ended before it had an answer.' }
}

function withLink(email: Email, links: MailLinks): Email {
  const { entity_type: kind, org_id, entity_id } = email
  if (!isLinkKind(kind)) return email
  const token = links.tokenOf(kind, kind === 'INVITATION' ? [org_id, entity_id] : [entity_id])
  return { ...email, body_html: email.body_html.replaceAll(LINK_TOKEN, () => token) }
}

function outgoing(email: Email, content: Buffer | null) {
  const at = (kind: 'TO' | 'CC' | 'BCC') =>
    email.recipients.filter((one) => one.kind === kind).map((one) => one.address)
  const { html, text } = mailBody(email.body_html, email.subject)
  return {
    from: { email: email.sender!, name: email.sender_name },
    replyTo: email.reply_to,
    to: at('TO'),
    cc: at('CC'),
    bcc: at('BCC'),
    subject: email.subject,
    text,
    html,
    attachment: content && { filename: email.pdf_filename!, type: 'application/pdf', content },
    customArgs: { email_id: email.id, org_id: email.org_id },
  }
}
