// What callers may send by mail: to how many, in how many lines, with which attachment.
import { recipientKey } from './mail-address.ts'

/** The most recipients of a mail: in `to`, `cc` and `bcc` together. */
export const MAX_RECIPIENTS = 50
/** The largest PDF that is attached; many mail servers refuse more. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024
/** A mail that could not be sent for so long is given up, because it would come as a surprise. */
export const LATE_MS = 24 * 60 * 60 * 1_000

export interface Recipient {
  kind: 'TO' | 'CC' | 'BCC'
  address: string
}

/** The recipients in their order, each once: an address that is in several lists stays in the first of to, cc and bcc. */
export function recipientsOf(lists: { to: string[]; cc: string[]; bcc: string[] }): Recipient[] {
  const found = new Map<string, Recipient>()
  for (const [list, kind] of [
    ['to', 'TO'],
    ['cc', 'CC'],
    ['bcc', 'BCC'],
  ] as const)
    for (const address of lists[list])
      if (!found.has(recipientKey(address))) found.set(recipientKey(address), { kind, address })
  return [...found.values()]
}

// Control characters, and those at which some programs begin a new line or turn the direction of text.
const NOT_IN_A_LINE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** True for text that is one line, so that no header of a mail can end in it. */
export const isOneLine = (text: string): boolean => !NOT_IN_A_LINE.test(text)

/** The text as one line. */
export const inOneLine = (text: string): string =>
  text
    .replace(new RegExp(`${NOT_IN_A_LINE.source}+`, 'gu'), ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

/** The name of the PDF's file, which must not be a path on any system. */
export const pdfFilename = (number: string): string =>
  `${number.replace(/[^\p{L}\p{M}\p{N}._ -]+/gu, '-').slice(0, 100)}.pdf`

/** The key of the PDF as it was mailed. */
export const mailedPdfKey = (orgId: string, emailId: string) => `${orgId}/mail/${emailId}.pdf`

/** The organisation and the mail in the key of a PDF as it was mailed; null for the key of another blob. */
export function mailedPdfOf(key: string): { orgId: string; id: string } | null {
  const [, orgId, id] = /^([0-9a-f-]{36})\/mail\/([0-9a-f-]{36})\.pdf$/.exec(key) ?? []
  return orgId && id ? { orgId, id } : null
}
