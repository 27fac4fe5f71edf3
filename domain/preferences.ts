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
  subject: string | null
  text: string | null
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
  reminders: { enabled: false, days: [-3, 0, 7, 15, 30], subject: null, text: null },
  e_invoicing: {},
}
