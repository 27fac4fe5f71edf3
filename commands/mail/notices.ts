// Mails to the people of an organisation, queued in the transaction of what they are told of.
import { inOneLine, recipientsOf, type Recipient } from '../../domain/mail.ts'
import { mailAddress } from '../../domain/mail-address.ts'
import { LINK_TOKEN, type LinkKind } from '../../domain/mail-link.ts'
import { paragraphsOf } from '../../domain/mail-text.ts'
import { countMails, emails } from '../../models/email.ts'
import { ownersOf } from '../../models/organization.ts'
import type { Books } from '../books/books.ts'
import { today } from '../documents/drafting.ts'
import { EMPTY, insertRecipients } from './document-mail.ts'

/** A mail to people: `text` is plain, with an empty line between paragraphs. */
export interface Notice {
  to: string[]
  subject: string
  text: string
  /** What it is about. */
  about: { entityType: string; entityId: string; entityRef?: string | null }
}

/** The most notices of an organisation in a day: the same trouble of thousands of schedules is one trouble. */
const MAX_NOTICES_A_DAY = 100

/**
 * Queues a mail to people in the transaction of its cause; the worker sends it, where mail is on. Nothing is queued for a sandbox
 * organisation, without a valid address, or beyond MAX_NOTICES_A_DAY.
 */
export async function queueNotice(books: Books, { to, subject, text, about }: Notice): Promise<void> {
  const recipients = recipientsOf({ to: to.flatMap((address) => mailAddress(address) ?? []), cc: [], bcc: [] })
  if (recipients.length === 0 || books.organization.sandbox) return
  const day = { day: today(books), zone: books.organization.time_zone }
  if ((await countMails(books, 'NOTICE', day)) >= MAX_NOTICES_A_DAY) return
  insertNotice(books, { subject, text, about }, recipients)
}

/** A mail with a link that lets its reader in, between two paragraphs. */
export interface LinkMail extends Omit<Notice, 'text'> {
  before: string
  /** The address of the link, up to its secret. */
  link: string
  after: string
  about: Notice['about'] & { entityType: LinkKind }
}

/**
 * Queues a mail with a link. LINK_TOKEN stands for the secret behind the address, and nowhere else: names that people have chosen
 * may contain it. It is sent for a sandbox organisation too: its people are real. Returns false without a valid address.
 */
export function queueLinkMail(books: Books, { to, before, link, after, ...notice }: LinkMail): boolean {
  const recipients = recipientsOf({ to: to.flatMap((address) => mailAddress(address) ?? []), cc: [], bcc: [] })
  // A space, so that what stood around it does not become another one.
  const [first, address, last] = [before, link, after].map((part) => part.replaceAll(LINK_TOKEN, ' '))
  const text = [first, `${address}${LINK_TOKEN}`, last].join('\n\n')
  if (recipients.length > 0) insertNotice(books, { ...notice, text }, recipients)
  return recipients.length > 0
}

function insertNotice(books: Books, { subject, text, about }: Omit<Notice, 'to'>, recipients: Recipient[]): void {
  const { id } = books.insert(emails, {
    ...EMPTY,
    id: books.newId(),
    purpose: 'NOTICE',
    entity_type: about.entityType,
    entity_id: about.entityId,
    entity_ref: about.entityRef ?? null,
    sender: null,
    sender_name: 'Bahi',
    reply_to: null,
    subject: inOneLine(subject).slice(0, 500),
    body_html: paragraphsOf(text),
    attach_pdf: false,
    requested_by: books.caller.userId,
    origin: books.caller.origin,
    created_time: books.now,
    last_modified_time: books.now,
  })
  insertRecipients(books, id, recipients)
}

/** The same to the owners of the organisation. */
export async function tellOwners(books: Books, notice: Omit<Notice, 'to'>): Promise<void> {
  const owners = await ownersOf(books)
  await queueNotice(books, { ...notice, to: owners.map(({ email }) => email) })
}
