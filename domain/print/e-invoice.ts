// What a document prints of its e-invoice: the IRN with its acknowledgement, that it is missing, or that it is cancelled.
import { printedDate } from './figures.ts'
import { printableLine } from './printable-text.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { EInvoiceOnPaper, PrintedTrade } from './printed-source.ts'

type EInvoiceBlock = Pick<PrintedDocument, 'irn' | 'ack_no' | 'ack_date' | 'irn_cancelled' | 'notice'>

const NOTHING: EInvoiceBlock = { irn: '', ack_no: '', ack_date: '', irn_cancelled: '', notice: '' }

/** `isInForce` is true for a document that is approved and not void. */
export function eInvoiceBlock(
  eInvoice: EInvoiceOnPaper | null,
  kind: PrintedTrade['kind'],
  isInForce: boolean,
): EInvoiceBlock {
  if (eInvoice === null || eInvoice.irn === null)
    return { ...NOTHING, notice: isInForce ? noticeOf(eInvoice, kind) : '' }
  return {
    irn: eInvoice.irn,
    ack_no: eInvoice.ack_no ?? '',
    ack_date: portalTime(eInvoice.ack_date),
    irn_cancelled: cancellationOf(eInvoice),
    notice: '',
  }
}

/** True where the document is one that is to be registered. */
export const isToBeRegistered = (eInvoice: EInvoiceOnPaper | null): boolean =>
  eInvoice !== null && eInvoice.status !== 'NOT_APPLICABLE'

// Rule 48(5) of the CGST Rules: what is issued without an IRN by one who needs it "shall not be treated as an invoice".
function noticeOf(eInvoice: EInvoiceOnPaper | null, kind: PrintedTrade['kind']): string {
  const lack = eInvoice && LACKS[eInvoice.status]
  if (!lack) return ''
  return kind === 'INVOICE'
    ? `${lack} Without an IRN this is not a valid tax invoice (rule 48(5) of the CGST Rules).`
    : `${lack} This credit note is not registered as rule 48(4) of the CGST Rules asks.`
}

const LACKS: Partial<Record<EInvoiceOnPaper['status'], string>> = {
  PENDING: 'IRN awaited.',
  FAILED: 'No IRN: the registration has failed.',
}

function cancellationOf({ status, cancelled_at }: EInvoiceOnPaper): string {
  if (status === 'CANCELLED') return `IRN cancelled on ${portalTime(cancelled_at)}`
  return status === 'CANCELLING' ? 'The cancellation of this IRN has been requested' : ''
}

// The registration portal writes Indian time, with a space or a T.
function portalTime(text: string | null): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)/.exec(text ?? '') ?? []
  return date ? `${printedDate(date)} ${time}` : printableLine(text)
}
