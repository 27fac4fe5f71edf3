// An attachment as JSON, and the fields that are sent with a file.
import { Type, type Static } from 'typebox'
import { ATTACHABLE_TYPES, attachmentKey, DOWNLOAD_SECONDS, servedType } from '../../domain/attachment.ts'
import type { AttachmentRow } from '../../models/attachment.ts'
import { Id, nullable, Text, Timestamp } from './fields.ts'

/** The form of an upload, beside `file`. */
export const NewAttachment = Type.Object({
  // The shape accepts any text, because an unknown type is answered with the list of valid ones (decisions §10).
  entity_type: Type.String({ maxLength: 100, description: `${ATTACHABLE_TYPES.join(', ')}.` }),
  entity_id: Type.String({ format: 'uuid', description: 'Its existence is not checked.' }),
  description: Type.Optional(Text(1_000)),
})

export const Attachment = Type.Object({
  attachment_id: Id,
  entity_type: Type.String(),
  entity_id: Id,
  filename: Type.String({ description: 'Without path and unseen characters.' }),
  content_type: Type.String({ description: 'By the content of the file.' }),
  size_bytes: Type.Integer(),
  description: nullable(Type.String()),
  download_url: Type.String({ description: `Valid for ${DOWNLOAD_SECONDS / 60} minutes; not to be cached.` }),
  uploaded_by_user_id: nullable(Id),
  created_time: Timestamp,
})

/** Makes the URL by which anybody can read a file for a while. */
interface Presigning {
  presign(
    key: string,
    about: { seconds: number; filename: string; contentType: string; disposition: 'attachment' },
  ): Promise<string> | string
}

/** The attachment with a fresh download URL, under which a browser saves the file and never shows it. */
export async function showAttachment(blobs: Presigning, row: AttachmentRow): Promise<Static<typeof Attachment>> {
  return {
    attachment_id: row.id,
    entity_type: row.entity_type,
    entity_id: row.entity_id,
    filename: row.filename,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    description: row.description,
    download_url: await blobs.presign(attachmentKey(row.org_id, row.id), {
      seconds: DOWNLOAD_SECONDS,
      filename: row.filename,
      contentType: servedType(row.content_type),
      disposition: 'attachment',
    }),
    uploaded_by_user_id: row.uploaded_by_user_id,
    created_time: row.created_time.toISOString(),
  }
}
