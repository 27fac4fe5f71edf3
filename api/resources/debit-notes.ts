// The debit notes' routes.
import { Type } from 'typebox'
import {
  changeDebitNote,
  createDebitNote,
  issueDebitNote,
  voidDebitNote,
} from '../../commands/purchases/debit-notes.ts'
import {
  debitNotes,
  debitNoteParts,
  type DebitNote as DebitNoteWithLines,
  type DebitNoteRow,
} from '../../models/debit-note.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import {
  DEBIT_NOTE_STATUSES,
  DebitNote,
  DebitNoteChanges,
  debitNoteProblems,
  NewDebitNote,
  showDebitNote,
  vendorNamed,
} from '../shapes/debit-note.ts'
import { one } from '../shapes/fields.ts'
import { VoidRequest } from '../shapes/document.ts'
import { changedLineProblems } from '../shapes/line-item.ts'

const tag = 'Debit notes'
const answer = one('debit_note', DebitNote)
const shown = (message: string, note: DebitNoteWithLines) => ({ message, debit_note: showDebitNote(note) })

const rendering: Rendering<DebitNoteRow, DebitNoteWithLines> = {
  kind: 'DEBIT_NOTE',
  table: debitNotes,
  parts: debitNoteParts,
  show: (rows) => rows.map(showDebitNote),
  shownWith: () => '',
}

export const debitNoteRoutes = [
  listing({
    path: '/debit_notes',
    tag,
    does: 'List debit notes',
    scope: 'debitnotes.READ',
    key: 'debit_notes',
    ...rendering,
    shape: DebitNote,
    filters: {
      status: equals(Type.Enum(DEBIT_NOTE_STATUSES)),
      vendor_id: sameId(),
      bill_id: sameId(),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
    },
  }),
  route({
    method: 'GET',
    path: '/debit_notes/{debit_note_id}',
    tag,
    does: 'Read a debit note',
    scope: 'debitnotes.READ',
    answer,
    read: async (context, { params }) => ({ debit_note: await renderedRow(context, rendering, params.debit_note_id!) }),
  }),
  route({
    method: 'POST',
    path: '/debit_notes',
    tag,
    does: 'Create a debit note to a vendor, and issue it unless it is a draft',
    scope: 'debitnotes.CREATE',
    status: 201,
    keyRequired: true,
    answer,
    warns: true,
    body: NewDebitNote,
    alsoCheck: debitNoteProblems,
    async write(books, { body }) {
      const { vendor_id, ...fields } = vendorNamed(body)
      const note = await createDebitNote(books, { ...fields, vendor_id: vendor_id! })
      return shown(body.is_draft ? 'Debit note created.' : 'Debit note created and issued.', note)
    },
  }),
  route({
    method: 'PUT',
    path: '/debit_notes/{debit_note_id}',
    tag,
    does: "Change a draft, or an issued note's date, reason, reference or notes",
    scope: 'debitnotes.UPDATE',
    answer,
    warns: true,
    body: DebitNoteChanges,
    alsoCheck: changedLineProblems,
    write: async (books, { params, body }) =>
      shown(
        'Debit note updated.',
        await changeDebitNote(books, params.debit_note_id!, vendorNamed(body), showDebitNote),
      ),
  }),
  route({
    method: 'POST',
    path: '/debit_notes/{debit_note_id}/issue',
    tag,
    does: 'Issue a draft: post its journal',
    scope: 'debitnotes.UPDATE',
    answer,
    write: async (books, { params }) => shown('Debit note issued.', await issueDebitNote(books, params.debit_note_id!)),
  }),
  route({
    method: 'POST',
    path: '/debit_notes/{debit_note_id}/void',
    tag,
    does: 'Void a debit note: reverse its journal',
    scope: 'debitnotes.UPDATE',
    answer,
    body: VoidRequest,
    write: async (books, { params, body }) =>
      shown('Debit note voided.', await voidDebitNote(books, params.debit_note_id!, body)),
  }),
]
