// The commands on comments: write one on a document, change or delete one's own.
import { COMMENTS_OF_ONE, mentionedIn, withNames } from '../../domain/comment.ts'
import { DOCUMENTS, ENTITY_TYPES, type DocumentKind } from '../../domain/documents.ts'
import type { EventType } from '../../domain/events.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { comments, commentsOn, type CommentRow } from '../../models/comment.ts'
import { existingRow, findRows, type Lock, type Scope } from '../../models/find.ts'
import { users } from '../../models/organization.ts'
import { lockedReferenceOf, referenceOf } from '../../models/references.ts'
import type { Books } from '../books/books.ts'
import { queueNotice } from '../mail/notices.ts'

type Commented = (typeof ENTITY_TYPES)[number]

/** The comment of this id. Throws not_found.resource for one that the organisation does not have. */
export const existingComment = (scope: Scope, id: string, lock: Lock = ''): Promise<CommentRow> =>
  existingRow(scope, comments, id, 'comment', lock)

/**
 * Writes a comment. Throws auth.insufficient_scope for a token without a user, validation.required_field for an empty text,
 * validation.invalid_value for an unknown type, not_found.resource for a document that is not there, and conflict.limit_reached.
 */
export async function addComment(
  books: Books,
  { entity_type, entity_id, body }: { entity_type: string; entity_id: string; body: string },
): Promise<CommentRow> {
  const author = authorOf(books)
  refuseEmpty(body)
  const type = commentedType(entity_type)
  const reference = await lockedReferenceOf(books, type, entity_id)
  if (reference === null) throw notFound(nounOf(type), 'entity_id')
  if ((await commentsOn(books, entity_id)).length >= COMMENTS_OF_ONE) {
    const message = `A document has at most ${COMMENTS_OF_ONE} comments.`
    throw fault('conflict.limit_reached', { message, details: { limit: COMMENTS_OF_ONE } })
  }
  const written = { entity_type: type, entity_id: entity_id.toLowerCase(), body, author_user_id: author }
  const comment = books.create(comments, written)
  record(books, comment, 'COMMENT_ADDED', reference)
  announceComment(books, 'comment.created', comment)
  await tellMentioned(books, comment, reference, mentionedIn(body))
  return comment
}

/** Changes the text of one's own comment; the former text is not kept. Throws as addComment does, and for another's comment. */
export async function changeComment(
  books: Books,
  id: string,
  fields: Sent<{ body: string }>,
  answered: Answered<CommentRow>,
): Promise<CommentRow> {
  const comment = await ownComment(books, id)
  refuseEmpty(fields.body)
  const { changed, refusal } = compareFields(fields, answered(comment), { fields: ['body'] })
  throwRefusal(refusal)
  if (changed.size === 0) return comment
  const later = books.change(comments, comment, { body: fields.body })
  announceComment(books, 'comment.updated', later)
  const before = new Set(mentionedIn(comment.body))
  const fresh = mentionedIn(later.body).filter((user) => !before.has(user))
  if (fresh.length > 0)
    await tellMentioned(books, later, await referenceOf(books, later.entity_type, later.entity_id), fresh)
  return later
}

/** Deletes one's own comment. Throws not_found.resource, and auth.insufficient_scope for another's comment. */
export async function deleteComment(books: Books, id: string): Promise<void> {
  const comment = await ownComment(books, id)
  books.delete(comments, comment)
  record(books, comment, 'COMMENT_DELETED', await referenceOf(books, comment.entity_type, comment.entity_id))
  announceComment(books, 'comment.deleted', comment)
}

function authorOf({ caller }: Books): string {
  if (caller.userId !== null) return caller.userId
  throw fault('auth.insufficient_scope', { message: 'Only the token of a user can write comments.' })
}

// Not even an administrator changes what somebody else has said (specification, "Authentication").
async function ownComment(books: Books, id: string): Promise<CommentRow> {
  const comment = await existingComment(books, id, 'FOR UPDATE')
  if (comment.author_user_id === books.caller.userId) return comment
  throw fault('auth.insufficient_scope', { message: 'Only its author can change or delete a comment.' })
}

function refuseEmpty(body: string): void {
  if (body.trim() !== '') return
  throw fault('validation.required_field', { status: 422, field: 'body', message: 'A comment must have a text.' })
}

function commentedType(type: string): Commented {
  const known = ENTITY_TYPES.find((each) => each === type)
  if (known) return known
  throw fault('validation.invalid_value', {
    field: 'entity_type',
    message: `There are no comments on ${type}.`,
    details: { valid: ENTITY_TYPES },
  })
}

// Receipts are payments.
const nounOf = (type: Commented) => DOCUMENTS[type === 'RECEIPT' ? 'PAYMENT' : (type satisfies DocumentKind)].noun

function record(books: Books, comment: CommentRow, action: string, entityRef: string | null): void {
  const { id, entity_type, entity_id: entityId } = comment
  books.record({ action, entityType: entity_type as Commented, entityId, entityRef, metadata: { comment_id: id } })
}

function announceComment(books: Books, type: EventType & `comment.${string}`, comment: CommentRow): void {
  const { id, entity_type, entity_id, author_user_id } = comment
  books.announce({ type, entityType: 'COMMENT', entityId: id, data: { id, entity_type, entity_id, author_user_id } })
}

async function tellMentioned(
  books: Books,
  comment: CommentRow,
  reference: string | null,
  ids: string[],
): Promise<void> {
  const found = await findRows(books, users, [...ids, comment.author_user_id])
  const author = found.find(({ id }) => id === comment.author_user_id)
  const to = found.filter((user) => user !== author).map(({ email }) => email)
  if (to.length === 0) return
  const document = `${nounOf(comment.entity_type as Commented)} ${reference ?? ''}`.trim()
  const subject = `You are mentioned in a comment on ${document}`
  const names = new Map(found.map(({ id, name, email }) => [id, name ?? email]))
  const text = `${names.get(comment.author_user_id) ?? 'Somebody'} wrote on ${document}:\n\n${withNames(comment.body, names)}`
  const about = { entityType: comment.entity_type, entityId: comment.entity_id, entityRef: reference }
  await queueNotice(books, { to, subject, text, about })
}
