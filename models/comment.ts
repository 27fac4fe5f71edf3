// Comments on documents; of each only the latest text is kept.
import type { Condition } from './condition.ts'
import { findList, finder, is, type Scope } from './find.ts'
import { TEXT, UUID, VERSIONED, model, type RowOf } from './model.ts'
import type { NumberedPage } from './recurring.ts'

export const comments = model('comments', {
  org_id: UUID,
  id: UUID,
  entity_type: TEXT,
  entity_id: UUID,
  body: TEXT,
  author_user_id: UUID,
  ...VERSIONED,
})
export type CommentRow = RowOf<typeof comments>

/** The ids of the comments on a document. */
export const commentsOn = finder<CommentRow, [string]>(comments, (entityId) => ({
  attributes: ['id'],
  where: { entity_id: is(entityId) },
}))

/** A page of the comments, the oldest first; and whether there are more. */
export async function pageOfComments(
  scope: Scope,
  where: Condition,
  { page, perPage }: NumberedPage,
): Promise<{ rows: CommentRow[]; hasMore: boolean }> {
  const found = await findList(scope, comments, {
    where,
    order: ['created_time', 'id'],
    limit: perPage + 1,
    offset: (page - 1) * perPage,
  })
  return { rows: found.slice(0, perPage), hasMore: found.length > perPage }
}
