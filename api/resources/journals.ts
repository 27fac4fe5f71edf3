// The routes of the ledger's journals.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import { journalOf } from '../../commands/journals.ts'
import { parseDocumentDate, parseInstant } from '../../domain/dates.ts'
import { JOURNAL_SOURCES, journals, NOT_DELETED, onAccount, withReadLines } from '../../models/journal.ts'
import { idFilter, pageOf } from '../../models/page.ts'
import { PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route, type Desk } from '../http/route.ts'
import { DocumentDate, one } from '../shapes/fields.ts'
import { Journal, showJournal } from '../shapes/journal.ts'

const tag = 'Journals'
const include_reversed = Type.Optional(Type.Boolean({
  default: false, description: 'Also manual journals that were deleted, and the entries that reverse them.',
}))

const currencyAt = ({ caller }: Desk) => caller.organization!.currency_code

export const journalRoutes = [
  route({
    method: 'GET', path: '/journals', tag, does: "List the ledger's journals", scope: 'journals.READ',
    query: pageQuery({
      source: Type.Optional(Type.Enum([...JOURNAL_SOURCES])),
      account_id: Type.Optional(Type.String({ description: 'Journals with a line on the account.' })),
      contact_id: Type.Optional(Type.String({ description: "The journal's own." })),
      date_from: Type.Optional(DocumentDate),
      date_to: Type.Optional(DocumentDate),
      include_reversed,
    }),
    answer: Type.Object({ journals: Type.Array(Journal), page_context: PageContext }),
    async read(desk, { query }) {
      const { source, account_id, contact_id, date_from, date_to, modified_since } = query
      const filters: WhereOptions[] = []
      if (source) filters.push({ source })
      if (account_id !== undefined) filters.push(onAccount(desk, account_id))
      if (contact_id !== undefined) filters.push(idFilter('contact_id', contact_id))
      if (date_from !== undefined) filters.push({ date: { [Op.gte]: parseDocumentDate(date_from) } })
      if (date_to !== undefined) filters.push({ date: { [Op.lte]: parseDocumentDate(date_to) } })
      // An entry is never edited: it changed when it was written.
      if (modified_since !== undefined) filters.push({ created_time: { [Op.gte]: parseInstant(modified_since) } })
      if (!query.include_reversed) filters.push(NOT_DELETED)
      const page = await pageOf(desk, journals, { ...pageRequest(query), where: { [Op.and]: filters } })
      const found = await withReadLines(desk, page.rows)
      return { journals: found.map((journal) => showJournal(journal, currencyAt(desk))), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'GET', path: '/journals/{journal_id}', tag, does: 'Read a journal', scope: 'journals.READ',
    query: Type.Object({ include_reversed }), answer: one('journal', Journal),
    async read(desk, { params, query }) {
      const journal = await journalOf(desk, params.journal_id!, { includeReversed: query.include_reversed ?? false })
      return { journal: showJournal(journal, currencyAt(desk)) }
    },
  }),
]
