// The commands on attachments: add one whose file is kept already, and delete one.
import { ATTACHABLE_TYPES, type AttachableType, type AttachmentLimits } from '../../domain/attachment.ts'
import { fault } from '../../domain/faults.ts'
import { attachments, attachmentUsageOf, type AttachmentRow, type AttachmentUsage } from '../../models/attachment.ts'
import { existingRow, type Lock, type Scope } from '../../models/find.ts'
import { referenceOf } from '../../models/references.ts'
import type { Books } from '../books/books.ts'
import type { KeptFile } from './files.ts'

export interface AttachmentFields {
  entity_type: string
  entity_id: string
  description?: string | undefined
}

/** The attachment of this id. Throws not_found.resource for one that the organisation does not have. */
export const existingAttachment = (scope: Scope, id: string, lock: Lock = ''): Promise<AttachmentRow> =>
  existingRow(scope, attachments, id, 'attachment', lock)

/** Throws conflict.limit_reached where the organisation keeps as much as it may. */
export async function refuseFull(scope: Scope, limits: AttachmentLimits): Promise<void> {
  refuseBeyond(await attachmentUsageOf(scope), limits, 1)
}

/**
 * Adds the attachment of a kept file. Throws validation.invalid_value for an unknown type of record, and conflict.limit_reached.
 * Whether the record exists is not checked (specification, "Attachments").
 */
export async function addAttachment(
  books: Books,
  fields: AttachmentFields,
  file: KeptFile,
  limits: AttachmentLimits,
): Promise<AttachmentRow> {
  refuseUnknownType(fields.entity_type)
  refuseBeyond(await attachmentUsageOf(books, true), limits, file.bytes)
  const attachment = books.insert(attachments, {
    id: file.id,
    entity_type: fields.entity_type,
    entity_id: fields.entity_id.toLowerCase(),
    filename: file.filename,
    content_type: file.contentType,
    size_bytes: file.bytes,
    sha256: `\\x${file.sha256}`,
    description: fields.description || null,
    uploaded_by_user_id: books.caller.userId,
    missing_since: null,
    created_time: books.now,
  })
  await record(books, attachment, 'ATTACHMENT_ADDED')
  return attachment
}

/** Deletes the attachment. Its file is removed afterwards, by the caller or by the nightly sweep. */
export async function deleteAttachment(books: Books, id: string): Promise<AttachmentRow> {
  const attachment = await existingAttachment(books, id, 'FOR UPDATE')
  books.delete(attachments, attachment)
  await record(books, attachment, 'ATTACHMENT_DELETED')
  return attachment
}

// The entry stands in the log of the document.
async function record(books: Books, attachment: AttachmentRow, action: string): Promise<void> {
  const { id, entity_type: entityType, entity_id: entityId, filename, size_bytes } = attachment
  const entityRef = await referenceOf(books, entityType, entityId)
  const metadata = { attachment_id: id, filename, size_bytes }
  books.record({ action, entityType: entityType as AttachableType, entityId, entityRef, metadata })
}

function refuseUnknownType(type: string): void {
  if ((ATTACHABLE_TYPES as readonly string[]).includes(type)) return
  throw fault('validation.invalid_value', {
    field: 'entity_type',
    message: `Files cannot be attached to ${type}.`,
    details: { valid: ATTACHABLE_TYPES },
  })
}

function refuseBeyond({ files, bytes }: AttachmentUsage, limits: AttachmentLimits, more: number): void {
  if (files >= limits.files) {
    const message = `The organisation has ${limits.files} attachments, which is as many as it may have.`
    throw fault('conflict.limit_reached', { message, details: { limit: limits.files } })
  }
  if (bytes + BigInt(more) <= BigInt(limits.bytes)) return
  const message = `The attachments of the organisation may have ${limits.bytes} bytes together.`
  throw fault('conflict.limit_reached', { message, details: { limit_bytes: limits.bytes, used_bytes: Number(bytes) } })
}
