// The routes of attachments.
import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import {
  addAttachment,
  deleteAttachment,
  existingAttachment,
  refuseFull,
  type AttachmentFields,
} from '../../commands/attachments/attachments.ts'
import { keepFile, removeFile, type KeptFile } from '../../commands/attachments/files.ts'
import { ATTACHABLE_TYPES } from '../../domain/attachment.ts'
import type { BlobStore } from '../../gateways/storage/blobs.ts'
import { pageOfAttachments, type AttachmentRow } from '../../models/attachment.ts'
import { equals, sameId, schemasOf, whereOf } from '../http/listing.ts'
import { contextOf, NumberedPages, pageIn, PAGES } from '../http/numbered-page.ts'
import { listQuery } from '../http/page.ts'
import { route, type UploadHandler } from '../http/route.ts'
import { Attachment, NewAttachment, showAttachment } from '../shapes/attachment.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Attachments'
const answer = one('attachment', Attachment)

const FILTERS = { entity_type: equals(Type.Enum([...ATTACHABLE_TYPES])), entity_id: sameId() }

// How long the answer to a deletion waits for the file to be removed.
const REMOVAL_MS = 2_000

const shown = async (blobs: BlobStore, row: AttachmentRow, message?: string) => ({
  ...(message ? { message } : {}),
  attachment: await showAttachment(blobs, row),
})

const uploading: UploadHandler<KeptFile> = {
  maxBytes: ({ attachmentLimits }) => attachmentLimits.maxBytes,
  admit: (context) => refuseFull(context, context.gateways.attachmentLimits),
  keep: ({ gateways, orgId }, file) => keepFile(gateways.blobs, orgId, file),
  drop: ({ gateways, orgId }, { id }) => removeFile(gateways.blobs, orgId, id),
  async write(books, { fields, file }, { attachmentLimits, blobs }) {
    const added = await addAttachment(books, fields as unknown as AttachmentFields, file, attachmentLimits)
    return shown(blobs, added, 'Attachment created.')
  },
}

export const attachmentRoutes = [
  route({
    method: 'GET',
    path: '/attachments',
    tag,
    does: 'List attachments, the newest first',
    scope: 'attachments.READ',
    query: listQuery({ ...schemasOf(FILTERS), ...PAGES }),
    answer: Type.Object({ attachments: Type.Array(Attachment), page_context: NumberedPages }),
    async read(context, { query }) {
      const page = pageIn(query)
      const { rows, hasMore } = await pageOfAttachments(context, whereOf(FILTERS, query, context), page)
      const attachments = await Promise.all(rows.map((row) => showAttachment(context.gateways.blobs, row)))
      return { attachments, page_context: contextOf(page, hasMore) }
    },
  }),
  route({
    method: 'POST',
    path: '/attachments',
    tag,
    does: 'Attach a file to a document or a contact',
    scope: 'attachments.CREATE',
    status: 201,
    answer,
    // It has a URL by which anybody can read the file.
    secretAnswer: true,
    form: NewAttachment,
    upload: uploading as UploadHandler,
  }),
  route({
    method: 'GET',
    path: '/attachments/{attachment_id}',
    tag,
    does: 'Read an attachment, with a fresh download URL',
    scope: 'attachments.READ',
    answer,
    read: async (context, { params }) =>
      shown(context.gateways.blobs, await existingAttachment(context, params.attachment_id!)),
  }),
  route({
    method: 'DELETE',
    path: '/attachments/{attachment_id}',
    tag,
    does: 'Delete an attachment, whether the file store is available or not',
    scope: 'attachments.DELETE',
    answer: Type.Object({}),
    async startWorkflow(books, { params }) {
      const { id } = await deleteAttachment(books, params.attachment_id!)
      return async ({ gateways, orgId }) => {
        await Promise.race([removeFile(gateways.blobs, orgId, id), delay(REMOVAL_MS, undefined, { ref: false })])
        return { message: 'Attachment deleted.' }
      }
    },
  }),
]
