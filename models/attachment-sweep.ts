// What the sweep of attachments asks and notes, of all organisations: which files have a row, and which rows have no file.
import type { Connection, Statement } from './connection.ts'

/** An attachment by the two ids in the key of its file. */
export interface AttachmentPlace {
  orgId: string
  id: string
}

const FIRST: AttachmentPlace = {
  orgId: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
}
const PAGE = 1_000

/** The attachments that were added before, in the order of the keys of their files, and whether each was missed before. */
export async function* attachmentsBefore(
  connection: Connection,
  before: Date,
): AsyncGenerator<AttachmentPlace & { missed: boolean }> {
  for (let after: AttachmentPlace | undefined = FIRST; after; ) {
    const rows: (AttachmentPlace & { missed: boolean })[] = await connection.run(BEFORE, [
      after.orgId,
      after.id,
      before,
    ])
    yield* rows
    after = rows.length === PAGE ? rows.at(-1) : undefined
  }
}

/** Whether there is such an attachment. */
export async function hasAttachment(connection: Connection, { orgId, id }: AttachmentPlace): Promise<boolean> {
  return (await connection.run(EXISTING, [orgId, id])).length > 0
}

/** Notes since when the file of an attachment is missing; null where it is there again. */
export async function noteMissing(
  connection: Connection,
  { orgId, id }: AttachmentPlace,
  since: Date | null,
): Promise<void> {
  await connection.run(NOTE, [orgId, id, since])
}

const BEFORE: Statement = {
  name: 'attachments before',
  text: `SELECT org_id AS "orgId", id, missing_since IS NOT NULL AS missed FROM attachments
         WHERE (org_id, id) > ($1::uuid, $2::uuid) AND created_time < $3 ORDER BY org_id, id LIMIT ${PAGE}`,
}
const EXISTING: Statement = {
  name: 'existing attachment',
  text: 'SELECT 1 FROM attachments WHERE org_id = $1 AND id = $2',
}
const NOTE: Statement = {
  name: 'note missing attachment',
  text: 'UPDATE attachments SET missing_since = $3 WHERE org_id = $1 AND id = $2',
}
