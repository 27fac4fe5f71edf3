// What vouchers of payments print of other documents: the receipt that a refund gives back, the tax of the bills that are paid.
import { expect, test } from '@jest/globals'
import type { PrintedKind } from '../../domain/documents.ts'
import { readPrinted } from '../../reports/print/printed.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
const { orgId, taxes, vendorId } = org

const printed = async (kind: PrintedKind, id: string) => (await readPrinted({ database: service.database, orgId }, kind, id))!.data
const lines = (...of: Json[]) => of.map((one) => ({ name: 'Silk', quantity: 3, rate: 333.33, hsn_or_sac: '5004', unit: 'NOS', ...one }))

test('a refund names the receipt that its reference is the number of', async () => {
  const receipt = await org.payment(org.receiptBody({ amount: 500, payment_type: 'ADVANCE' }))
  const refund = await org.payment(org.receiptBody({ amount: 500, flow: 'OUTGOING', payment_type: 'REFUND', reference_number: receipt.payment_number }))
  const voucher = await printed('PAYMENT', refund.payment_id)
  const named = [{ label: 'Against receipt', value: receipt.payment_number }, { label: 'Receipt date', value: expect.stringMatching(/2026$/) }]
  expect(voucher).toMatchObject({ title: 'REFUND VOUCHER', reverse_charge: 'No', allocations: [], details: expect.arrayContaining(named) })
})

test('a payment voucher says the tax that we owe of the bills, and no more than that', async () => {
  const [owing, other] = [
    await org.openBill({ line_items: lines({ tax_id: taxes['RCM 18%'] }, { name: 'Cotton', tax_id: taxes['GST 5%'] }) }),
    await org.openBill({ line_items: lines({ name: 'Yarn', rate: 100, tax_id: taxes['GST 5%'] }) }),
  ]
  const payment = await org.payment(org.receiptBody({
    contact_id: vendorId, flow: 'OUTGOING', amount: 200, allocations: [{ bill_id: owing.bill_id, amount: 100 }, { bill_id: other.bill_id, amount: 100 }],
  }))
  const voucher = await printed('PAYMENT', payment.payment_id)
  expect(voucher).toMatchObject({ title: 'PAYMENT VOUCHER', reverse_charge: 'Yes', details: expect.arrayContaining([{ label: 'Goods or services', value: 'Silk' }]) })
  const bill = await printed('BILL', owing.bill_id)
  expect(voucher.reverse_charge_taxes).toEqual(bill.reverse_charge_taxes)
  expect([voucher.place_of_supply, voucher.allocations.length]).toEqual([bill.place_of_supply, 2])
})
