// Background work for mails: removes PDFs that were kept for a mail which was given up before it had them.
import { mailedPdfOf } from '../../domain/mail.ts'
import type { BlobStore, ListedBlob } from '../../gateways/storage/blobs.ts'
import type { Database } from '../../models/database.ts'
import { mailsWithPdf } from '../../models/email.ts'

const AT_ONCE = 500

export interface MailedFilesSweep {
  /** Looks at a blob; those that are nobody's are removed in groups. */
  look(blob: ListedBlob): Promise<void>
  /** Removes those of the last group. */
  end(): Promise<void>
}

/** Of files that were written before a time, of all organisations: a younger one may belong to a row that is about to be committed. */
export function sweepMailedFiles(
  { connection, blobs }: { connection: Database; blobs: Pick<BlobStore, 'remove'> },
  before: Date,
): MailedFilesSweep {
  let group: { key: string; orgId: string; id: string }[] = []

  async function end(): Promise<void> {
    const looked = group
    group = []
    const kept = looked.length > 0 ? await mailsWithPdf(connection, looked) : null
    for (const { key, id } of looked) if (!kept!.has(id)) await blobs.remove(key)
  }

  return {
    async look({ key, writtenAt }) {
      const place = mailedPdfOf(key)
      if (!place || writtenAt >= before) return
      group.push({ key, ...place })
      if (group.length >= AT_ONCE) await end()
    },
    end,
  }
}
