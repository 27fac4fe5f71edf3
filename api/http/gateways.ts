// What a handler can use besides the database: Temporal, the check of webhook URLs, encryption of secrets, files, and cursors.
import type { MailPolicy } from '../../commands/mail/document-mail.ts'
import type { MailLinks } from '../../commands/people/mail-links.ts'
import type { Engine } from '../../gateways/temporal/engine.ts'
import type { AttachmentLimits } from '../../domain/attachment.ts'
import type { BlobStore } from '../../gateways/storage/blobs.ts'
import type { WebhookSender } from '../../gateways/webhook/sender.ts'
import type { TickTime } from '../../domain/tick.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { Site } from './cookies.ts'
import type { Cursors } from './cursors.ts'
import type { SignIns } from './sign-ins.ts'
import type { FileCache } from './file-cache.ts'

export interface Gateways {
  engine: Pick<
    Engine,
    'convert' | 'render' | 'endFormerSeries' | 'runScheduleNow' | 'startBulk' | 'runBulk' | 'runMail'
  >
  sender: Pick<WebhookSender, 'check'>
  sealer: Sealer
  cursors: Cursors
  /** When recurring schedules run. */
  tick: TickTime
  /** The address of the sender of mail, and the most mails of an organisation in a day; null where mail is off. */
  mail: MailPolicy | null
  /** Files and rendered documents. */
  blobs: BlobStore
  signIns: SignIns
  /** Reads the secrets of links in mails. */
  links: MailLinks
  site: Site
  attachmentLimits: AttachmentLimits
  /** Files of the store that were sent lately. */
  files: FileCache
}
