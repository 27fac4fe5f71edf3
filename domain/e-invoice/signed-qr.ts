// What the signed QR code of an e-invoice says, and whether it is that of a document.
import type { EInvoicePayload } from './payload-shape.ts'

/** As NIC writes it. `IrnDt` is a time in India, without its zone. */
export interface QrContent {
  SellerGstin: string
  BuyerGstin: string
  DocNo: string
  DocTyp: string
  DocDt: string
  TotInvVal: number
  ItemCnt: number
  MainHsnCode: string
  Irn: string
  IrnDt: string
}

const INDIA_OFFSET_MS = 330 * 60_000

/** The content for a payload; the main HSN code is that of the line with the largest taxable value. */
export function qrContent(payload: EInvoicePayload, irn: string, acknowledged: Date): QrContent {
  const { SellerDtls, BuyerDtls, DocDtls, ItemList, ValDtls } = payload
  const main = ItemList.reduce((largest, item) => (item.AssAmt > largest.AssAmt ? item : largest))
  return {
    SellerGstin: SellerDtls.Gstin,
    BuyerGstin: BuyerDtls.Gstin,
    DocNo: DocDtls.No,
    DocTyp: DocDtls.Typ,
    DocDt: DocDtls.Dt,
    TotInvVal: ValDtls.TotInvVal,
    ItemCnt: ItemList.length,
    MainHsnCode: main.HsnCd,
    Irn: irn,
    IrnDt: indianTime(acknowledged),
  }
}

/** The names of what a QR code says otherwise than the document; none where it is the document's. */
export function qrDifferences(said: Partial<QrContent>, payload: EInvoicePayload, irn: string): string[] {
  const { IrnDt: _time, MainHsnCode: _main, ...expected } = qrContent(payload, irn, new Date(0))
  return (Object.keys(expected) as (keyof typeof expected)[]).filter((name) => {
    if (name === 'TotInvVal') return !(Math.abs(Number(said.TotInvVal) - expected.TotInvVal) < 0.005)
    if (name === 'ItemCnt') return Number(said.ItemCnt) !== expected.ItemCnt
    return String(said[name]).toUpperCase() !== String(expected[name]).toUpperCase()
  })
}

/** `2026-11-10 14:05:09` in India. */
export const indianTime = (time: Date): string =>
  new Date(time.getTime() + INDIA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')

/** The instant of a time in India as the portals write it, with `-` or `/`; null for any other text. */
export function fromIndianTime(text: unknown): Date | null {
  if (typeof text !== 'string' || !/^\d{4}[-/]\d{2}[-/]\d{2}[ T]\d{2}:\d{2}:\d{2}/.test(text)) return null
  const time = Date.parse(`${text.slice(0, 10).replaceAll('/', '-')}T${text.slice(11, 19)}+05:30`)
  return Number.isNaN(time) ? null : new Date(time)
}
