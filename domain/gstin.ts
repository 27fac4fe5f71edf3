// GSTIN and PAN: the numbers that the tax authorities know a business by.
import { stateOfGstCode } from './place-of-supply.ts'

const PAN = /^[A-Z]{5}[0-9]{4}[A-Z]$/

// Rule 10 of the CGST Rules 2017: two digits of the state, ten characters of PAN (TAN for who deducts tax), two of
// the registration, one check character. The 14th is Z, or D and C for who deducts and collects tax at source.
// UN bodies, embassies (UIN) and non-resident persons are numbered by year and country instead.
const BY_PAN = /^[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z][ZDC][0-9A-Z]$/
const BY_TAN = /^[0-9]{2}[A-Z]{4}[0-9]{5}[A-Z][1-9A-Z][DC][0-9A-Z]$/
const BY_COUNTRY = /^[0-9]{4}[A-Z]{3}[0-9]{5}(UN|ON|NR)[0-9A-Z]$/

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** True for a permanent account number by its shape (rule 114 of the Income-tax Rules); upper case. */
export function isPan(text: string): boolean {
  return PAN.test(text)
}

/** True for a GSTIN of a state that exists, with the right check character (rule 10 of the CGST Rules); upper case. */
export function isGstin(text: string): boolean {
  const shaped = BY_PAN.test(text) || BY_TAN.test(text) || BY_COUNTRY.test(text)
  return shaped && stateOfGstin(text) !== null && gstinCheckCharacter(text.slice(0, 14)) === text[14]
}

/**
 * True for 15 characters that begin with two digits, whatever the rest: what a contact may be booked under before
 * its registration is proved. The organisation's own GSTIN is held to isGstin.
 */
export function hasGstinShape(text: string): boolean {
  return /^[0-9]{2}[0-9A-Z]{13}$/.test(text)
}

/**
 * The 15th character for the first 14: each character's place in 0-9A-Z is taken once and twice by turns, the
 * digits of the product to the base 36 are added up, and the check character fills the sum up to a multiple of 36.
 * Throws an ordinary error unless given 14 characters of 0-9A-Z.
 */
export function gstinCheckCharacter(first14: string): string {
  if (!/^[0-9A-Z]{14}$/.test(first14)) throw new Error('the check character is computed from 14 characters of 0-9A-Z')
  let total = 0
  for (const [index, character] of [...first14].entries()) {
    const product = ALPHABET.indexOf(character) * (index % 2 === 0 ? 1 : 2)
    total += Math.floor(product / 36) + (product % 36)
  }
  return ALPHABET.charAt((36 - (total % 36)) % 36)
}

/** The canonical state code of a GSTIN, 'IN-KA'; null where its two digits name no state. */
export function stateOfGstin(gstin: string): string | null {
  return stateOfGstCode(gstin.slice(0, 2))
}

/** The PAN within a GSTIN; null for the kinds that are not built on one. */
export function panOfGstin(gstin: string): string | null {
  return BY_PAN.test(gstin) ? gstin.slice(2, 12) : null
}
