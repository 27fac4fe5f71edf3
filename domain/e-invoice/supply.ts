// Which documents are registered as e-invoices, and as which type of supply.

/** The types of supply of NIC's schema. WP: with payment of tax; WOP: without, under a letter of undertaking or a bond. */
export const SUPPLY_TYPES = ['B2B', 'SEZWP', 'SEZWOP', 'EXPWP', 'EXPWOP', 'DEXP'] as const
export type SupplyType = (typeof SUPPLY_TYPES)[number]

export interface Buyer {
  gst_no: string | null
  gst_treatment: string | null
  /** Of the billing address. */
  country: string | null
}

export interface Supply {
  /** The GSTIN of the branch. */
  supplierGstin: string | null
  buyer: Buyer
  /** Whether a line bears tax, charged or owed by the buyer under reverse charge. */
  isTaxed: boolean
  /** Whether the document charges tax. */
  chargesTax: boolean
}

const INDIA = ['', 'in', 'ind', 'india', 'bharat']

/**
 * The type of supply of a document that is to be registered; null for one that is not.
 * Registered are invoices, with their credit notes, to registered persons and for exports (rule 48(4) of the CGST Rules;
 * notification 13/2020 as amended by 70/2020, which added exports). Not registered are supplies to consumers, what is
 * supplied to one's own registration, and bills of supply: section 31(3)(c) has no tax on them, and the rule speaks of
 * invoices. A supply on which the buyer owes the tax under section 9(3) is registered by its supplier, marked as reverse charge;
 * what an unregistered person supplies, section 9(4), has no supplier who could register it.
 */
export function supplyTypeOf({ supplierGstin, buyer, isTaxed, chargesTax }: Supply): SupplyType | null {
  if (!supplierGstin) return null
  const treatment = buyer.gst_treatment?.toUpperCase() ?? ''
  if (!buyer.gst_no) return isAbroad(buyer, treatment) ? (chargesTax ? 'EXPWP' : 'EXPWOP') : null
  if (buyer.gst_no === supplierGstin) return null
  if (isInEconomicZone(treatment)) return chargesTax ? 'SEZWP' : 'SEZWOP'
  if (!isTaxed) return null
  return /DEEMED/.test(treatment) ? 'DEXP' : 'B2B'
}

/** Whether the GST treatment of a contact says that it is a unit or developer of a special economic zone. */
export const isInEconomicZone = (gstTreatment: string | null): boolean =>
  /\bsez|special.?economic/i.test((gstTreatment ?? '').replaceAll('_', ' '))

/** Supplies that are inter-state whatever their place: to special economic zones and abroad (section 7(5) of the IGST Act). */
export const isZeroRated = (type: SupplyType): boolean => type.startsWith('SEZ') || type.startsWith('EXP')

function isAbroad({ country }: Buyer, treatment: string): boolean {
  return /OVERSEAS|EXPORT|FOREIGN/.test(treatment) || !INDIA.includes(country?.trim().toLowerCase() ?? '')
}
