// The organisation and the contact as they are printed: name, address, GSTIN, state.
import { panOfGstin } from '../gstin.ts'
import { findState, STATES } from '../place-of-supply.ts'
import { isAbroad } from './supply.ts'
import { paragraphs, printableLine } from './printable-text.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { StoredAddress, Surroundings } from './printed-source.ts'

/** What is printed where a business has no GSTIN. */
const UNREGISTERED = 'Unregistered'

type Party = PrintedDocument['party']

/** The head of every document: whose it is, by the registration of the branch that it belongs to. */
export function printedOrganization({ organization, branch }: Surroundings): PrintedDocument['organization'] {
  const gstin = registrationOf({ organization, branch })
  const isElsewhere = branch !== null && !branch.is_default
  const name = printableLine(organization.name)
  const legal = printableLine(organization.legal_name)
  return {
    name,
    legal_name: legal === name ? '' : legal,
    address: addressLines(branch?.address ?? organization.address),
    gstin: printableLine(gstin) || UNREGISTERED,
    pan: printableLine(organization.pan ?? (gstin === null ? null : panOfGstin(gstin))),
    state: stateWithCode(branch?.state ?? organization.state_code),
    branch: isElsewhere
      ? printableLine([branch.name, branch.address ? '' : branch.city].filter(Boolean).join(', '))
      : '',
    phone: printableLine(organization.phone),
    email: printableLine(organization.email),
  }
}

/** The GSTIN under which the branch supplies: its own, else the organisation's where that is of the same state; else null. */
export function registrationOf({ organization, branch }: Pick<Surroundings, 'organization' | 'branch'>): string | null {
  if (branch?.gstin) return branch.gstin
  return branch === null || branch.state === organization.state_code ? organization.gstin : null
}

/** The contact under this heading: the name of the document, and everything else as it is known now. */
export function printedParty(heading: string, partyName: string, { contact }: Surroundings): Party {
  const name = printableLine(partyName)
  const legal = printableLine(contact.legal_name ?? contact.company_name)
  return {
    heading,
    name,
    address: [...(legal === '' || legal === name ? [] : [{ text: legal }]), ...addressLines(contact.billing_address)],
    gstin: printableLine(contact.gst_no) || (isAbroad(contact) ? '' : UNREGISTERED),
    pan: printableLine(contact.pan),
    state: stateOfContact(contact),
    phone: printableLine(contact.phone),
    email: printableLine(contact.email),
  }
}

/** Where a sale is delivered, if that is not the billing address (rule 46(e) and (o) of the CGST Rules). */
export function printedShipTo(partyName: string, { contact }: Surroundings): Party {
  const address = addressLines(contact.shipping_address)
  const isSame = JSON.stringify(address) === JSON.stringify(addressLines(contact.billing_address))
  if (address.length === 0 || isSame) return NOBODY
  const state = textAt(contact.shipping_address, ['state_code', 'state'])
  return { ...NOBODY, heading: 'Ship to', name: printableLine(partyName), address, state: stateWithCode(state) }
}

/** Where the goods of a sale leave from, if that is not the address of the branch; ''. In one line. */
export const printedDispatch = ({ branch }: Surroundings): string =>
  addressLines(branch?.dispatch_address ?? null)
    .map(({ text }) => text)
    .join(', ')

/** Where an order from a vendor is to be delivered: to the branch. */
export function printedDeliverTo(surroundings: Surroundings): Party {
  const { name, branch, address, state } = printedOrganization(surroundings)
  // The organisation's address is not that of a branch elsewhere.
  const known = branch === '' || surroundings.branch?.address ? address : []
  const at = branch === '' ? known : [{ text: branch }, ...known]
  return { ...NOBODY, heading: 'Deliver to', name, address: at, state }
}

export const NOBODY: Party = { heading: '', name: '', address: [], gstin: '', pan: '', state: '', phone: '', email: '' }

/** 'Karnataka (29)' for a state in any of its forms; text that is no state as it is. */
export function stateWithCode(text: string | null): string {
  const found = text === null ? null : findState(text)
  const state = STATES.find(({ code }) => code === found)
  return state ? `${state.name} (${state.gst})` : printableLine(text)
}

function stateOfContact(contact: Surroundings['contact']): string {
  // The address has the country.
  if (isAbroad(contact)) return ''
  return stateWithCode(contact.place_of_contact ?? textAt(contact.billing_address, ['state_code', 'state']))
}

/** The country of an address; '' where it names none. */
export function countryOf(address: StoredAddress | null): string {
  return printableLine(textAt(address, ['country']))
}

// The names that callers give the parts of an address, in the order in which they are printed.
const STREET = [
  'attention',
  'address',
  'line1',
  'line_1',
  'address1',
  'address_line1',
  'address_line_1',
  'street',
  'line2',
  'line_2',
  'address2',
  'address_line2',
  'address_line_2',
  'street2',
  'area',
  'locality',
  'landmark',
]
const CITY = ['city', 'town', 'district']
const ZIP = ['zip', 'pincode', 'pin_code', 'pin', 'postal_code', 'postcode']

/** The lines of an address: street, city with PIN code and state, and the country where it is not India. */
function addressLines(address: StoredAddress | null): { text: string }[] {
  const street = STREET.flatMap((field) => paragraphs(textAt(address, [field])))
  const place = [textAt(address, CITY), textAt(address, ZIP)].map(printableLine).filter(Boolean).join(' ')
  const state = stateWithCode(textAt(address, ['state_code', 'state'])).replace(/ \(\d\d\)$/, '')
  const country = countryOf(address)
  const city = [place, state].filter(Boolean).join(', ')
  return [...street, { text: city }, { text: /^(india|in|ind|bharat)$/i.test(country) ? '' : country }].filter(
    ({ text }) => text !== '',
  )
}

function textAt(address: StoredAddress | null, fields: string[]): string | null {
  for (const field of fields) {
    const value = address?.[field]
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return null
}
