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
  /** Of a document that is not in force: its customer must not take it for one that is. */
  notInForce: 'draft' | 'cancelled' | null
}

/** `<Doc> <number> from <org name>` (specification, "E-mail send"), at most 500 characters. */
export function defaultSubject({ noun, number, organizationName }: MailedDocument): string {
  return inOneLine(`${noun[0]!.toUpperCase()}${noun.slice(1)} ${number} from ${organizationName}`).slice(0, 500)
}

/** A short greeting that names the customer, the number and the total. */
export function defaultBody(document: MailedDocument, withPdf: boolean): string {
  const { noun, number, customerName, organizationName, notInForce } = document
  const what = `${noun} ${number} for ${amountText(document.total, document.currency)}`
  return [
    `<p>Dear ${escapedHtml(customerName)},</p>`,
    `<p>${withPdf ? 'Please find attached' : 'This is about'} ${escapedHtml(what)}.${notInForce === null ? '' : ` ${NOT_IN_FORCE[notInForce]}`}</p>`,
    `<p>With kind regards,<br>${escapedHtml(organizationName)}</p>`,
  ].join('\n')
}

const NOT_IN_FORCE = {
  draft: 'It is a draft: nothing is due by it yet.',
  cancelled: 'It is cancelled: nothing is due by it.',
}

/** A text of several paragraphs as HTML. */
export const paragraphsOf = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escapedHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n')

/** `INR 1,00,000.00`: rupees are grouped by lakh and crore. */
export function amountText(amount: Minor, currency: string): string {
  const digits = minorDigits(currency)
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${currency} ${toAmount(amount, currency).toLocaleString(currency === 'INR' ? 'en-IN' : 'en-US', options)}`
}

/** Text as HTML shows it, also within an attribute. */
export const escapedHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
