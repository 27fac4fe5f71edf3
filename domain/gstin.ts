// GSTIN and PAN, the tax numbers of a business: their shapes, the check character, and what they contain.
import { stateOfGstCode } from './place-of-supply.ts'

const PAN = /^[A-Z]{5}[0-9]{4}[A-Z]$/

// Rule 10 of the CGST Rules 2017: two digits of the state, ten characters of the PAN (of the TAN for deductors of tax), two
// of the registration, one check character. The 14th character is Z, or D or C for those who deduct or collect tax at source.
// UN bodies and embassies (UIN) and non-resident persons have numbers by year and country instead.
const BY_PAN = /^[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z][ZDC][0-9A-Z]$/
const BY_TAN = /^[0-9]{2}[A-Z]{4}[0-9]{5}[A-Z][1-9A-Z][DC][0-9A-Z]$/
const BY_COUNTRY = /^[0-9]{4}[A-Z]{3}[0-9]{5}(UN|ON|NR)[0-9A-Z]$/

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** True for the shape of a permanent account number (rule 114 of the Income-tax Rules), in upper case. */
export function isPan(text: string): boolean {
  return PAN.test(text)
}

/** True for a GSTIN of an existing state with the right check character (rule 10 of the CGST Rules), in upper case. */
export function isGstin(text: string): boolean {
  const shaped = BY_PAN.test(text) || BY_TAN.test(text) || BY_COUNTRY.test(text)
  return shaped && stateOfGstin(text) !== null && gstinCheckCharacter(text.slice(0, 14)) === text[14]
}

/**
 * True for 15 letters and digits that begin with two digits. Enough for a contact, whose registration may not be verified
 * yet; the organisation's own GSTIN must pass isGstin.
 */
export function hasGstinShape(text: string): boolean {
  return /^[0-9]{2}[0-9A-Z]{13}$/.test(text)
}

/**
 * The 15th character for the first 14: the index of each character in 0-9A-Z is multiplied by 1 and 2 in turn, the base-36
 * digits of the products are added up, and the check character completes the sum to a multiple of 36.
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

/** The canonical state code of a GSTIN, 'IN-KA'; null where its two digits are not those of a state. */
export function stateOfGstin(gstin: string): string | null {
  return stateOfGstCode(gstin.slice(0, 2))
}

/** The PAN within a GSTIN; null for a GSTIN of a kind that has none. */
export function panOfGstin(gstin: string): string | null {
  return BY_PAN.test(gstin) ? gstin.slice(2, 12) : null
}
