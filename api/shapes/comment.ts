// A comment as JSON, in and out.
import { Type, type Static } from 'typebox'
import { COMMENT_CHARACTERS, COMMENT_CODE_POINTS, isTooLong } from '../../domain/comment.ts'
import { ENTITY_TYPES } from '../../domain/documents.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import type { CommentRow } from '../../models/comment.ts'
import { Id, Reference, Timestamp } from './fields.ts'

const Body = Type.String({
  maxLength: COMMENT_CODE_POINTS,
  description: `Plain text of up to ${COMMENT_CHARACTERS} characters; \`@\` and the id of a user mentions them.`,
})

export const NewComment = Type.Object({
  // The shape accepts any text, because an unknown type is answered with the list of valid ones (decisions §10).
  entity_type: Type.String({ maxLength: 100, description: `${ENTITY_TYPES.join(', ')}.` }),
  entity_id: Reference,
  body: Body,
})

export const CommentChanges = Type.Object({ body: Body })

/** Reports a text of more characters than a comment may have; the shape only bounds its size. */
export function commentProblems(sent: unknown): FieldProblem[] {
  const { body } = (sent ?? {}) as { body?: unknown }
  if (typeof body !== 'string' || body.length > 2 * COMMENT_CODE_POINTS || !isTooLong(body)) return []
  if ([...body].length > COMMENT_CODE_POINTS) return []
  return [{ field: 'body', code: 'too_long', message: `must have at most ${COMMENT_CHARACTERS} characters` }]
}

export const Comment = Type.Object({
  comment_id: Id,
  entity_type: Type.String(),
  entity_id: Id,
  body: Type.String(),
  author_user_id: Id,
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showComment(row: CommentRow): Static<typeof Comment> {
  return {
    comment_id: row.id,
    entity_type: row.entity_type,
    entity_id: row.entity_id,
    body: row.body,
    author_user_id: row.author_user_id,
    created_time: row.created_time.toISOString(),
    last_modified_time: row.last_modified_time.toISOString(),
  }
}
