// Changes of payments over HTTP: each field, posted again, and what an allocated payment keeps.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, paymentState } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const BAD = { status: 400, code: 'validation.invalid_value' }

describe('changes', () => {
  const put = async (id: string, body: Json) => (await ours.send('PUT', `/payments/${id}`, body)).payment
  const refusedPut = (id: string, body: Json) => ours.refusal('PUT', `/payments/${id}`, body)

  test('of every field are answered, posted again and logged', async () => {
    const before = await ours.payment(ours.receiptBody({ amount: 90, tds_amount: 9, description: 'First' }))
    const changed = {
      date: '2026-11-12', amount: 80, mode: 'CASH', reference_number: 'R 1', description: 'Second', bank_account_id: ours.accounts['Cash in Hand'],
      bank_charges: 1,
    }
    const after = await put(before.payment_id, changed)
    expect(after).toEqual({
      ...before, ...changed, date: '2026-11-12T00:00:00.000Z', unapplied_amount: 80, last_modified_time: expect.any(String),
    })
    expect(await ours.getPayment(before.payment_id)).toEqual(after)
    expect(await ours.ledger(before.payment_id)).toEqual([
      'Dr Bank Account 81.00\nDr TDS Receivable 9.00\n   Cr Accounts Receivable (customer) 90.00',
      '   Cr Bank Account 81.00\n   Cr TDS Receivable 9.00\nDr Accounts Receivable (customer) 90.00',
      'Dr Cash in Hand 70.00\nDr TDS Receivable 9.00\nDr Bank Charges 1.00\n   Cr Accounts Receivable (customer) 80.00',
    ])
    const { activity } = await ours.get(`/payments/${before.payment_id}/activity`)
    expect(activity.map(({ action, entity_ref }: Json) => [action, entity_ref]))
      .toEqual([['PAYMENT_UPDATED', before.payment_number], ['PAYMENT_CREATED', before.payment_number]])
    expect(activity[0].changes).toMatchObject({ mode: { old: 'BANK_TRANSFER', new: 'CASH' }, description: { old: 'First', new: 'Second' } })
  })

  test('of nothing, or of what the journal does not hold, post nothing', async () => {
    const { payment_id, last_modified_time } = await ours.payment(ours.receiptBody({ amount: 91 }))
    expect((await put(payment_id, {})).last_modified_time).toBe(last_modified_time)
    expect((await put(payment_id, { contact_id: ours.customerId, amount: 91, date: '2026-11-10', exchange_rate: 1 })).last_modified_time).toBe(last_modified_time)
    expect(await put(payment_id, { reference_number: 'R 2', mode: 'CHEQUE' })).toMatchObject({ reference_number: 'R 2', mode: 'CHEQUE' })
    expect(await ours.ledger(payment_id)).toHaveLength(1)
  })

  test('to null are what a payment has without the field', async () => {
    const { payment_id, bank_account_id } = await ours.payment(ours.receiptBody({ amount: 92 }))
    await put(payment_id, { mode: 'CARD', reference_number: 'x', description: 'y', bank_charges: 2, bank_account_id: ours.accounts['Cash in Hand'] })
    expect(await put(payment_id, {
      mode: null, reference_number: null, description: null, bank_charges: null, bank_account_id: null, currency_code: null, exchange_rate: null, flow: null,
    })).toMatchObject({ mode: 'BANK_TRANSFER', reference_number: null, description: null, bank_charges: 0, bank_account_id, flow: 'INCOMING' })
    for (const field of ['contact_id', 'date', 'amount']) expect((await refusedPut(payment_id, { [field]: null })).status).toBe(422)
  })

  test('of an allocated payment leave what its documents know', async () => {
    const { invoice_id } = await ours.sentInvoice()
    const { payment_id } = await ours.payment(ours.receiptBody({ amount: 93, allocations: [{ invoice_id, amount: 50 }] }))
    expect(await refusedPut(payment_id, { amount: 94 })).toEqual({ status: 409, code: 'conflict.allocated', field: 'amount' })
    expect(await refusedPut(payment_id, { flow: 'OUTGOING' })).toEqual({ ...BAD, field: 'flow' })
    expect(await refusedPut(payment_id, { contact_id: await addContact(ours) })).toEqual({ ...BAD, field: 'contact_id' })
    expect(await refusedPut(payment_id, { currency_code: 'USD', exchange_rate: 80 })).toEqual({ ...BAD, field: 'currency_code' })
    expect(await put(payment_id, { amount: 93, date: '2026-11-15', bank_charges: 3 })).toMatchObject({ amount: 93, unapplied_amount: 43, bank_charges: 3 })
    expect(paymentState(await ours.getInvoice(invoice_id))).toEqual(['PARTIALLY_PAID', 50, 50])
  })

  test('of the direction, and of the contact with its currency', async () => {
    const both = await addContact(ours, { contact_type: 'BOTH' })
    const { payment_id } = await ours.payment(ours.receiptBody({ contact_id: both, amount: 94 }))
    expect((await put(payment_id, { flow: 'OUTGOING' })).flow).toBe('OUTGOING')
    expect((await ours.ledger(payment_id)).at(-1)).toBe('Dr Accounts Payable (customer) 94.00\n   Cr Bank Account 94.00')
    expect(await refusedPut(payment_id, { contact_id: ours.customerId })).toEqual({ ...BAD, field: 'contact_id' })
    const abroad = await addContact(ours, { contact_type: 'VENDOR', contact_name: 'Osaka Looms', currency_code: 'JPY' })
    expect((await refusedPut(payment_id, { contact_id: abroad })).errors).toMatchObject([{ field: 'exchange_rate', code: 'required' }])
    expect(await put(payment_id, { contact_id: abroad, exchange_rate: 0.6 }))
      .toMatchObject({ contact_id: abroad, contact_name: 'Osaka Looms', currency_code: 'JPY', exchange_rate: 0.6, amount: 94, unapplied_amount: 94 })
    expect((await ours.ledger(payment_id)).at(-1)).toBe('Dr Accounts Payable (customer) 56.40\n   Cr Bank Account 56.40')
    expect(await put(payment_id, { contact_id: ours.vendorId })).toMatchObject({ currency_code: 'INR', exchange_rate: 1 })
  })

  test('that cannot be are refused', async () => {
    const { payment_id } = await ours.payment(ours.receiptBody({ amount: 95 }))
    const missing = { status: 404, code: 'not_found.resource' }
    expect(await refusedPut(payment_id, { bank_account_id: ours.accounts['Sales'] })).toEqual({ ...missing, field: 'bank_account_id' })
    expect(await refusedPut(payment_id, { contact_id: theirs.customerId })).toEqual({ ...missing, field: 'contact_id' })
    expect(await refusedPut(payment_id, { bank_charges: 95.01 })).toEqual({ ...BAD, field: 'bank_charges', details: { limit: 95 } })
    for (const field of ['tds_amount', 'payment_type', 'allocations']) {
      expect(await refusedPut(payment_id, { [field]: null })).toEqual({ ...BAD, field })
    }
    expect(await theirs.refusal('PUT', `/payments/${payment_id}`, {})).toEqual(missing)
    expect(await ours.refusal('DELETE', `/payments/${randomUUID()}`)).toEqual(missing)
  })
})
