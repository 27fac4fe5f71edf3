// Warnings: what a call that succeeded answers beside its resource; always a list where a call can warn.
import { describe, expect, test } from '@jest/globals'
import { WARNINGS } from '../../domain/warnings.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const voided = (path: string) => ours.send('POST', `${path}/void`)

describe('the void of a document that notes name', () => {
  test('an invoice: issued notes with a balance are named, and stand', async () => {
    const { invoice_id } = await ours.invoice({ auto_approve: true })
    const whole = await ours.creditNote({ invoice_id })
    const part = await ours.creditNote({ invoice_id })
    await ours.applyCredit(part.credit_note_id, { invoice_id: (await ours.invoice({ auto_approve: true })).invoice_id }, 40)
    await ours.creditNote({ invoice_id, is_draft: true })
    const cancelled = await ours.creditNote({ invoice_id })
    await voided(`/credit_notes/${cancelled.credit_note_id}`)
    const used = await ours.creditNote({ invoice_id })
    await ours.applyCredit(used.credit_note_id, { invoice_id: (await ours.invoice({ auto_approve: true })).invoice_id }, 100)

    const { invoice, warnings } = await voided(`/invoices/${invoice_id}`)
    expect(invoice.status).toBe('CANCELLED')
    const named = [whole, part].map(({ credit_note_id, credit_note_number }) => ({ credit_note_id, credit_note_number }))
    expect(warnings).toEqual([{
      code: 'validation.unapplied_notes',
      message: expect.stringContaining(`${whole.credit_note_number}, ${part.credit_note_number}`),
      details: { credit_notes: [{ ...named[0], balance_amount: 100 }, { ...named[1], balance_amount: 60 }], debit_notes: [] },
    }])
    expect(await ours.getCreditNote(whole.credit_note_id)).toMatchObject({ status: 'ISSUED', balance_amount: 100 })
  })

  test('a bill: credits of the vendor and debit notes', async () => {
    const { bill_id } = await ours.bill({ auto_approve: true })
    const credit = await ours.vendorCreditNote({ bill_id })
    const debit = await ours.debitNote({ bill_id })
    expect((await voided(`/bills/${bill_id}`)).warnings).toEqual([{
      code: 'validation.unapplied_notes', message: expect.any(String),
      details: {
        credit_notes: [{ credit_note_id: credit.credit_note_id, credit_note_number: credit.credit_note_number, balance_amount: 100 }],
        debit_notes: [{ debit_note_id: debit.debit_note_id, debit_note_number: debit.debit_note_number, balance_amount: 100 }],
      },
    }])
  })

  test('no warning is an empty list, for a draft too', async () => {
    for (const auto_approve of [true, false]) {
      expect((await voided(`/invoices/${(await ours.invoice({ auto_approve })).invoice_id}`)).warnings).toEqual([])
      expect((await voided(`/bills/${(await ours.bill({ auto_approve })).bill_id}`)).warnings).toEqual([])
    }
  })

  test('a repeat of the key answers the same', async () => {
    const { invoice_id } = await ours.invoice({ auto_approve: true })
    await ours.creditNote({ invoice_id })
    const call = () => ours.client.post(`/invoices/${invoice_id}/void`, {}, 'void-once')
    const [first, second] = [await call(), await call()]
    expect(first.body.warnings).toHaveLength(1)
    expect(second.text).toBe(first.text)
  })
})

test('GET /errors lists the codes of warnings too', async () => {
  expect((await ours.get('/errors')).warning_codes).toEqual(Object.entries(WARNINGS).map(([code, meaning]) => ({ code, meaning })))
})
