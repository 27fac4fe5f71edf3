// What every printed document has alike: the organisation, its bank details, terms and signature.
import type { PrintPreferences } from '../preferences.ts'
import { printedOrganization } from './parties.ts'
import { paragraphs, printableLine } from './printable-text.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { Surroundings } from './printed-source.ts'

type Letterhead = Pick<
  PrintedDocument,
  'organization' | 'footer' | 'signatory_for' | 'signatory' | 'signatory_role' | 'file_title' | 'language'
>

/** The parts of the letterhead, and the title of the file of this document. */
export function letterhead(surroundings: Surroundings, title: string, number: string): Letterhead {
  const organization = printedOrganization(surroundings)
  const { pdf } = surroundings
  return {
    organization,
    footer: printableLine(pdf?.footer),
    signatory_for: `For ${organization.legal_name || organization.name}`,
    signatory: signatoryOf(pdf),
    signatory_role: AUTHORISED,
    file_title: `${title.charAt(0)}${title.slice(1).toLowerCase()} ${number}, ${organization.name}`,
    language: 'en-IN',
  }
}

const AUTHORISED = 'Authorised signatory'

// Who signs does so as the authorised signatory of rule 46(q), whatever they are otherwise.
function signatoryOf(pdf: PrintPreferences | null): string {
  const designation = printableLine(pdf?.signatory?.designation)
  const isOwn = designation.toLowerCase() !== AUTHORISED.toLowerCase()
  return [printableLine(pdf?.signatory?.name), isOwn ? designation : ''].filter(Boolean).join(', ')
}

/** The bank details by which an invoice is paid. */
export function bankOf(pdf: PrintPreferences | null): PrintedDocument['bank'] {
  const bank = pdf?.bank_details
  if (!bank) return []
  const rows: [string, string | null][] = [
    ['Account name', bank.account_name],
    ['Account number', bank.account_number],
    ['Bank', bank.bank_name],
    ['IFSC', bank.ifsc],
    ['Branch', bank.branch],
  ]
  return rows.map(([label, value]) => ({ label, value: printableLine(value) })).filter(({ value }) => value !== '')
}

/** The organisation's terms. */
export const termsOf = (pdf: PrintPreferences | null): PrintedDocument['terms'] => paragraphs(pdf?.terms)
