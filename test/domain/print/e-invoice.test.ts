// What a document prints of its e-invoice.
import { describe, expect, test } from '@jest/globals'
import { printTrade } from '../../../domain/print/print-trade.ts'
import type { EInvoiceOnPaper, PrintedTrade } from '../../../domain/print/printed-source.ts'
import { AROUND, tradeOf } from './trades.ts'

const E_INVOICE: EInvoiceOnPaper = { status: 'GENERATED', irn: 'a'.repeat(64), ack_no: '112010036563310', ack_date: '2026-04-01 14:05:00', cancelled_at: null }

describe('an e-invoice', () => {
  const block = (eInvoice: Partial<EInvoiceOnPaper>, changes: Partial<PrintedTrade> = {}) => {
    const { irn, ack_date, irn_cancelled, notice, copies } = printTrade(tradeOf([{}], changes), AROUND, { ...E_INVOICE, ...eInvoice })
    return { irn, ack_date, irn_cancelled, notice, copies: copies.length }
  }
  const UNREGISTERED = { irn: null, ack_no: null, ack_date: null }
  const NONE = { irn: '', ack_date: '', irn_cancelled: '', notice: '', copies: 0 }

  test('has its number, acknowledgement and time', () => {
    expect(printTrade(tradeOf([{}]), AROUND, E_INVOICE)).toMatchObject({ irn: E_INVOICE.irn, ack_no: '112010036563310', ack_date: '01 Apr 2026 14:05', irn_cancelled: '', notice: '' })
  })

  test('without its number says so where it is in force, and is no original of anything', () => {
    expect(block({ status: 'PENDING', ...UNREGISTERED })).toEqual({ ...NONE, notice: expect.stringMatching(/^IRN awaited\. .*not a valid tax invoice/) })
    expect(block({ status: 'FAILED', ...UNREGISTERED })).toEqual({ ...NONE, notice: expect.stringMatching(/^No IRN: .*not a valid tax invoice/) })
    expect(block({ status: 'FAILED', ...UNREGISTERED }, { kind: 'CREDIT_NOTE' }).notice).toMatch(/^No IRN: .*credit note is not registered/)
    expect(block({ status: 'FAILED', ...UNREGISTERED }, { status: 'CANCELLED' })).toEqual(NONE)
    expect(block({ status: 'NOT_APPLICABLE', ...UNREGISTERED })).toEqual({ ...NONE, copies: 3 })
  })

  test('that is cancelled keeps its number, and says when it was', () => {
    const kept = { ...NONE, irn: E_INVOICE.irn, ack_date: '01 Apr 2026 14:05' }
    expect(block({ status: 'CANCELLED', cancelled_at: '2026-04-02 09:30:00' }, { status: 'CANCELLED' })).toEqual({ ...kept, irn_cancelled: 'IRN cancelled on 02 Apr 2026 09:30' })
    expect(block({ status: 'CANCELLING' }, { status: 'CANCELLED' })).toEqual({ ...kept, irn_cancelled: 'The cancellation of this IRN has been requested' })
    expect(block({ status: 'CANCELLING', ...UNREGISTERED }, { status: 'CANCELLED' })).toEqual(NONE)
  })
})
