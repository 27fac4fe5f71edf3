// Attachments: the files of documents and contacts, whose content is in the blob store.
import type { Condition } from './condition.ts'
import { findList, finder, type Scope } from './find.ts'
import { BIG_INTEGER, BYTES, INTEGER, TEXT, TIME, UUID, model, orNull, type RowOf } from './model.ts'
import type { NumberedPage } from './recurring.ts'

export const attachments = model('attachments', {
  org_id: UUID,
  id: UUID,
  entity_type: TEXT,
  entity_id: UUID,
  filename: TEXT,
  content_type: TEXT,
  size_bytes: INTEGER,
  sha256: BYTES,
  description: orNull(TEXT),
  uploaded_by_user_id: orNull(UUID),
  /** Since when the nightly sweep has not found the file. */
  missing_since: orNull(TIME),
  created_time: TIME,
})
export type AttachmentRow = RowOf<typeof attachments>

/** What an organisation keeps; a trigger counts. No row until its first attachment. */
const attachmentUsage = model(
  'attachment_usage',
  { org_id: UUID, files: INTEGER, bytes: BIG_INTEGER },
  { key: ['org_id'] },
)
export type AttachmentUsage = Pick<RowOf<typeof attachmentUsage>, 'files' | 'bytes'>

const NOTHING_KEPT: AttachmentUsage = { files: 0, bytes: 0n }

/** How many files and bytes the organisation keeps; with a lock, no other attachment is added before the transaction ends. */
export async function attachmentUsageOf(scope: Scope, lock = false): Promise<AttachmentUsage> {
  return (await (lock ? USAGE_LOCKED : USAGE).first(scope)) ?? NOTHING_KEPT
}

const USAGE = finder(attachmentUsage, () => ({}))
const USAGE_LOCKED = finder(attachmentUsage, () => ({ lock: true }))

/** A page of the attachments, the newest first; and whether there are more. */
export async function pageOfAttachments(
  scope: Scope,
  where: Condition,
  { page, perPage }: NumberedPage,
): Promise<{ rows: AttachmentRow[]; hasMore: boolean }> {
  const found = await findList(scope, attachments, {
    where,
    order: [
      ['created_time', 'DESC'],
      ['id', 'DESC'],
    ],
    limit: perPage + 1,
    offset: (page - 1) * perPage,
  })
  return { rows: found.slice(0, perPage), hasMore: found.length > perPage }
}
