// Sends one mail by the provider's API, and says what is known of its outcome.
import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import sendgrid from '@sendgrid/mail'
import type { SendOutcome } from '../../domain/mail-run.ts'

export interface MailOptions {
  /** Where the provider's v3 API is, such as https://api.sendgrid.com. */
  apiUrl: string
  /** Null where the server at apiUrl asks for none. */
  apiKey: string | null
  /** How long the provider has from the start of the connection to its answer. */
  timeoutMs: number
}

/** A mail as it goes out. Addresses are ASCII and checked (domain/mail-address.ts); names and the subject are one line. */
export interface OutgoingMail {
  from: { email: string; name: string }
  replyTo: string | null
  to: string[]
  cc: string[]
  bcc: string[]
  subject: string
  text: string
  html: string
  attachment: { filename: string; type: string; content: Buffer } | null
  /** Come back with the provider's events about the mail. */
  customArgs: Record<string, string>
}

export interface MailSender {
  /**
   * Sends a mail once, without a retry. Never throws; the outcome is what is known:
   * - SENT: the provider has answered 2xx, with the id that it has given the mail.
   * - REJECTED: it has answered 3xx or 4xx (429 aside), and sends nothing. `reason` is in its words.
   * - NOT_SENT: no connection was made (name, address, TLS, time), or it has answered 429: it has nothing of the mail, so
   *   sending it again is safe.
   * - UNKNOWN: it was connected, and no answer came in time, or one of 5xx or 408. From the first byte on, it may have the
   *   whole mail, so sending it again could send it twice.
   * `over` ends the call before its time, because the process ends.
   */
  send(mail: OutgoingMail, over?: AbortSignal): Promise<SendOutcome>
}

const LONGEST_REASON = 500
/** Answers of the provider are short. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Opens the sender. Neither the key nor an error of the client, which carries it, leaves it. */
export function createMailSender({ apiUrl, apiKey, timeoutMs }: MailOptions): MailSender {
  return {
    async send(mail, over) {
      const connections = new Connections()
      const service = new MailService()
      service.setApiKey(apiKey ?? 'SG.none')
      service.client.setDefaultRequest({
        baseUrl: apiUrl,
        timeout: timeoutMs,
        // The client's own limit counts from the latest byte.
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(over ? [over] : [])]),
        httpAgent: connections.http,
        httpsAgent: connections.https,
        proxy: false,
        maxRedirects: 0,
        maxContentLength: MAX_ANSWER_BYTES,
      })
      try {
        const [{ headers }] = await service.send(dataOf(mail))
        const id = (headers as Record<string, unknown>)['x-message-id']
        return { kind: 'SENT', messageId: typeof id === 'string' && id !== '' ? id.slice(0, 200) : null }
      } catch (error) {
        return outcomeOf(error, connections)
      } finally {
        connections.close()
      }
    },
  }
}

type MailData = Exclude<Parameters<typeof sendgrid.send>[0], unknown[]>
type ServiceWithClient = typeof sendgrid & { client: { setDefaultRequest(request: Record<string, unknown>): void } }

// Its types do not name what the package exports beside a service that all of a process would share.
const { MailService } = sendgrid as unknown as { MailService: new () => ServiceWithClient }

function dataOf(mail: OutgoingMail): MailData {
  const { from, replyTo, to, cc, bcc, subject, text, html, attachment, customArgs } = mail
  // As objects: in a string, the client would look for a name before an angle bracket.
  const addresses = (list: string[]) => list.map((email) => ({ email }))
  return {
    from,
    ...(replyTo === null ? {} : { replyTo: { email: replyTo } }),
    personalizations: [
      {
        to: addresses(to),
        ...(cc.length > 0 ? { cc: addresses(cc) } : {}),
        ...(bcc.length > 0 ? { bcc: addresses(bcc) } : {}),
        customArgs,
      },
    ],
    subject,
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
    ...(attachment === null
      ? {}
      : {
          attachments: [
            {
              filename: attachment.filename,
              type: attachment.type,
              content: attachment.content.toString('base64'),
              disposition: 'attachment',
            },
          ],
        }),
  }
}

/** The connections of one mail: a new one each, so that one that the provider has just closed is never used. */
class Connections {
  hasConnected = false
  readonly http = new http.Agent({ keepAlive: false })
  readonly https = new https.Agent({ keepAlive: false })

  constructor() {
    this.#watch(this.http, 'connect')
    this.#watch(this.https, 'secureConnect')
  }

  close(): void {
    this.http.destroy()
    this.https.destroy()
  }

  #watch(agent: http.Agent, event: 'connect' | 'secureConnect'): void {
    const connect = agent.createConnection.bind(agent)
    agent.createConnection = (...given: Parameters<typeof connect>): Duplex | null | undefined => {
      const socket = connect(...given)
      ;(socket as Socket | null | undefined)?.once(event, () => {
        this.hasConnected = true
      })
      return socket
    }
  }
}

function outcomeOf(error: unknown, { hasConnected }: Connections): SendOutcome {
  const status = statusOf(error)
  if (status === null)
    return hasConnected
      ? { kind: 'UNKNOWN', reason: 'The mail provider was connected and gave no answer.' }
      : { kind: 'NOT_SENT', reason: 'The mail provider could not be reached.' }
  if (status === 429) return { kind: 'NOT_SENT', reason: 'The mail provider takes no more mails at the moment.' }
  if (status >= 500 || status === 408)
    return { kind: 'UNKNOWN', reason: `The mail provider answered with an error of its own (${status}).` }
  if (status === 401)
    return { kind: 'REJECTED', reason: 'The mail provider does not accept the key of this installation.' }
  return { kind: 'REJECTED', reason: wordsOf(error) ?? `The mail provider answered ${status}.` }
}

// The client reports an answer from 400 on by an error of its own, and one below as the error of what it is built on.
function statusOf(error: unknown): number | null {
  const { code, response } = error as { code?: unknown; response?: { status?: unknown } }
  if (typeof code === 'number') return code
  return typeof response?.status === 'number' ? response.status : null
}

function wordsOf(error: unknown): string | null {
  const { response } = error as { response?: { body?: { errors?: unknown } | null } }
  const errors = response?.body?.errors
  if (!Array.isArray(errors)) return null
  const words = errors.flatMap((one: { message?: unknown } | null) =>
    typeof one?.message === 'string' ? [one.message] : [],
  )
  // In one line, without what could not be stored.
  return words.length === 0
    ? null
    : words
        .join(' ')
        .replace(/\p{C}+/gu, ' ')
        .slice(0, LONGEST_REASON)
}
