// An invoice registration portal with NIC's API, version 1.03.
import { isTransient, type EInvoiceError } from '../../domain/e-invoice/error-codes.ts'
import { dayMonthYear } from '../../domain/e-invoice/payload.ts'
import { fromIndianTime } from '../../domain/e-invoice/signed-qr.ts'
import { openIrpSession, type IrpReply, type IrpSessionOptions } from './irp-session.ts'
import { EInvoiceUnavailable, type EInvoiceProvider, type Refused, type Registration } from './provider.ts'
import { verifiedContent } from './signed-text.ts'

const INVOICE = '/eicore/v1.03/Invoice'
/** NIC's reasons are 1 duplicate, 2 data entry mistake, 3 order cancelled, 4 others. */
const OTHER_REASON = '4'
/** There is no such IRN, or none of such a document. */
const UNKNOWN: ReadonlySet<string> = new Set(['2148', '2154'])

export function createIrp(options: IrpSessionOptions): EInvoiceProvider {
  const session = openIrpSession(options)
  const { signing_key } = options.credentials

  async function found(path: string): Promise<Registration | null> {
    const reply = await session.ask('GET', path)
    if (reply.data) return registrationOf(reply.data)
    const { errors } = refusalOf(reply)
    if (errors.every(({ code }) => UNKNOWN.has(code))) return null
    throw new EInvoiceUnavailable(`the portal does not show the IRN: ${errors.map(({ code }) => code).join(', ')}`)
  }

  return {
    async generate(payload) {
      const reply = await session.ask('POST', INVOICE, payload)
      return reply.data ? { did: 'REGISTERED', registration: registrationOf(reply.data) } : refusalOf(reply)
    },

    async cancel(irn, remark) {
      const reply = await session.ask('POST', `${INVOICE}/Cancel`, {
        Irn: irn,
        CnlRsn: OTHER_REASON,
        CnlRem: remark.slice(0, 100),
      })
      if (!reply.data) return refusalOf(reply)
      return { did: 'CANCELLED', at: fromIndianTime(reply.data.CancelDate) ?? options.clock() }
    },

    find: (irn) => found(`${INVOICE}/irn/${encodeURIComponent(irn)}`),
    findByDocument({ type, number, date }) {
      const query = new URLSearchParams({ doctype: type, docnum: number, docdate: dayMonthYear(date) })
      return found(`${INVOICE}/irnbydocdetails?${query}`)
    },
    readQr: (signedQr) => verifiedContent(signing_key, signedQr),
  }
}

function refusalOf({ errors }: IrpReply): Refused {
  const passing = errors.find(({ code }: EInvoiceError) => isTransient(code))
  if (passing) throw new EInvoiceUnavailable(`${passing.code}: ${passing.message}`)
  return { did: 'REFUSED', errors }
}

function registrationOf({ Irn, AckNo, AckDt, SignedQRCode, Status }: Record<string, unknown>): Registration {
  const acknowledged = fromIndianTime(AckDt)
  const ackNo = typeof AckNo === 'number' || typeof AckNo === 'string' ? String(AckNo) : ''
  if (typeof Irn !== 'string' || typeof SignedQRCode !== 'string' || !/^\d{1,20}$/.test(ackNo) || !acknowledged)
    throw new EInvoiceUnavailable('the answer of the portal lacks the IRN, its acknowledgement or the signed QR code')
  return { irn: Irn.toLowerCase(), ackNo, acknowledged, signedQr: SignedQRCode, isCancelled: Status === 'CNL' }
}
