// A document is read as of one moment with all that belongs to it, whatever is changed between the statements that read it.
import { beforeEach, expect, test } from '@jest/globals'
import type { Connection } from '../../models/connection.ts'
import { creditNotes, findCreditNote, withCreditNoteLines } from '../../models/credit-note.ts'
import { debitNoteParts, debitNotes, findDebitNote } from '../../models/debit-note.ts'
import { findRows, type Scope } from '../../models/find.ts'
import { invoiceParts, invoices } from '../../models/invoice.ts'
import { creditNoteBody, debitNoteBody, invoiceBody } from '../fixtures/bodies.ts'
import type { Answered } from '../fixtures/client.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
const scope: Scope = { connection: service.database, orgId: org.orgId }
let creditId: string
let debitId: string

beforeEach(async () => {
  creditId = (await created(org.client.post('/credit_notes', creditNoteBody(org, { is_draft: true })))).credit_note.credit_note_id
  debitId = (await created(org.client.post('/debit_notes', debitNoteBody(org, { is_draft: true })))).debit_note.debit_note_id
})

async function done(answered: Promise<Answered>): Promise<void> {
  const { status, text } = await answered
  if (status !== 200) throw new Error(`answered ${status}: ${text}`)
}

const FIVE = { line_items: [{ name: 'Thread', quantity: 5, rate: 100 }, { name: 'Needles', quantity: 1, rate: 11 }] }
const changeCredit = () => done(org.client.put(`/credit_notes/${creditId}`, FIVE))
const changeDebit = () => done(org.client.put(`/debit_notes/${debitId}`, FIVE))

/** What the document says its lines come to, and what they do come to. */
function sums(document: { sub_total: bigint; lines: { item_total: bigint }[] } | null | undefined): bigint[] {
  return [document!.sub_total, document!.lines.reduce((sum, { item_total }) => sum + item_total, 0n)]
}

/** A connection on which something happens once, when its first statement is answered. */
function interrupted(happens: () => Promise<unknown>): Connection {
  const left = [happens]
  const run: Connection['run'] = async (statement, values) => {
    const rows = await service.database.run(statement, values)
    for (const happen of left.splice(0)) await happen()
    return rows as never
  }
  const runAll: Connection['runAll'] = async (statements) => {
    const answers: unknown[][] = []
    for (const [statement, values] of statements) answers.push(await run(statement, values))
    return answers
  }
  return { run, runAll, runBoth: async (first, second) => await runAll([first, second]) as never }
}

test('documents that are changed while their page is shown', async () => {
  const credits = await findRows(scope, creditNotes, [creditId])
  const debits = await findRows(scope, debitNotes, [debitId])
  await changeCredit()
  await changeDebit()
  expect((await withCreditNoteLines(scope, credits)).map(sums)).toEqual([[51_100n, 51_100n]])
  expect((await debitNoteParts.addTo(scope, debits)).map(sums)).toEqual([[51_100n, 51_100n]])
})

test('a document that is changed while its lines are read, once more than once', async () => {
  const again = interrupted(changeCredit)
  const rows = await findRows(scope, creditNotes, [creditId])
  await done(org.client.put(`/credit_notes/${creditId}`, { line_items: [{ name: 'Thread', quantity: 1, rate: 7 }] }))
  expect((await withCreditNoteLines({ ...scope, connection: again }, rows)).map(sums)).toEqual([[51_100n, 51_100n]])
})

test('one document that is changed between its row and its lines', async () => {
  expect(sums(await findCreditNote({ ...scope, connection: interrupted(changeCredit) }, creditId))).toEqual([51_100n, 51_100n])
  expect(sums(await findDebitNote({ ...scope, connection: interrupted(changeDebit) }, debitId))).toEqual([51_100n, 51_100n])
})

test('a credit that is applied while its note is read', async () => {
  const { invoice: { invoice_id } } = await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))
  await done(org.client.post(`/credit_notes/${creditId}/issue`, {}))
  const apply = () => done(org.client.post(`/credit_notes/${creditId}/apply-to-invoice`, { invoice_id, amount: 90 }))
  const stale = await findRows(scope, creditNotes, [creditId])
  await apply()
  const applied = (note: Awaited<ReturnType<typeof findCreditNote>> | undefined) => [note!.applied_amount, note!.applications.map(({ amount }) => amount)]
  expect((await withCreditNoteLines(scope, stale)).map(applied)).toEqual([[9_000n, [9_000n]]])
  expect(applied(await findCreditNote({ ...scope, connection: interrupted(apply) }, creditId))).toEqual([18_000n, [9_000n, 9_000n]])
})

test('what is deleted while its page is shown is left out, the others keep their order', async () => {
  const drawn = await Promise.all([1, 2, 3].map(async () => (await created(org.client.post('/invoices', invoiceBody(org)))).invoice.invoice_id as string))
  const rows = (await findRows(scope, invoices, drawn)).sort((one, other) => drawn.indexOf(one.id) - drawn.indexOf(other.id))
  await done(org.client.put(`/invoices/${drawn[0]}`, { notes: 'changed' }))
  await done(org.client.delete(`/invoices/${drawn[1]}`))
  expect((await invoiceParts.addTo(scope, rows)).map(({ id, notes, lines }) => [id, notes, lines.length])).toEqual([[drawn[0], 'changed', 1], [drawn[2], null, 1]])
  expect(await invoiceParts.addTo(scope, [])).toEqual([])
})
