// What the mailbox takes as `POST /v3/mail/send` and what it refuses: the checks and the words of SendGrid's v3 API.
import { randomBytes } from 'node:crypto'

/** A problem as SendGrid words it. */
export interface SendError {
  message: string
  field: string | null
  help: string | null
}

export interface Attachment {
  filename: string
  type: string
  /** In bytes. */
  size: number
  /** In base64. */
  content: string
}

/** A message as one personalization makes it. */
export interface SentMessage {
  message_id: string
  from: string
  from_name: string | null
  reply_to: string | null
  to: string[]
  cc: string[]
  bcc: string[]
  subject: string
  html: string
  text: string
  attachments: Attachment[]
  custom_args: Record<string, string>
}

/** What becomes of a request: its messages under the id of the answer, or problems with the status of the refusal. */
export type Checked = { messageId: string; messages: SentMessage[] } | { status: number; errors: SendError[] }

/** The most of a whole request with its attachments, in bytes. */
export const MAX_SEND_BYTES = 30 * 1024 * 1024
const MAX_PERSONALIZATIONS = 1_000
const MAX_RECIPIENTS = 1_000
const MAX_SUBJECT = 998

// The words of the provider.
const INVALID_ADDRESS = 'Does not contain a valid address.'
const MISSING_FROM =
  'The from object must be provided for every email send. ' +
  'It is an object that requires the email parameter, but may also contain a name parameter.'
const NO_PERSONALIZATIONS = 'The personalizations field is required and must have at least one personalization.'
const NO_TO =
  'The to array is required for all personalization objects, ' +
  'and must have at least one email object with a valid email address.'
const NOT_UNIQUE = 'Each email address in the personalization block should be unique between to, cc, and bcc.'
const NO_SUBJECT =
  'The subject is required. You can get around this requirement if you use a template with a subject defined ' +
  'or if every personalization has a subject defined.'
const NO_CONTENT =
  'Unless a valid template_id is provided, the content parameter is required. ' +
  'There must be at least one defined content block.'
const CONTENT_ORDER =
  'If present, text/plain and text/html may only be provided once, and text/plain must be the first.'

type Fields = Record<string, unknown>
interface Address {
  email: string
  name: string | null
}
interface Personalization {
  to: Address[]
  cc: Address[]
  bcc: Address[]
  subject: string
  customArgs: Record<string, string>
}

/** Checks a request as the provider does; recipients at `reject.test` are refused (decisions §9). */
export function checkSend(body: unknown): Checked {
  const problems = new Problems()
  if (!isObject(body)) return refused([{ message: 'Bad Request', field: null, help: null }])
  const from = oneAddress(problems, body.from, 'from', MISSING_FROM)
  const replyTo = body.reply_to === undefined ? null : oneAddress(problems, body.reply_to, 'reply_to', INVALID_ADDRESS)
  const personalizations = personalizationsIn(problems, body)
  const { html, text } = contentIn(problems, body.content)
  const attachments = attachmentsIn(problems, body.attachments)
  if (problems.found.length > 0 || !from) return refused(problems.found)
  const messageId = randomBytes(16).toString('base64url')
  const messages = personalizations.map(({ to, cc, bcc, subject, customArgs }, index) => ({
    message_id: index === 0 ? messageId : `${messageId}.${index}`,
    from: from.email,
    from_name: from.name,
    reply_to: replyTo?.email ?? null,
    to: to.map(({ email }) => email),
    cc: cc.map(({ email }) => email),
    bcc: bcc.map(({ email }) => email),
    subject,
    html,
    text,
    attachments,
    custom_args: customArgs,
  }))
  return { messageId, messages }
}

class Problems {
  readonly found: SendError[] = []

  add(field: string | null, message: string): void {
    // A request of thousands of bad addresses is answered with the first of them.
    if (this.found.length < 20) this.found.push({ message, field, help: null })
  }
}

const refused = (errors: SendError[]) => ({ status: 400, errors })

function personalizationsIn(problems: Problems, body: Fields): Personalization[] {
  const { personalizations, subject } = body
  if (!Array.isArray(personalizations) || personalizations.length === 0) {
    problems.add('personalizations', NO_PERSONALIZATIONS)
    return []
  }
  if (personalizations.length > MAX_PERSONALIZATIONS) {
    problems.add('personalizations', `The number of personalizations must not exceed ${MAX_PERSONALIZATIONS}.`)
    return []
  }
  let recipients = 0
  const read = personalizations.map((one: unknown, index) => {
    const personalization = personalizationIn(problems, one, index, subject)
    recipients += personalization.to.length + personalization.cc.length + personalization.bcc.length
    return personalization
  })
  if (recipients > MAX_RECIPIENTS)
    problems.add('personalizations', `The total number of recipients must be no more than ${MAX_RECIPIENTS}.`)
  return read
}

function personalizationIn(problems: Problems, one: unknown, index: number, subject: unknown): Personalization {
  const place = `personalizations.${index}`
  const fields = isObject(one) ? one : {}
  if (!Array.isArray(fields.to) || fields.to.length === 0) problems.add(`${place}.to`, NO_TO)
  const lists = {
    to: addressesIn(problems, fields.to, `${place}.to`),
    cc: addressesIn(problems, fields.cc, `${place}.cc`),
    bcc: addressesIn(problems, fields.bcc, `${place}.bcc`),
  }
  const seen = new Set<string>()
  for (const [list, addresses] of Object.entries(lists)) {
    for (const { email } of addresses) {
      const folded = email.toLowerCase()
      if (seen.has(folded))
        problems.add(
          place,
          `${NOT_UNIQUE} We found the first duplicate instance of [${email}] in the ${place}.${list} field.`,
        )
      seen.add(folded)
      if (folded.endsWith('@reject.test'))
        problems.add(`${place}.${list}`, `The address ${email} is refused: it is on the suppression list.`)
    }
  }
  const own = fields.subject ?? subject
  if (typeof own !== 'string' || own === '') problems.add('subject', NO_SUBJECT)
  else if ([...own].length > MAX_SUBJECT || /[\r\n]/.test(own))
    problems.add('subject', `The subject must be one line of at most ${MAX_SUBJECT} characters.`)
  const customArgs = isObject(fields.custom_args) ? fields.custom_args : {}
  return {
    ...lists,
    subject: String(own ?? ''),
    customArgs: Object.fromEntries(Object.entries(customArgs).map(([name, value]) => [name, String(value)])),
  }
}

function addressesIn(problems: Problems, list: unknown, place: string): Address[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) {
    problems.add(place, 'The value must be an array of email objects.')
    return []
  }
  return list
    .slice(0, MAX_RECIPIENTS + 1)
    .flatMap((one, index) => oneAddress(problems, one, `${place}.${index}`, INVALID_ADDRESS) ?? [])
}

function oneAddress(problems: Problems, value: unknown, place: string, message: string): Address | null {
  const { email, name } = isObject(value) ? value : {}
  if (typeof email !== 'string' || !isAddress(email)) {
    problems.add(`${place}.email`, message)
    return null
  }
  if (typeof name === 'string' && /[\r\n]/.test(name)) {
    problems.add(`${place}.name`, 'The name must be one line.')
    return null
  }
  return { email, name: typeof name === 'string' && name !== '' ? name : null }
}

const isAddress = (text: string) =>
  text.length <= 320 && /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+\.[^\s@<>()[\],;:\\"]+$/.test(text)

function contentIn(problems: Problems, content: unknown): { html: string; text: string } {
  const parts = { html: '', text: '' }
  if (!Array.isArray(content) || content.length === 0) {
    problems.add('content', NO_CONTENT)
    return parts
  }
  content.slice(0, 10).forEach((one: unknown, index) => {
    const { type, value } = isObject(one) ? one : {}
    if (typeof value !== 'string' || value === '')
      return problems.add(
        `content.${index}.value`,
        'The content value must be a string at least one character in length.',
      )
    if (type === 'text/plain' && index > 0) return problems.add(`content.${index}.type`, CONTENT_ORDER)
    if (type === 'text/plain') parts.text = value
    else if (type === 'text/html') parts.html = value
    else problems.add(`content.${index}.type`, 'The content type must be text/plain or text/html.')
  })
  return parts
}

function attachmentsIn(problems: Problems, list: unknown): Attachment[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) {
    problems.add('attachments', 'The attachments must be an array.')
    return []
  }
  return list.flatMap((one: unknown, index) => {
    const { filename, type, content } = isObject(one) ? one : {}
    const place = `attachments.${index}`
    if (typeof content !== 'string' || content === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(content)) {
      problems.add(`${place}.content`, 'The attachment content must be base64 encoded.')
      return []
    }
    if (typeof filename !== 'string' || filename === '' || /[\r\n]/.test(filename)) {
      problems.add(`${place}.filename`, 'The filename of the attachment is required.')
      return []
    }
    const size = Buffer.byteLength(content, 'base64')
    return [{ filename, type: typeof type === 'string' ? type : 'application/octet-stream', size, content }]
  })
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
