// What the error codes of the invoice registration portals mean, and which of them pass by themselves.

/** One reason why a document is not registered, or its registration not cancelled. */
export interface EInvoiceError {
  /** The portal's code; PAYLOAD where the document was refused before it was sent, RESPONSE where an answer could not be used. */
  code: string
  message: string
  /** The part of the payload, `BuyerDtls.Pin`, where one is known. */
  field: string | null
}

/** An IRN of the same document exists already. */
export const DUPLICATE_IRN = '2150'
/** The session has ended: sign in again. */
export const INVALID_TOKEN = '1005'

/** In plain words, those that callers can do something about. */
const MEANINGS: Record<string, string> = {
  1004: 'The portal was sent no GSTIN; ask the operator of the service.',
  1005: 'The session at the portal has ended.',
  1007: 'The portal could not read the sign-in: its public key may have changed.',
  1008: 'The user name or password of the API user is wrong.',
  1010: 'The client id or client secret is wrong.',
  1013: 'The portal could not decrypt the sign-in: the public key is that of another environment.',
  1014: 'The GSTIN is inactive, or not enabled for e-invoices.',
  2140: 'The portal could not read the document; it is not as its schema asks.',
  2141: 'The portal could not cancel the IRN; try again later.',
  2143: 'The IRN is that of another GSTIN.',
  2146: 'The portal could not make an IRN at the moment.',
  2147: 'The portal could not sign the document at the moment.',
  2148: 'The portal has no such IRN, or no longer shows it.',
  2150: 'The portal has an IRN for this number already.',
  2154: 'The portal has no IRN for these details.',
  2172: 'IGST is charged within one state, where CGST with SGST is due.',
  2176: 'An HSN or SAC code is not one of the official list.',
  2182: 'The taxable values of the lines do not add up to that of the document.',
  2189: 'The total is not the sum of the lines, taxes and round-off.',
  2193: 'The taxable value of a line is not its amount less its discount.',
  2211: 'Supplier and buyer have the same GSTIN.',
  2212: 'The buyer of this supply must have a GSTIN.',
  2240: 'A line has a rate of tax that is not one of GST.',
  2265: "The buyer's state is not that of their GSTIN.",
  2270: 'The 24 hours in which an IRN can be cancelled are over.',
  3028: "The buyer's GSTIN does not exist.",
  3029: "The buyer's GSTIN is not active.",
  3039: 'A PIN code does not lie in the state that is given with it.',
}

const TRANSIENT: ReadonlySet<string> = new Set(['2146', '2147', '2141', INVALID_TOKEN])
const LONGEST_MESSAGE = 300

/** Whether the same request may succeed later. */
export const isTransient = (code: string): boolean => TRANSIENT.has(code)

/** The error of a portal's code and message; the plain meaning where the code is known, with the portal's own words behind it. */
export function errorOf(code: string, message = '', field: string | null = null): EInvoiceError {
  const said = plain(message).slice(0, LONGEST_MESSAGE)
  const meaning = MEANINGS[code]
  return {
    code: plain(code).slice(0, 20),
    message: meaning ? `${meaning}${said && ` (${said})`}` : said || 'The portal gives no reason.',
    field,
  }
}

const plain = (text: string) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim()
