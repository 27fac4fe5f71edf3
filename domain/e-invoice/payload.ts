// The payload of an e-invoice, in NIC's schema 1.1, from a document.
import { daysBetween } from '../dates.ts'
import { isIntraState } from '../place-of-supply.ts'
import { itemsAndValues } from './items.ts'
import { ABROAD, buyerOf, deliveryOf, dispatchOf, gstCodeOf, plainText, sellerOf } from './parties.ts'
import type { EInvoicePayload } from './payload-shape.ts'
import type { EInvoiceSource } from './source.ts'
import { isZeroRated, type SupplyType } from './supply.ts'

/**
 * The payload, in rupees with two decimals and quantities with three. What the books lack is left out or empty, so that
 * payloadErrors of gateways/einvoice names it. Throws validation.invalid_value for an amount that cannot be converted.
 */
export function eInvoicePayload(source: EInvoiceSource, supplyType: SupplyType): EInvoicePayload {
  const { supplier, buyer } = source
  const isAbroad = supplyType.startsWith('EXP')
  const reverseCharge = isReverseCharge(source)
  const intraState = !isZeroRated(supplyType) && isIntraState(source.place_of_supply, supplier.state)
  const delivery = deliveryOf(buyer, isAbroad)
  const dispatch = source.type === 'INV' && isOfGoods(source) ? dispatchOf(supplier) : null
  const country = buyer.country?.trim().toUpperCase() ?? ''
  return {
    Version: '1.1',
    TranDtls: { TaxSch: 'GST', SupTyp: supplyType, RegRev: reverseCharge ? 'Y' : 'N', IgstOnIntra: 'N' },
    DocDtls: { Typ: source.type, No: source.number, Dt: dayMonthYear(source.date) },
    SellerDtls: sellerOf(supplier),
    BuyerDtls: buyerOf(buyer, isAbroad ? ABROAD.Stcd : gstCodeOf(source.place_of_supply)),
    ...(dispatch && { DispDtls: dispatch }),
    ...(delivery && { ShipDtls: delivery }),
    ...itemsAndValues(source, { intraState, reverseCharge }),
    ...paymentOf(source),
    ...(source.preceding && {
      RefDtls: { PrecDocDtls: [{ InvNo: source.preceding.number, InvDt: dayMonthYear(source.preceding.date) }] },
    }),
    ...(isAbroad && {
      ExpDtls: {
        ...(source.currency_code !== 'INR' && { ForCur: source.currency_code }),
        ...(/^[A-Z]{2}$/.test(country) && { CntCode: country }),
      },
    }),
  }
}

/** A date as the portals write it: `10/11/2026`. */
export const dayMonthYear = (date: string): string => date.split('-').reverse().join('/')

// The codes of services (SAC) begin with 99.
const isOfGoods = ({ lines }: EInvoiceSource) => lines.some(({ hsn_or_sac }) => !/^\s*99/.test(hsn_or_sac ?? ''))

// A document is marked as a whole; one whose lines differ cannot be registered, see payloadErrors.
const isReverseCharge = ({ lines }: EInvoiceSource) => lines.some(({ tax }) => tax?.shape === 'RCM')

function paymentOf({ bank, date, due_date }: EInvoiceSource): Pick<EInvoicePayload, 'PayDtls'> {
  const days = due_date === null ? 0 : Math.min(Math.max(daysBetween(date, due_date), 0), 9_999)
  const payee = plainText(bank?.account_name, 100)
  const account = plainText(bank?.account_number, 18)
  const branch = plainText(bank?.ifsc, 11)
  const details = {
    ...(payee !== '' && { Nm: payee }),
    ...(account !== '' && { AccDet: account }),
    ...(branch !== '' && { FinInsBr: branch }),
    ...(days > 0 && { CrDay: days }),
  }
  return Object.keys(details).length === 0 ? {} : { PayDtls: details }
}
