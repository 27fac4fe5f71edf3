// The states of India in every form that callers may write, and whether a supply is intra-state.
import { fault } from './faults.ts'

export interface State {
  /** The canonical code, as in responses: 'IN-KA'. */
  code: string
  /** The two digits of GST: '29'. */
  gst: string
  name: string
  /** Codes and two-digit codes that were used before. */
  formerCodes: readonly string[]
  /** Names that were used before, or that the GST portal writes. */
  otherNames: readonly string[]
}

function state(code: string, gst: string, name: string, formerCodes: string[] = [], otherNames: string[] = []): State {
  return { code, gst, name, formerCodes, otherNames }
}

/** The states and union territories, in the order of their GST codes (decisions §3). */
export const STATES: readonly State[] = [
  state('IN-JK', '01', 'Jammu and Kashmir'),
  state('IN-HP', '02', 'Himachal Pradesh'),
  state('IN-PB', '03', 'Punjab'),
  state('IN-CH', '04', 'Chandigarh'),
  state('IN-UK', '05', 'Uttarakhand', ['IN-UT'], ['Uttaranchal']),
  state('IN-HR', '06', 'Haryana'),
  state('IN-DL', '07', 'Delhi', [], ['New Delhi', 'NCT of Delhi', 'National Capital Territory of Delhi']),
  state('IN-RJ', '08', 'Rajasthan'),
  state('IN-UP', '09', 'Uttar Pradesh'),
  state('IN-BR', '10', 'Bihar'),
  state('IN-SK', '11', 'Sikkim'),
  state('IN-AR', '12', 'Arunachal Pradesh'),
  state('IN-NL', '13', 'Nagaland'),
  state('IN-MN', '14', 'Manipur'),
  state('IN-MZ', '15', 'Mizoram'),
  state('IN-TR', '16', 'Tripura'),
  state('IN-ML', '17', 'Meghalaya'),
  state('IN-AS', '18', 'Assam'),
  state('IN-WB', '19', 'West Bengal'),
  state('IN-JH', '20', 'Jharkhand'),
  state('IN-OD', '21', 'Odisha', ['IN-OR'], ['Orissa']),
  // The portal wrote Chattisgarh for years, and exports of its lists still do.
  state('IN-CG', '22', 'Chhattisgarh', ['IN-CT'], ['Chattisgarh']),
  state('IN-MP', '23', 'Madhya Pradesh'),
  state('IN-GJ', '24', 'Gujarat'),
  // One union territory since 26 January 2020; before, Daman and Diu had the code 25.
  state(
    'IN-DH',
    '26',
    'Dadra and Nagar Haveli and Daman and Diu',
    ['IN-DN', 'IN-DD', '25'],
    ['Dadra and Nagar Haveli', 'Daman and Diu'],
  ),
  state('IN-MH', '27', 'Maharashtra'),
  state('IN-KA', '29', 'Karnataka'),
  state('IN-GA', '30', 'Goa'),
  state('IN-LD', '31', 'Lakshadweep', [], ['Lakshadweep Islands']),
  state('IN-KL', '32', 'Kerala'),
  state('IN-TN', '33', 'Tamil Nadu'),
  state('IN-PY', '34', 'Puducherry', [], ['Pondicherry']),
  state('IN-AN', '35', 'Andaman and Nicobar Islands', [], ['Andaman and Nicobar']),
  state('IN-TS', '36', 'Telangana', ['IN-TG'], ['Telengana']),
  // Andhra Pradesh had the code 28 before its division in 2014.
  state(
    'IN-AP',
    '37',
    'Andhra Pradesh',
    ['28'],
    ['Andhra Pradesh (New)', 'Andhra Pradesh (Old)', 'Andhra Pradesh (Before Division)'],
  ),
  state('IN-LA', '38', 'Ladakh'),
  // Territorial waters and everything outside the states. 96 (foreign country) and 99 (centre jurisdiction) are not accepted
  // as a place of supply (decisions §3).
  state('IN-OT', '97', 'Other Territory'),
]

const BY_CODE = new Map<string, State>()
const BY_GST_CODE = new Map<string, State>()
const BY_NAME = new Map<string, State>()

for (const each of STATES) {
  for (const code of [each.code, each.gst, ...each.formerCodes]) {
    const table = /^\d\d$/.test(code) ? BY_GST_CODE : BY_CODE
    table.set(normalised(code), each)
  }
  for (const name of [each.name, ...each.otherNames]) {
    BY_NAME.set(normalised(name), each)
    // `&` and `and` are equal (decisions §3), and may be left out.
    BY_NAME.set(normalised(name.replaceAll(' and ', ' ')), each)
  }
}

/**
 * The canonical code of a state in any of its forms: 'IN-KA', '29', 'Karnataka', '29-Karnataka', former codes and
 * names. Case, spaces, &/and, and a missing leading zero ('7' for '07', as spreadsheets write it) do not matter. Null for
 * any other text, for a GST code with the name of another state, and for a bare 'KA', which is not in the specification.
 */
export function findState(text: string): string | null {
  const given = normalised(text).replace(/^[1-9](?=-|$)/, (digit) => `0${digit}`)
  const joined = /^(\d\d)-(.+)$/.exec(given)
  if (joined) {
    const named = BY_NAME.get(joined[2] ?? '')
    return named && named === BY_GST_CODE.get(joined[1] ?? '') ? named.code : null
  }
  return (BY_CODE.get(given) ?? BY_GST_CODE.get(given) ?? BY_NAME.get(given))?.code ?? null
}

/**
 * As findState, for a body's place_of_supply (specification, "Place of supply").
 * Throws validation.invalid_value with status 422, field place_of_supply.
 */
export function placeOfSupply(text: string): string {
  const code = findState(text)
  if (code !== null) return code
  throw fault('validation.invalid_value', {
    status: 422,
    field: 'place_of_supply',
    message: 'This is not a state of India: send a code such as IN-KA or 29, or the name of the state.',
  })
}

/** The canonical code for a two-digit GST code, also a former one; null for 96, 99 and unknown codes. */
export function stateOfGstCode(digits: string): string | null {
  return BY_GST_CODE.get(digits)?.code ?? null
}

/**
 * True when the place of supply is the state of the supplier's branch, so CGST and SGST apply; otherwise IGST applies
 * (sections 7 and 8 of the IGST Act). Both are canonical codes.
 */
export function isIntraState(place: string, branchState: string): boolean {
  return place === branchState
}

function normalised(text: string): string {
  return text.toLowerCase().replaceAll('&', 'and').replace(/\s+/g, '')
}
