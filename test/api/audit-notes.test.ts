// What the audit finds when somebody has been at the notes behind the books' back.
import { beforeEach, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

let credit: Json
let debit: Json
let invoice: Json

const service = await useServiceWithoutAudit()
const ours = await openOrganization(service)
beforeEach(async () => {
  ;[credit, debit, invoice] = [await ours.creditNote(), await ours.debitNote(), await ours.sentInvoice()]
  await ours.applyCredit(credit.credit_note_id, { invoice_id: invoice.invoice_id }, 60)
})

test('nothing, while nobody has', async () => {
  await ours.creditNote({ is_draft: true })
  await ours.debitNote({ is_draft: true })
  const { bill_id } = await ours.openBill()
  await ours.applyCredit((await ours.vendorCreditNote({ bill_id })).credit_note_id, { bill_id }, 100)
  await ours.send('POST', `/debit_notes/${debit.debit_note_id}/void`, {})
  expect(await service.audit()).toEqual([])
})

const note = () => `credit note ${credit.credit_note_number} of ${ours.orgId}`
const back = () => `debit note ${debit.debit_note_number} of ${ours.orgId}`
const owes = (side: string, contact: string, ledger: string, documents: string) => expect.stringMatching(
  new RegExp(`^the ${side} of contact ${contact} of ${ours.orgId} is ${ledger} in the ledger, but its documents sum to ${documents}$`),
)

test.each<[string, string, () => string, () => unknown]>([
  ['a credit that its lines do not come to', "UPDATE credit_note_lines SET item_total = 90_00 WHERE credit_note_id = $1", () => credit.credit_note_id,
    () => `${note()}: sub_total 10000 and tax_total 0, its lines sum to 9000 and 0`],
  ['a total that nothing explains', 'UPDATE debit_notes SET sub_total = 90_00, total = 90_00 WHERE id = $1', () => debit.debit_note_id,
    () => owes('payable', ours.vendorId, '-\\d+', '-\\d+')],
  ['a posted draft', "UPDATE debit_notes SET status = 'DRAFT' WHERE id = $1", () => debit.debit_note_id, () => `${back()} is DRAFT with 1 unreversed entries`],
  ['a void note that still stands', "UPDATE debit_notes SET status = 'CANCELLED' WHERE id = $1", () => debit.debit_note_id,
    () => `${back()} is CANCELLED with 1 unreversed entries`],
  ['a void note that nobody was told of', 'WITH gone AS (DELETE FROM credit_applications WHERE credit_note_id = $1) '
    + "UPDATE credit_notes SET status = 'CANCELLED', applied_amount = 0 WHERE id = $1", () => credit.credit_note_id,
  () => `${note()} is CANCELLED and has no event CREDIT_NOTE_VOIDED`],
  ['a note on another day than its journal', "UPDATE credit_notes SET date = date + 1 WHERE id = $1", () => credit.credit_note_id,
    () => `${note()} is ISSUED with 1 unreversed entries`],
  ['a journal whose note is gone', 'DELETE FROM debit_notes WHERE id = $1', () => debit.debit_note_id,
    () => `debit note ${debit.debit_note_id} of ${ours.orgId} is gone with 1 unreversed entries`],
  ['a number that is gone', 'DELETE FROM debit_notes WHERE id = $1', () => debit.debit_note_id,
    () => expect.stringMatching(new RegExp(`^organisation ${ours.orgId} has assigned \\d+ numbers of debit notes, but \\d+ exist$`))],
  ['a creation that nobody was told of', 'DELETE FROM webhook_events WHERE entity_id = $1', () => debit.debit_note_id,
    () => `${back()} is ISSUED and has no event DEBIT_NOTE_CREATED`],
  ['a credit that more is applied of than its applications say', 'UPDATE credit_notes SET applied_amount = 70_00 WHERE id = $1', () => credit.credit_note_id,
    () => `${note()} is ISSUED with 7000 of 10000 applied, its applications sum to 6000`],
  ['an application that is gone', 'DELETE FROM credit_applications WHERE credit_note_id = $1', () => credit.credit_note_id,
    () => `${invoice.invoice_number} of ${ours.orgId} is PARTIALLY_PAID with 6000 credited and 4000 open, its applications sum to 0`],
  ['an invoice that is paid by less credit than it says', 'UPDATE invoices SET credits_applied = 61_00 WHERE id = $1', () => invoice.invoice_id,
    () => `${invoice.invoice_number} of ${ours.orgId} is PARTIALLY_PAID with 6100 credited and 3900 open, its applications sum to 6000`],
  ['an invoice that a credit has not settled after all', "UPDATE invoices SET status = 'CREDIT_APPLIED' WHERE id = $1", () => invoice.invoice_id,
    () => `${invoice.invoice_number} of ${ours.orgId} is CREDIT_APPLIED with 6000 credited and 4000 open, its applications sum to 6000`],
  ['an application that took more off the ledger', 'UPDATE credit_applications SET settled_base = 61_00 WHERE credit_note_id = $1', () => credit.credit_note_id,
    () => owes('receivable', ours.customerId, '-?\\d+', '-?\\d+')],
])('%s', async (_what, damage, id, told) => {
  await service.sql(damage, id())
  expect(await service.audit()).toContainEqual(told())
})
