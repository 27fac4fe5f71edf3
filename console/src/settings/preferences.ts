// The preferences of an organisation as the API answers them, and as a form has them.
export interface Preferences {
  roundInvoiceTotals: boolean
  roundingMethod: string
  strictPaymentDedupe: boolean
  invoiceTemplate: string
  pdf: {
    logo: { mediaType: string; width: number; height: number } | null
    bankDetails: Record<(typeof BANK)[number], string | null> | null
    upiId: string | null
    terms: string | null
    footer: string | null
    signatory: { name: string; designation: string | null } | null
  }
  mail: { fromName: string | null; replyTo: string | null; dailyLimit: number }
  reminders: { enabled: boolean; days: number[]; subject: string | null; text: string | null; attachPdf: boolean }
}

export const BANK = ['accountName', 'accountNumber', 'bankName', 'ifsc', 'branch'] as const

/** The texts of the form, by the names of the API. */
export type Texts = Record<string, string>

export const textsOf = ({ pdf, mail, reminders, ...others }: Preferences): Texts => ({
  roundingMethod: others.roundingMethod,
  invoiceTemplate: others.invoiceTemplate,
  ...Object.fromEntries(BANK.map((part) => [`pdf.bankDetails.${part}`, pdf.bankDetails?.[part] ?? ''])),
  'pdf.upiId': pdf.upiId ?? '',
  'pdf.terms': pdf.terms ?? '',
  'pdf.footer': pdf.footer ?? '',
  'pdf.signatory.name': pdf.signatory?.name ?? '',
  'pdf.signatory.designation': pdf.signatory?.designation ?? '',
  'mail.fromName': mail.fromName ?? '',
  'mail.replyTo': mail.replyTo ?? '',
  'mail.dailyLimit': String(mail.dailyLimit),
  'reminders.days': reminders.days.join(', '),
  'reminders.subject': reminders.subject ?? '',
  'reminders.text': reminders.text ?? '',
})

export const flagsOf = ({ roundInvoiceTotals, strictPaymentDedupe, reminders }: Preferences) => ({
  roundInvoiceTotals,
  strictPaymentDedupe,
  'reminders.enabled': reminders.enabled,
  'reminders.attachPdf': reminders.attachPdf,
})

export type Flags = ReturnType<typeof flagsOf>

const numbersIn = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number)

/** The parts of the body; an empty text takes the default, and a group without any text is cleared. */
export function bodyOf(texts: Texts, flags: Flags, logo: string | null | undefined) {
  const text = (name: string) => texts[name]?.trim() || null
  const group = (prefix: string, parts: readonly string[]) => {
    const its = parts.map((part) => [part, text(`${prefix}.${part}`)] as const)
    return its.every(([, value]) => value === null) ? null : Object.fromEntries(its)
  }
  const limit = text('mail.dailyLimit')
  return {
    roundInvoiceTotals: flags.roundInvoiceTotals,
    roundingMethod: texts['roundingMethod'],
    strictPaymentDedupe: flags.strictPaymentDedupe,
    invoiceTemplate: texts['invoiceTemplate'],
    pdf: {
      ...(logo !== undefined && { logo }),
      bankDetails: group('pdf.bankDetails', BANK),
      upiId: text('pdf.upiId'),
      terms: text('pdf.terms'),
      footer: text('pdf.footer'),
      signatory: group('pdf.signatory', ['name', 'designation']),
    },
    mail: {
      fromName: text('mail.fromName'),
      replyTo: text('mail.replyTo'),
      dailyLimit: limit === null ? null : Number(limit),
    },
    reminders: {
      enabled: flags['reminders.enabled'],
      days: numbersIn(texts['reminders.days'] ?? ''),
      subject: text('reminders.subject'),
      text: text('reminders.text'),
      attachPdf: flags['reminders.attachPdf'],
    },
  }
}
