// What kind of supply a document is about, which decides its title, its copies and what must be written on it.
import { DOCUMENTS } from '../documents.ts'
import { isInEconomicZone } from '../e-invoice/supply.ts'
import { isIntraState } from '../place-of-supply.ts'
import type { PrintedTrade, PrintedTradeLine, Surroundings } from './printed-source.ts'

type Contact = Pick<Surroundings['contact'], 'gst_no' | 'gst_treatment' | 'billing_address'>

/** True for a contact outside India: without a GSTIN, and abroad by its GST treatment or by its country. */
export function isAbroad({ gst_no, gst_treatment, billing_address }: Contact): boolean {
  if (gst_no !== null) return false
  const treatment = gst_treatment ?? ''
  if (/overseas|foreign|export/i.test(treatment) && !/deemed/i.test(treatment)) return true
  const country = billing_address?.country
  return typeof country === 'string' && /\p{Letter}/u.test(country) && !/^\s*(?:india|in|ind|bharat)\s*$/i.test(country)
}

/** The books know no place of supply abroad; the returns of GST have the code 96 for it. */
export const OUTSIDE_INDIA = 'Outside India (96)'

/** True where the recipient owes the tax (section 9(3) and (4) of the CGST Act). */
export function isReverseCharge(lines: readonly Pick<PrintedTradeLine, 'tax'>[]): boolean {
  return lines.some(({ tax }) => tax?.shape === 'RCM')
}

export const BILL_OF_SUPPLY = 'BILL OF SUPPLY'
const UNTAXED = ['EXEMPT', 'NIL_RATED', 'NON_GST']

/**
 * The title. A registered supplier writes a tax invoice (rule 46 of the CGST Rules), a bill of supply where every line is
 * exempt, nil-rated or outside GST (rule 49), and one paper for both to an unregistered recipient (rule 46A). Who is not
 * registered writes none of these, and where no line says how it is taxed, nobody can tell.
 */
export function titleOf(trade: PrintedTrade, { contact }: Surroundings, isRegistered: boolean): string {
  const own = DOCUMENTS[trade.kind].noun.toUpperCase()
  if (trade.kind !== 'INVOICE') return trade.from_vendor ? `VENDOR ${own}` : own
  if (!isRegistered || trade.lines.every(({ tax }) => tax === null)) return own
  if (isAbroad(contact)) return 'EXPORT INVOICE'
  const isExempt = ({ tax }: PrintedTradeLine) => tax !== null && UNTAXED.includes(tax.shape)
  if (trade.lines.every(isExempt)) return BILL_OF_SUPPLY
  const isOfBoth = trade.lines.some(isExempt) && trade.lines.some((line) => line.tax !== null && !isExempt(line))
  return isOfBoth && contact.gst_no === null ? 'INVOICE-CUM-BILL OF SUPPLY' : 'TAX INVOICE'
}

/**
 * The markings of the copies (rule 48 of the CGST Rules): three of goods, two of services. An e-invoice needs none
 * (sub-rule 6), and a draft or a cancelled invoice is not issued in copies.
 */
export function copyNames(trade: PrintedTrade, title: string, isEInvoice: boolean): string[] {
  const isIssued = trade.status !== 'DRAFT' && trade.status !== 'CANCELLED'
  if (trade.kind !== 'INVOICE' || title === 'INVOICE' || isEInvoice || !isIssued) return []
  return isOfServices(trade.lines)
    ? ['ORIGINAL FOR RECIPIENT', 'DUPLICATE FOR SUPPLIER']
    : ['ORIGINAL FOR RECIPIENT', 'DUPLICATE FOR TRANSPORTER', 'TRIPLICATE FOR SUPPLIER']
}

/** True where every line is of a service: their codes begin with 99. */
export const isOfServices = (lines: readonly PrintedTradeLine[]) =>
  lines.every(({ hsn_or_sac }) => /^\s*99/.test(hsn_or_sac ?? ''))

/** What the rules ask to be written on the document. */
export function endorsementsOf(
  trade: PrintedTrade,
  { contact, organization }: Surroundings,
  isRegistered: boolean,
): string[] {
  const endorsements: string[] = []
  if (trade.kind === 'INVOICE' && isRegistered) {
    const terms =
      trade.igst > 0n
        ? 'ON PAYMENT OF INTEGRATED TAX'
        : 'UNDER BOND OR LETTER OF UNDERTAKING WITHOUT PAYMENT OF INTEGRATED TAX'
    // The third proviso to rule 46. Where CGST was charged, the supply was not treated as zero-rated.
    if (trade.cgst === 0n && isAbroad(contact)) endorsements.push(`SUPPLY MEANT FOR EXPORT ${terms}`)
    if (trade.cgst === 0n && isInEconomicZone(contact.gst_treatment)) {
      endorsements.push(`SUPPLY TO SEZ UNIT OR SEZ DEVELOPER FOR AUTHORISED OPERATIONS ${terms}`)
    }
  }
  if (trade.kind === 'INVOICE' && isReverseCharge(trade.lines))
    endorsements.push('TAX IS PAYABLE ON REVERSE CHARGE BASIS')
  // The watermark of a sandbox says SPECIMEN, whatever the state.
  if (organization.sandbox && (trade.status === 'DRAFT' || trade.status === 'CANCELLED'))
    endorsements.push(trade.status)
  return endorsements
}

/** The watermark: nothing that a sandbox prints is real; then what is not issued yet, or no longer holds. */
export function watermarkOf(status: string, isSandbox: boolean): string {
  if (isSandbox) return 'SPECIMEN'
  return status === 'DRAFT' || status === 'CANCELLED' ? status : ''
}

// Union territories without a legislature, and the territorial waters, levy UTGST in place of SGST (UTGST Act, section 1).
const WITHOUT_LEGISLATURE = ['IN-CH', 'IN-DH', 'IN-LD', 'IN-AN', 'IN-LA', 'IN-OT']

/** What the tax of the state is called where the supply is made. */
export function stateTaxName(branchState: string | null): 'SGST' | 'UTGST' {
  return branchState !== null && WITHOUT_LEGISLATURE.includes(branchState) ? 'UTGST' : 'SGST'
}

/** True for an invoice to a customer abroad: a supply between States, whatever place was entered (IGST Act, section 7(5)). */
export const isExport = ({ kind, cgst }: PrintedTrade, contact: Surroundings['contact']): boolean =>
  kind === 'INVOICE' && cgst === 0n && isAbroad(contact)

/** True where CGST and SGST were charged, or would be: by the amounts, else by the place of supply. */
export function isWithinState(trade: PrintedTrade, branchState: string | null): boolean {
  const { lines, cgst, igst, place_of_supply } = trade
  if (cgst > 0n || lines.some(({ rcm_cgst = 0n }) => rcm_cgst > 0n)) return true
  if (igst > 0n || lines.some(({ rcm_igst = 0n }) => rcm_igst > 0n)) return false
  return branchState !== null && isIntraState(place_of_supply, branchState)
}
