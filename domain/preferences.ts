// What an organisation has chosen for its printed documents, its mail, its reminders and its e-invoices.

export const INVOICE_TEMPLATES = ['classic', 'modern', 'boxed', 'tally'] as const
export type InvoiceTemplate = (typeof INVOICE_TEMPLATES)[number]

export interface BankDetails {
  account_name: string
  account_number: string
  bank_name: string
  ifsc: string
  branch: string | null
}

/** What is printed on documents beside the document itself. Every field may be null: then nothing is printed. */
export interface PrintPreferences {
  bank_details: BankDetails | null
  /** The address of the Unified Payments Interface, such as `name@bank`; with it, invoices have a QR code to pay by. */
  upi_id: string | null
  terms: string | null
  footer: string | null
  signatory: { name: string; designation: string | null } | null
}

export interface MailPreferences {
  from_name: string | null
  reply_to: string | null
  /** The most mails that the organisation sends in a day of its zone. */
  daily_limit: number
}

/** Reminders of unpaid invoices. Days count from the due date: -3 is three days before it, 7 a week after. */
export interface ReminderPreferences {
  enabled: boolean
  days: number[]
  /** With placeholders (domain/reminder-text.ts); null for the texts of the service. The text is plain. */
  subject: string | null
  text: string | null
  attach_pdf: boolean
}

/** E-invoicing of one branch. Credentials are kept apart, sealed. */
export interface EInvoicePreferences {
  enabled: boolean
  provider: 'sandbox' | 'irp'
}

export interface OrganizationPreferences {
  invoice_template: InvoiceTemplate
  pdf: PrintPreferences
  mail: MailPreferences
  reminders: ReminderPreferences
  /** By the id of the branch; a branch that is missing has no e-invoices. */
  e_invoicing: Record<string, EInvoicePreferences>
}

/** What holds until somebody chooses otherwise (decisions §10, "Documents out"; reminders and e-invoices are off at first). */
export const DEFAULT_ORGANIZATION_PREFERENCES: OrganizationPreferences = {
  invoice_template: 'classic',
  pdf: { bank_details: null, upi_id: null, terms: null, footer: null, signatory: null },
  mail: { from_name: null, reply_to: null, daily_limit: 500 },
  reminders: { enabled: false, days: [-3, 0, 7, 15, 30], subject: null, text: null, attach_pdf: true },
  e_invoicing: {},
}

/** What posting asks of an organisation; kept in its row, because every call reads it. */
export interface PostingPreferences {
  roundInvoiceTotals: boolean
  roundingMethod: 'nearest' | 'up' | 'down'
  strictPaymentDedupe: boolean
  /** The branches whose documents get e-invoices. PostgreSQL takes them from organization_preferences. */
  eInvoicedBranches?: string[]
}

export const DEFAULT_POSTING_PREFERENCES: PostingPreferences = {
  roundInvoiceTotals: false,
  roundingMethod: 'nearest',
  strictPaymentDedupe: true,
}

/** A logo without its content; width and height in pixels, the hash in hexadecimal digits. */
export interface LogoFacts {
  media_type: 'image/png' | 'image/jpeg'
  width: number
  height: number
  sha256: string
}

/** Everything that an organisation has chosen. */
export interface AllPreferences {
  posting: PostingPreferences
  documents: OrganizationPreferences
  logo: LogoFacts | null
}

/** The names of fields as callers know them: `upiId` for `upi_id`, also within objects and lists. */
export const wireNamed = (value: unknown): unknown =>
  renamed(value, (name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))

/** The reverse: `upi_id` for `upiId`. */
export const storedNamed = (value: unknown): unknown =>
  renamed(value, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), renamed(each, rename)]))
}
