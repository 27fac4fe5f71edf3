// What organisations have chosen for documents, mail, reminders and e-invoices, and their logos.
import {
  DEFAULT_ORGANIZATION_PREFERENCES,
  type EInvoicePreferences,
  type InvoiceTemplate,
  type LogoFacts,
  type MailPreferences,
  type OrganizationPreferences,
  type PrintPreferences,
  type ReminderPreferences,
} from '../domain/preferences.ts'
import { finder, type Scope } from './find.ts'
import { BYTES, INTEGER, TIME, UUID, json, model, textOf } from './model.ts'

/** One row an organisation, from the first choice on. */
export const organizationPreferences = model(
  'organization_preferences',
  {
    org_id: UUID,
    invoice_template: textOf<InvoiceTemplate>(),
    pdf: json<PrintPreferences>(),
    mail: json<MailPreferences>(),
    reminders: json<ReminderPreferences>(),
    e_invoicing: json<Record<string, EInvoicePreferences>>(),
    last_modified_time: TIME,
  },
  { key: ['org_id'] },
)

/** The logo that is printed on documents, as it was checked when it was set. */
export const logos = model(
  'logos',
  {
    org_id: UUID,
    media_type: textOf<'image/png' | 'image/jpeg'>(),
    width: INTEGER,
    height: INTEGER,
    sha256: BYTES,
    content: BYTES,
    last_modified_time: TIME,
  },
  { key: ['org_id'] },
)

const preferencesOf = finder(organizationPreferences, () => ({
  attributes: ['invoice_template', 'pdf', 'mail', 'reminders', 'e_invoicing'],
}))
const logoOf = finder(logos, () => ({ attributes: ['media_type', 'width', 'height', 'sha256'] }))

/** The preferences of the organisation; the defaults where it has not chosen. */
export async function findPreferences(scope: Scope): Promise<OrganizationPreferences> {
  return (await preferencesOf.first(scope)) ?? DEFAULT_ORGANIZATION_PREFERENCES
}

/** The organisation's logo without its content; null where it has none. */
export async function findLogoFacts(scope: Scope): Promise<LogoFacts | null> {
  const logo = await logoOf.first(scope)
  if (logo === null) return null
  const { media_type, width, height, sha256 } = logo
  return { media_type, width, height, sha256: Buffer.from(sha256).toString('hex') }
}
