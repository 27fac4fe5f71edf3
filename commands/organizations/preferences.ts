// Changes what an organisation prefers: how it rounds, what its documents show, its mail, its reminders, its e-invoices.
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import {
  DEFAULT_ORGANIZATION_PREFERENCES,
  DEFAULT_POSTING_PREFERENCES,
  wireNamed,
  type AllPreferences,
  type EInvoicePreferences,
  type LogoFacts,
  type OrganizationPreferences,
  type PostingPreferences,
} from '../../domain/preferences.ts'
import { refuseUnknownPlaceholders } from '../../domain/reminder-text.ts'
import { findBranches } from '../../models/branch.ts'
import { findSealedCredentials } from '../../models/e-invoice.ts'
import type { Scope } from '../../models/find.ts'
import { findOrganization, lockOrganization, organizations, type OrganizationRow } from '../../models/organization.ts'
import { findLogoFacts, findPreferences, logos, organizationPreferences } from '../../models/preferences.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { checkedLogo } from './logo.ts'

/** What is sent of an object: a field that is left out stays as it is, null takes the default. */
export type Partly<Whole> = { [Name in keyof Whole]?: Partly<Whole[Name]> | null }

/** Changes of preferences, under the names by which they are stored. */
export interface PreferenceChanges {
  posting: Partly<PostingPreferences>
  documents: Partly<OrganizationPreferences>
  /** A data URL; null removes the logo; the logo as it was answered leaves it. */
  logo?: string | LogoFacts | null
}

/** The preferences of an organisation. Throws not_found.resource where there is no such organisation. */
export async function readPreferences(scope: Scope): Promise<AllPreferences> {
  return preferencesOf(scope, await findOrganization(scope.connection, scope.orgId))
}

async function preferencesOf(scope: Scope, organization: OrganizationRow | null): Promise<AllPreferences> {
  if (!organization) throw notFound('organisation')
  const [documents, logo] = [await findPreferences(scope), await findLogoFacts(scope)]
  return { posting: organization.preferences, documents, logo }
}

/**
 * Changes the preferences that are sent and leaves the others. Two changes at once are made one after the other, and calls that
 * write go on before or after it as a whole. Throws not_found.resource for a branch that the organisation does not have,
 * validation.required_field for bank details or a signatory without a part that they need, and what checkedLogo throws. Warns of
 * e-invoices that are enabled at a portal without credentials, those of the branch `newlyCredited` aside.
 */
export async function changePreferences(
  books: Books,
  sent: PreferenceChanges,
  newlyCredited: string | null = null,
): Promise<AllPreferences> {
  const organization = await lockOrganization(books.connection, books.orgId)
  const before = await preferencesOf(books, organization)
  const posting = merged(DEFAULT_POSTING_PREFERENCES, before.posting, sent.posting) as PostingPreferences
  const documents = await changedDocuments(books, before.documents, sent.documents)
  const logo = await changedLogo(books, before.logo, sent.logo)
  const named = Object.keys(sent.documents.e_invoicing ?? {}).map((id) => id.toLowerCase())
  for (const branch of named) if (branch !== newlyCredited) await warnOfCredentials(books, branch, documents)
  const after = { posting, documents, logo }
  const changes = changesBetween(byName(before, after), byName(after, before))
  if (changes === null) return before
  if (changesBetween(before.posting, posting) !== null) {
    books.update(organizations, organization!, { preferences: posting, last_modified_time: books.now })
  }
  if (changesBetween(before.documents, documents) !== null) {
    books.replace(organizationPreferences, { ...documents, last_modified_time: books.now })
  }
  books.record({
    action: 'PREFERENCES_UPDATED',
    entityType: 'ORGANIZATION',
    entityId: organization!.id,
    entityRef: organization!.name,
    changes,
  })
  return after
}

async function changedDocuments(
  books: Books,
  before: OrganizationPreferences,
  { e_invoicing: eInvoicing, ...sent }: Partly<OrganizationPreferences>,
): Promise<OrganizationPreferences> {
  const documents = merged(DEFAULT_ORGANIZATION_PREFERENCES, before, sent) as OrganizationPreferences
  const { pdf } = documents
  pdf.bank_details = pdf.bank_details && { ...pdf.bank_details, branch: pdf.bank_details.branch ?? null }
  pdf.signatory = pdf.signatory && { ...pdf.signatory, designation: pdf.signatory.designation ?? null }
  requireParts('pdf.bankDetails', pdf.bank_details, ['account_name', 'account_number', 'bank_name', 'ifsc'])
  requireParts('pdf.signatory', pdf.signatory, ['name'])
  refuseUnknownPlaceholders(sent.reminders?.subject, 'reminders.subject')
  refuseUnknownPlaceholders(sent.reminders?.text, 'reminders.text')
  documents.reminders.days = documents.reminders.days.toSorted((one, other) => one - other)
  if (eInvoicing === null) documents.e_invoicing = {}
  else if (eInvoicing) documents.e_invoicing = await changedBranches(books, before.e_invoicing, eInvoicing)
  return documents
}

async function changedBranches(
  books: Books,
  before: OrganizationPreferences['e_invoicing'],
  sent: Partly<OrganizationPreferences['e_invoicing']>,
): Promise<OrganizationPreferences['e_invoicing']> {
  const known = new Set((await findBranches(books, false)).map(({ id }) => id))
  const after = { ...before }
  for (const [id, entry] of Object.entries(sent)) {
    const branch = id.toLowerCase()
    if (!isId(id) || !known.has(branch)) throw notFound('branch', `eInvoicing.${id}`)
    if (entry === null || entry === undefined) delete after[branch]
    else after[branch] = merged(BRANCH_WITHOUT, before[branch] ?? BRANCH_WITHOUT, entry) as EInvoicePreferences
  }
  return after
}

async function warnOfCredentials(
  books: Books,
  branch: string,
  { e_invoicing }: OrganizationPreferences,
): Promise<void> {
  const { enabled, provider } = e_invoicing[branch] ?? BRANCH_WITHOUT
  if (!enabled || provider === 'sandbox' || (await findSealedCredentials(books, branch)) !== null) return
  books.warn({
    code: 'e_invoice.credentials_missing',
    message:
      'The branch has no credentials at the portal, so its e-invoices will fail until the operator has added them (npm run einvoice).',
    details: { branch_id: branch, provider },
  })
}

const BRANCH_WITHOUT: EInvoicePreferences = { enabled: false, provider: 'sandbox' }

async function changedLogo(
  books: Books,
  before: LogoFacts | null,
  sent: PreferenceChanges['logo'],
): Promise<LogoFacts | null> {
  if (sent === undefined) return before
  if (sent === null) {
    if (before !== null) books.delete(logos, {})
    return null
  }
  if (typeof sent !== 'string') {
    if (before !== null && sent.sha256 === before.sha256) return before
    const message = 'pdf.logo is changed by a data URL; leave it out, or send what it is.'
    throw fault('validation.invalid_value', { field: 'pdf.logo', message })
  }
  const { content, ...logo } = await checkedLogo(sent)
  if (logo.sha256 === before?.sha256) return before
  const bytes = { sha256: `\\x${logo.sha256}`, content: `\\x${content.toString('hex')}` }
  books.replace(logos, { ...logo, ...bytes, last_modified_time: books.now })
  return logo
}

function requireParts<Part extends string>(
  field: string,
  whole: Partial<Record<Part, string | null>> | null,
  needed: readonly Part[],
): void {
  const missing = whole && needed.find((part) => whole[part] == null)
  if (!missing) return
  const name = `${field}.${Object.keys(wireNamed({ [missing]: null }) as object)[0]}`
  throw fault('validation.required_field', { field: name, message: `${name} is required.` })
}

// A list is replaced as a whole, an object field by field.
function merged(standard: unknown, before: unknown, sent: unknown): unknown {
  if (sent === undefined) return before ?? null
  if (sent === null) return standard ?? null
  if (!isObject(sent)) return sent
  const [defaults, base] = [isObject(standard) ? standard : {}, isObject(before) ? before : {}]
  const names = new Set([...Object.keys(defaults), ...Object.keys(base), ...Object.keys(sent)])
  return Object.fromEntries([...names].map((name) => [name, merged(defaults[name], base[name], sent[name])]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// The names under which callers know the preferences, each with its value; those of `other` too, so that none is missed.
function byName(all: AllPreferences, other: AllPreferences): Record<string, unknown> {
  const names = new Set([...Object.keys(flat(other)), ...Object.keys(flat(all))])
  const values = flat(all)
  return Object.fromEntries([...names].map((name) => [name, values[name] ?? null]))
}

function flat({ posting, documents, logo }: AllPreferences): Record<string, unknown> {
  const { invoice_template: invoiceTemplate, ...groups } = documents
  const grouped = wireNamed({ ...groups, pdf: { ...groups.pdf, logo } }) as Record<string, Record<string, unknown>>
  const fields = Object.entries(grouped).flatMap(([group, values]) =>
    Object.entries(values).map(([name, value]) => [`${group}.${name}`, value] as const),
  )
  return { ...posting, invoiceTemplate, ...Object.fromEntries(fields) }
}
