// The texts of mails about documents where the caller sends none.
import { inOneLine } from './mail.ts'
import { minorDigits, toAmount, type Minor } from './money.ts'

/** What the default texts name. */
export interface MailedDocument {
  noun: string
  number: string
  customerName: string
  total: Minor
  currency: string
  organizationName: string
}

/** `<Doc> <number> from <org name>` (specification, "E-mail send"), at most 500 characters. */
export function defaultSubject({ noun, number, organizationName }: MailedDocument): string {
  return inOneLine(`${noun[0]!.toUpperCase()}${noun.slice(1)} ${number} from ${organizationName}`).slice(0, 500)
}

/** A short greeting that names the customer, the number and the total. */
export function defaultBody(document: MailedDocument, withPdf: boolean): string {
  const { noun, number, customerName, organizationName } = document
  const what = `${noun} ${number} for ${totalOf(document)}`
  return [
    `<p>Dear ${escaped(customerName)},</p>`,
    `<p>${withPdf ? 'Please find attached' : 'This is about'} ${escaped(what)}.</p>`,
    `<p>With kind regards,<br>${escaped(organizationName)}</p>`,
  ].join('\n')
}

/** A text of several paragraphs as HTML. */
export const paragraphsOf = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n')

// Rupees are grouped by lakh and crore.
function totalOf({ total, currency }: MailedDocument): string {
  const digits = minorDigits(currency)
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${currency} ${toAmount(total, currency).toLocaleString(currency === 'INR' ? 'en-IN' : 'en-US', options)}`
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
