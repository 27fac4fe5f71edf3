// The credit notes' routes.
import { Type } from 'typebox'
import { applyToBill, applyToInvoice } from '../../commands/sales/credit-applications.ts'
import { retryCreditNoteEInvoice } from '../../commands/e-invoices/settle-e-invoice.ts'
import {
  changeCreditNote,
  createCreditNote,
  issueCreditNote,
  voidCreditNote,
} from '../../commands/sales/credit-notes.ts'
import {
  creditNotes,
  creditNoteParts,
  type CreditNote as CreditNoteWithLines,
  type CreditNoteRow,
} from '../../models/credit-note.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import {
  AppliedToBill,
  AppliedToInvoice,
  ApplyToBill,
  ApplyToInvoice,
  CREDIT_NOTE_STATUSES,
  CreditNote,
  CreditNoteChanges,
  NewCreditNote,
  showAppliedToBill,
  showAppliedToInvoice,
  showCreditNote,
  Side,
} from '../shapes/credit-note.ts'
import { one } from '../shapes/fields.ts'
import { VoidRequest } from '../shapes/document.ts'
import { changedLineProblems, lineProblems } from '../shapes/line-item.ts'

const tag = 'Credit notes'
const answer = one('credit_note', CreditNote)
const shown = (message: string, note: CreditNoteWithLines) => ({ message, credit_note: showCreditNote(note) })

const rendering: Rendering<CreditNoteRow, CreditNoteWithLines> = {
  kind: 'CREDIT_NOTE',
  table: creditNotes,
  parts: creditNoteParts,
  show: (rows) => rows.map(showCreditNote),
  shownWith: () => '',
}

export const creditNoteRoutes = [
  listing({
    path: '/credit_notes',
    tag,
    does: 'List credit notes',
    scope: 'creditnotes.READ',
    key: 'credit_notes',
    ...rendering,
    shape: CreditNote,
    filters: {
      status: equals(Type.Enum(CREDIT_NOTE_STATUSES)),
      customer_id: sameId('The customer, or the vendor.'),
      invoice_id: sameId(),
      bill_id: sameId(),
      type: equals(Side),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
    },
  }),
  route({
    method: 'GET',
    path: '/credit_notes/{credit_note_id}',
    tag,
    does: 'Read a credit note',
    scope: 'creditnotes.READ',
    answer,
    read: async (context, { params }) => ({
      credit_note: await renderedRow(context, rendering, params.credit_note_id!),
    }),
  }),
  route({
    method: 'POST',
    path: '/credit_notes',
    tag,
    does: "Create a customer's or vendor's credit note, and issue it unless it is a draft",
    scope: 'creditnotes.CREATE',
    status: 201,
    keyRequired: true,
    answer,
    warns: true,
    body: NewCreditNote,
    alsoCheck: lineProblems,
    async write(books, { body }) {
      const note = await createCreditNote(books, body)
      return shown(body.is_draft ? 'Credit note created.' : 'Credit note created and issued.', note)
    },
  }),
  route({
    method: 'PUT',
    path: '/credit_notes/{credit_note_id}',
    tag,
    scope: 'creditnotes.UPDATE',
    does: "Change a draft, or an issued note's date, reference or notes while nothing of it is applied",
    answer,
    warns: true,
    body: CreditNoteChanges,
    alsoCheck: changedLineProblems,
    write: async (books, { params, body }) =>
      shown('Credit note updated.', await changeCreditNote(books, params.credit_note_id!, body, showCreditNote)),
  }),
  route({
    method: 'POST',
    path: '/credit_notes/{credit_note_id}/issue',
    tag,
    does: 'Issue a draft: post its journal',
    scope: 'creditnotes.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('Credit note issued.', await issueCreditNote(books, params.credit_note_id!)),
  }),
  route({
    method: 'POST',
    path: '/credit_notes/{credit_note_id}/void',
    tag,
    does: 'Void a credit note: reverse its journal',
    scope: 'creditnotes.UPDATE',
    answer,
    body: VoidRequest,
    write: async (books, { params, body }) =>
      shown('Credit note voided.', await voidCreditNote(books, params.credit_note_id!, body)),
  }),
  route({
    method: 'POST',
    path: '/credit_notes/{credit_note_id}/e_invoice/retry',
    tag,
    does: 'Register a credit note again whose e-invoice has failed, or cancel the IRN of a void one again',
    scope: 'creditnotes.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('E-invoice queued.', await retryCreditNoteEInvoice(books, params.credit_note_id!)),
  }),
  route({
    method: 'POST',
    path: '/credit_notes/{credit_note_id}/apply-to-invoice',
    tag,
    does: "Apply a customer's credit to an invoice",
    scope: 'creditnotes.UPDATE',
    keyRequired: true,
    answer: AppliedToInvoice,
    body: ApplyToInvoice,
    write: async (books, { params, body }) => ({
      message: 'Credit applied.',
      ...showAppliedToInvoice(await applyToInvoice(books, params.credit_note_id!, body)),
    }),
  }),
  route({
    method: 'POST',
    path: '/credit_notes/{credit_note_id}/apply-to-bill',
    tag,
    does: "Apply a vendor's credit to a bill",
    scope: 'creditnotes.UPDATE',
    keyRequired: true,
    answer: AppliedToBill,
    body: ApplyToBill,
    write: async (books, { params, body }) => ({
      message: 'Credit applied.',
      ...showAppliedToBill(await applyToBill(books, params.credit_note_id!, body)),
    }),
  }),
]
