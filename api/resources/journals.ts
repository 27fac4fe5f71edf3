// The routes of the journals.
import { Type } from 'typebox'
import { journalOf } from '../../commands/ledger/journals.ts'
import { deleteManualJournal, postManualJournal } from '../../commands/ledger/manual-journals.ts'
import { everything } from '../../models/condition.ts'
import { JOURNAL_SOURCES, journals, NOT_DELETED, onAccount, journalParts } from '../../models/journal.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { route, type RequestContext } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { Journal, NewJournal, showJournal, sideProblems } from '../shapes/journal.ts'

const tag = 'Journals'
const IncludeReversed = Type.Boolean({
  default: false,
  description: 'Include deleted manual journals and the entries that reverse them.',
})

const currencyAt = ({ caller }: RequestContext) => caller.organization!.currency_code

export const journalRoutes = [
  listing({
    path: '/journals',
    tag,
    does: "List the ledger's journals",
    scope: 'journals.READ',
    key: 'journals',
    table: journals,
    shape: Journal,
    // A journal is never changed, so it was last modified when it was created.
    modified: 'created_time',
    filters: {
      source: equals(Type.Enum([...JOURNAL_SOURCES])),
      account_id: {
        schema: Type.String({ description: 'Journals with a line on the account.' }),
        where: (id, _name, context) => onAccount(context, String(id)),
      },
      contact_id: sameId('The contact of the journal.'),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
      include_reversed: { schema: IncludeReversed, always: true, where: (on) => (on ? everything : NOT_DELETED) },
    },
    parts: journalParts,
    show: (rows, context) => rows.map((journal) => showJournal(journal, currencyAt(context))),
  }),
  route({
    method: 'POST',
    path: '/journals',
    tag,
    does: 'Post a manual journal',
    scope: 'journals.CREATE',
    status: 201,
    answer: one('journal', Journal),
    body: NewJournal,
    alsoCheck: sideProblems,
    async write(books, { body }) {
      const journal = await postManualJournal(books, body)
      return { message: 'Journal posted.', journal: showJournal(journal, books.organization.currency_code) }
    },
  }),
  route({
    method: 'GET',
    path: '/journals/{journal_id}',
    tag,
    does: 'Read a journal',
    scope: 'journals.READ',
    query: Type.Object({ include_reversed: Type.Optional(IncludeReversed) }),
    answer: one('journal', Journal),
    async read(context, { params, query }) {
      const journal = await journalOf(context, params.journal_id!, { includeReversed: query.include_reversed ?? false })
      return { journal: showJournal(journal, currencyAt(context)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/journals/{journal_id}',
    tag,
    does: 'Delete a manual journal: reverse it',
    scope: 'journals.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteManualJournal(books, params.journal_id!)
      return { message: 'Journal deleted.' }
    },
  }),
]
