// Keeps the file of an attachment in the blob store while it arrives, before there is a row of it.
import { Readable } from 'node:stream'
import { attachmentKey, safeFilename, servedType } from '../../domain/attachment.ts'
import { Fault, fault } from '../../domain/faults.ts'
import type { BlobStore } from '../../gateways/storage/blobs.ts'
import { newId } from '../books/ids.ts'
import { mediaTypeOf } from './media-type.ts'

/** A file that is in the blob store. */
export interface KeptFile {
  /** Of the attachment that it becomes. */
  id: string
  filename: string
  contentType: string
  bytes: number
  sha256: string
}

// Enough to find the parts of an office document among those of other archives.
const HEAD_BYTES = 16_384

/**
 * Writes the file under the id of an attachment to come. Throws validation.invalid_value for an empty file, storage.upload_failed
 * where the store refuses it, and the errors of `body`; then there is no file.
 */
export async function keepFile(
  blobs: BlobStore,
  orgId: string,
  sent: { filename: string; body: Readable },
): Promise<KeptFile> {
  const id = newId()
  const filename = safeFilename(sent.filename)
  const { head, whole } = await beginningOf(sent.body)
  if (head.length === 0) throw fault('validation.invalid_value', { field: 'file', message: 'The file is empty.' })
  const contentType = await mediaTypeOf(head, filename)
  try {
    const written = await blobs.write(attachmentKey(orgId, id), whole, { contentType: servedType(contentType) })
    return { id, filename, contentType, ...written }
  } catch (error) {
    if (error instanceof Fault && error.code === 'service.unavailable') throw fault('storage.upload_failed')
    throw error
  }
}

/** Removes a file that no attachment needs; what the store does not remove now, the nightly sweep finds. */
export async function removeFile(blobs: BlobStore, orgId: string, id: string): Promise<void> {
  await blobs.remove(attachmentKey(orgId, id)).catch(() => undefined)
}

async function beginningOf(body: Readable): Promise<{ head: Buffer; whole: Readable }> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first: Buffer[] = []
  let bytes = 0
  while (bytes < HEAD_BYTES) {
    const { done, value } = await chunks.next()
    if (done) break
    first.push(value)
    bytes += value.length
  }
  const head = Buffer.concat(first)
  async function* all() {
    yield head
    for (;;) {
      const { done, value } = await chunks.next()
      if (done) return
      yield value
    }
  }
  return { head, whole: Readable.from(all(), { objectMode: false }) }
}
