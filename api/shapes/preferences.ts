// The JSON of an organisation's preferences, whose names are those of the console (decisions §12).
import { Type, type Static, type TObject, type TSchema } from 'typebox'
import type { PreferenceChanges } from '../../commands/organizations/preferences.ts'
import { fault } from '../../domain/faults.ts'
import { isOneLine } from '../../domain/mail.ts'
import { INVOICE_TEMPLATES, storedNamed, wireNamed, type AllPreferences } from '../../domain/preferences.ts'
import { Email, nullable, optional } from './fields.ts'

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u
const CONTROLS_IN_LINES = /[^\P{Cc}\n\r\t]/u

/** One line of text: it cannot break out of the header of a mail. */
const Line = (maxLength: number) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength }),
    (text: string | null) => text === null || (/\S/.test(text) && !CONTROLS.test(text)),
    () => 'must be one line of text that is not blank',
  )

const Lines = (maxLength: number) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength }),
    (text: string | null) => text === null || (/\S/.test(text) && !CONTROLS_IN_LINES.test(text)),
    () => 'must be text that is not blank, without control characters',
  )

const matching = (form: RegExp, maxLength: number, like: string) =>
  Type.Refine(
    Type.String({ minLength: 1, maxLength }),
    (text: string | null) => text === null || form.test(text),
    () => `must be ${like}`,
  )

const Ifsc = matching(/^[A-Z]{4}0[A-Z0-9]{6}$/i, 11, 'an IFSC such as HDFC0001234')
const UpiId = matching(/^[A-Z0-9][A-Z0-9._-]{1,254}@[A-Z][A-Z0-9]{1,63}$/i, 320, 'a UPI address such as name@bank')
const AccountNumber = matching(
  /^[A-Z0-9][A-Z0-9 /-]{2,38}[A-Z0-9]$/i,
  40,
  'an account number: letters, digits, spaces and hyphens',
)

// 1 MB in base64, and the beginning of the URL.
const MAX_LOGO_TEXT = 1_398_200

const Logo = Type.Unsafe<string | { sha256?: string } | null>({
  type: ['string', 'object', 'null'],
  maxLength: MAX_LOGO_TEXT,
  description: 'data:image/png;base64,... or data:image/jpeg;base64,..., at most 1 MB and 4 megapixels.',
})

const BankDetailsChanges = Type.Object({
  accountName: optional(Line(200)),
  accountNumber: optional(AccountNumber),
  bankName: optional(Line(200)),
  ifsc: optional(Ifsc),
  branch: optional(Line(200)),
})

const PrintChanges = Type.Object({
  logo: Type.Optional(Logo),
  bankDetails: optional(BankDetailsChanges),
  upiId: optional(UpiId),
  terms: optional(Lines(5_000)),
  footer: optional(Lines(500)),
  signatory: optional(Type.Object({ name: optional(Line(200)), designation: optional(Line(200)) })),
})

const MAX_DAILY_MAILS = 5_000

// Marks that turn the direction of text would show another name and address than those that mail comes from.
const SenderName = Type.Refine(
  Line(100),
  (text: string | null) => text === null || isOneLine(text),
  () => 'must be one line, without marks that turn the direction of text',
)

const MailChanges = Type.Object({
  fromName: optional(SenderName),
  replyTo: optional(Email),
  dailyLimit: optional(Type.Integer({ minimum: 0, maximum: MAX_DAILY_MAILS })),
})

const ReminderChanges = Type.Object({
  enabled: optional(Type.Boolean()),
  days: optional(Type.Array(Type.Integer({ minimum: -60, maximum: 365 }), { maxItems: 20, uniqueItems: true })),
  subject: optional(Line(200)),
  text: optional(Lines(5_000)),
  attachPdf: optional(Type.Boolean()),
})

const BranchChanges = Type.Object({
  enabled: optional(Type.Boolean()),
  provider: optional(Type.Enum(['sandbox', 'irp'])),
})

const MAX_BRANCHES = 1_000

/** Every field may be left out, and stays as it is; null takes the default. */
export const PreferenceChangesBody = Type.Object({
  roundInvoiceTotals: optional(Type.Boolean()),
  roundingMethod: optional(Type.Enum(['nearest', 'up', 'down'])),
  strictPaymentDedupe: optional(Type.Boolean()),
  invoiceTemplate: optional(Type.Enum([...INVOICE_TEMPLATES])),
  pdf: optional(PrintChanges),
  mail: optional(MailChanges),
  reminders: optional(ReminderChanges),
  eInvoicing: Type.Optional(
    Type.Unsafe<Record<string, Static<typeof BranchChanges> | null> | null>({
      type: ['object', 'null'],
      maxProperties: MAX_BRANCHES,
      additionalProperties: nullable(BranchChanges),
      description: 'By the id of the branch.',
    }),
  ),
})

/** The changes of a body of the right shape. Throws `400 validation.invalid_value` for a name that there is not. */
export function preferenceChanges(body: Static<typeof PreferenceChangesBody>): PreferenceChanges {
  refuseUnknown(PreferenceChangesBody, body, '')
  for (const [id, entry] of Object.entries(body.eInvoicing ?? {}))
    refuseUnknown(BranchChanges, entry, `eInvoicing.${id}.`)
  const { roundInvoiceTotals, roundingMethod, strictPaymentDedupe, eInvoicing, pdf, ...others } = body
  const { logo, ...print } = pdf ?? {}
  const bank = print.bankDetails?.ifsc
    ? { ...print.bankDetails, ifsc: print.bankDetails.ifsc.toUpperCase() }
    : undefined
  const printed = pdf === null || pdf === undefined ? pdf : { ...print, ...(bank && { bankDetails: bank }) }
  const documents = storedNamed({ ...others, pdf: printed }) as PreferenceChanges['documents']
  return {
    posting: { roundInvoiceTotals, roundingMethod, strictPaymentDedupe },
    // The ids of branches are no names.
    documents: { ...documents, ...(eInvoicing === undefined ? {} : { e_invoicing: eInvoicing }) },
    ...(pdf === null ? { logo: null } : logo === undefined ? {} : { logo: logo as PreferenceChanges['logo'] }),
  } as PreferenceChanges
}

function refuseUnknown(schema: TSchema, value: unknown, path: string): void {
  const { properties } = schema as Partial<TObject>
  if (!properties || typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) refuseUnknown(properties[name]!, inner, `${path}${name}.`)
    else {
      const field = path + name
      const message = `There is no preference ${field}.`
      throw fault('validation.invalid_value', { field, message, details: { valid: Object.keys(properties) } })
    }
  }
}

const Stated = (maxLength?: number) => Type.String(maxLength === undefined ? {} : { maxLength })

export const PreferencesAnswer = Type.Object({
  roundInvoiceTotals: Type.Boolean(),
  roundingMethod: Type.Enum(['nearest', 'up', 'down']),
  strictPaymentDedupe: Type.Boolean(),
  invoiceTemplate: Type.Enum([...INVOICE_TEMPLATES]),
  pdf: Type.Object({
    logo: nullable(
      Type.Object({
        mediaType: Type.Enum(['image/png', 'image/jpeg']),
        width: Type.Integer(),
        height: Type.Integer(),
        sha256: Type.String(),
      }),
    ),
    bankDetails: nullable(
      Type.Object({
        accountName: Stated(),
        accountNumber: Stated(),
        bankName: Stated(),
        ifsc: Stated(),
        branch: nullable(Stated()),
      }),
    ),
    upiId: nullable(Stated()),
    terms: nullable(Stated()),
    footer: nullable(Stated()),
    signatory: nullable(Type.Object({ name: Stated(), designation: nullable(Stated()) })),
  }),
  mail: Type.Object({ fromName: nullable(Stated()), replyTo: nullable(Stated()), dailyLimit: Type.Integer() }),
  reminders: Type.Object({
    enabled: Type.Boolean(),
    days: Type.Array(Type.Integer()),
    subject: nullable(Stated()),
    text: nullable(Stated()),
    attachPdf: Type.Boolean(),
  }),
  eInvoicing: Type.Unsafe<Record<string, { enabled: boolean; provider: 'sandbox' | 'irp' }>>({
    type: 'object',
    additionalProperties: Type.Object({ enabled: Type.Boolean(), provider: Type.Enum(['sandbox', 'irp']) }),
  }),
})

export function showPreferences({ posting, documents, logo }: AllPreferences): Static<typeof PreferencesAnswer> {
  const { roundInvoiceTotals, roundingMethod, strictPaymentDedupe } = posting
  const { invoice_template: invoiceTemplate, pdf, mail, reminders, e_invoicing: eInvoicing } = documents
  const shown = wireNamed({ pdf: { logo, ...pdf }, mail, reminders }) as object
  return { roundInvoiceTotals, roundingMethod, strictPaymentDedupe, invoiceTemplate, ...shown, eInvoicing } as Static<
    typeof PreferencesAnswer
  >
}
