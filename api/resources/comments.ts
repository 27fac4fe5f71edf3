// The routes of comments.
import { Type } from 'typebox'
import { addComment, changeComment, deleteComment, existingComment } from '../../commands/comments/comments.ts'
import { ENTITY_TYPES } from '../../domain/documents.ts'
import { pageOfComments } from '../../models/comment.ts'
import { equals, sameId, schemasOf, whereOf } from '../http/listing.ts'
import { contextOf, NumberedPages } from '../http/numbered-page.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Comment, CommentChanges, commentProblems, NewComment, showComment } from '../shapes/comment.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Comments'
const answer = one('comment', Comment)

const FILTERS = { entity_type: equals(Type.Enum([...ENTITY_TYPES])), entity_id: sameId() }
const PER_PAGE = { default: 100, maximum: 500 }
// Each page costs what the ones before it do.
const PAGES = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, ...PER_PAGE })),
}

export const commentRoutes = [
  route({
    method: 'GET',
    path: '/comments',
    tag,
    does: 'List comments, the oldest first',
    scope: 'comments.READ',
    query: listQuery({ ...schemasOf(FILTERS), ...PAGES }),
    answer: Type.Object({ comments: Type.Array(Comment), page_context: NumberedPages }),
    async list(context, { query }) {
      const page = { page: query.page ?? 1, perPage: query.per_page ?? PER_PAGE.default }
      const { rows, hasMore } = await pageOfComments(context, whereOf(FILTERS, query, context), page)
      const show = (some: typeof rows) => some.map(showComment)
      return { key: 'comments', rows, show, answer: { comments: [], page_context: contextOf(page, hasMore) } }
    },
  }),
  route({
    method: 'POST',
    path: '/comments',
    tag,
    does: 'Write a comment on a document, as the user of the token',
    scope: 'comments.CREATE',
    status: 201,
    answer,
    body: NewComment,
    alsoCheck: commentProblems,
    write: async (books, { body }) => ({
      message: 'Comment created.',
      comment: showComment(await addComment(books, body)),
    }),
  }),
  route({
    method: 'GET',
    path: '/comments/{comment_id}',
    tag,
    does: 'Read a comment',
    scope: 'comments.READ',
    answer,
    read: async (context, { params }) => ({ comment: showComment(await existingComment(context, params.comment_id!)) }),
  }),
  route({
    method: 'PUT',
    path: '/comments/{comment_id}',
    tag,
    does: 'Change the text of a comment, as its author',
    scope: 'comments.UPDATE',
    answer,
    body: CommentChanges,
    alsoCheck: commentProblems,
    write: async (books, { params, body }) => ({
      message: 'Comment updated.',
      comment: showComment(await changeComment(books, params.comment_id!, body, showComment)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/comments/{comment_id}',
    tag,
    does: 'Delete a comment, as its author',
    scope: 'comments.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteComment(books, params.comment_id!)
      return { message: 'Comment deleted.' }
    },
  }),
]
