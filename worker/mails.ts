// Background work for mails: starts those whose workflow is gone, gives up those that are too late, and removes old ones.
import { LATE_MS, mailedPdfKey } from '../domain/mail.ts'
import type { MailedKind } from '../domain/mail-run.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import type { Database } from '../models/database.ts'
import { giveUpLateMails, mailsLeft, oldMails, removeMail } from '../models/email.ts'

interface MailJobsDependencies {
  connection: Database
  engine: Pick<Engine, 'startMail'>
  blobs: Pick<BlobStore, 'remove'>
  /** Whether mail is on. */
  sendsMail: boolean
  /** How long mails are kept, in days; 0 for ever. */
  retainMailDays: number
  clock(): Date
}

/** The call that stored a younger mail is about to start it, or waits for it. */
const LEFT_MS = 40_000
const DAY_MS = 24 * 60 * 60 * 1_000
const AT_ONCE = 500
/** The workflows of one organisation that are open at once because of this job. */
const OF_ONE = 50

/**
 * Starts every stored mail that is to be sent: notices, and those whose call died before it could start them, whose workflow was
 * lost, or for which Temporal was unavailable. A workflow that is running is not disturbed. While mail is off nothing is started;
 * what is a day old by then is given up.
 */
export async function startMailsLeft({
  connection,
  engine,
  sendsMail,
  clock,
}: Omit<MailJobsDependencies, 'retainMailDays' | 'blobs'>): Promise<void> {
  const now = clock().getTime()
  await giveUpLateMails(connection, new Date(now - LATE_MS), clock())
  if (!sendsMail) return
  for (const mail of await mailsLeft(connection, new Date(now - LEFT_MS), { most: AT_ONCE, ofOne: OF_ONE })) {
    const { org_id: orgId, id: emailId, entity_type: entityType, entity_id: entityId } = mail
    const pdfOf = mail.attach_pdf ? { kind: entityType as MailedKind, id: entityId } : null
    await engine.startMail({ orgId, emailId, pdfOf }, { entityType, entityId, isUrgent: mail.purpose !== 'REMINDER' })
  }
}

/** Removes the mails that are final and older than they are kept, each after its PDF. */
export async function forgetOldMails({
  connection,
  blobs,
  retainMailDays,
  clock,
}: Omit<MailJobsDependencies, 'engine' | 'sendsMail'>): Promise<void> {
  if (retainMailDays === 0) return
  const before = new Date(clock().getTime() - retainMailDays * DAY_MS)
  for (;;) {
    const old = await oldMails(connection, before, AT_ONCE)
    for (const { org_id: orgId, id, pdf_bytes: bytes } of old) {
      if (bytes !== null) await blobs.remove(mailedPdfKey(orgId, id))
      await removeMail({ connection, orgId }, id)
    }
    if (old.length < AT_ONCE) return
  }
}
