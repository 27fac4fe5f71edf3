// The mailbox: takes mail by SendGrid's v3 API, sends nothing on, and shows what it has taken.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { openEventPlayer, PLAYED, type EventPlayer, type Played } from './events.ts'
import { checkSend, MAX_SEND_BYTES, type SendError } from './mail-send.ts'
import { listPage, MESSAGE_POLICY, messagePage, PAGE_POLICY } from './pages.ts'
import { openStore, type KeptMessage, type MessageStore, type StoreLimits } from './store.ts'

export interface MailboxOptions {
  host?: string
  /** 0 for any free port. */
  port: number
  folder: string
  limits?: StoreLimits
  /** Where reports on messages are sent; without it, none can be played. */
  eventsUrl?: () => string
}

export interface Mailbox {
  url: string
  /** The key that its reports are signed with; null where none can be played. */
  eventsKey: string | null
  close(): Promise<void>
}

/** The most bytes of requests that are received at the same time. */
const MAX_UNDER_WAY = 150 * 1024 * 1024
const MAX_FORM_BYTES = 10_000
/** The most messages on the page for people. */
const MAX_LISTED = 200

/** Opens the mailbox, with the messages that its folder has. Throws where it cannot listen. */
export async function openMailbox({
  host = '127.0.0.1',
  port,
  folder,
  limits,
  eventsUrl,
}: MailboxOptions): Promise<Mailbox> {
  const store = openStore(folder, limits)
  const underWay = { bytes: 0 }
  const slow = new Set<AbortController>()
  const player = eventsUrl ? openEventPlayer(folder, eventsUrl) : null
  const server = createServer({ requestTimeout: 60_000 }, (request, response) => {
    answer(request, response, { store, underWay, slow, player }).catch(() => response.destroy())
  })
  server.maxConnections = 1_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    eventsKey: player?.publicKey ?? null,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

interface Parts {
  store: MessageStore
  underWay: { bytes: number }
  /** Those who wait for the answer to a message that was taken. */
  slow: Set<AbortController>
  player: EventPlayer | null
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { store, underWay, slow, player }: Parts,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://mailbox')
  if (pathname === '/v3/mail/send') return takeMail(request, response, { store, underWay, slow })
  if (pathname === '/messages' && request.method === 'DELETE') {
    store.clear()
    for (const waiting of slow) waiting.abort()
    return send(response, 204, '', {})
  }
  const [, played] = /^\/messages\/([\w.-]+)\/events$/.exec(pathname) ?? []
  if (played && request.method === 'POST') return playEvent(request, response, store.find(played), player)
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'method not allowed')
  if (pathname === '/events/key') return json(response, 200, { public_key: player?.publicKey ?? null })
  if (pathname === '/health/live') return json(response, 200, { status: 'live' })
  if (pathname === '/') return html(response, listPage(await newest(store)), PAGE_POLICY)
  if (pathname === '/messages') return listMessages(response, store)
  const [, id, part = '', index = ''] =
    /^\/messages\/([\w.-]+)(?:\/(page|html|attachments))?(?:\/(\d{1,3}))?$/.exec(pathname) ?? []
  const message = id ? store.find(id) : null
  if (!message) return refuse(response, 404, 'not found')
  if (part === '') return json(response, 200, message)
  if (part === 'page') return html(response, messagePage(message, player ? PLAYED : []), PAGE_POLICY)
  if (part === 'html') return html(response, message.html, MESSAGE_POLICY)
  return download(response, message, Number(index))
}

/** `event` and optionally `email`, as JSON or as the form of the page. */
async function playEvent(
  request: IncomingMessage,
  response: ServerResponse,
  message: KeptMessage | null,
  player: EventPlayer | null,
): Promise<void> {
  if (!message || !player) return refuse(response, 404, 'not found')
  // Another page that the browser shows may send a form, but not from this origin.
  if ((request.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') return refuse(response, 403, 'forbidden')
  const body = await received(request, { bytes: MAX_UNDER_WAY - MAX_FORM_BYTES })
  if (typeof body === 'string') return refuse(response, 413, body, { Connection: 'close' })
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const fields = isForm ? Object.fromEntries(new URLSearchParams(body.toString())) : (parsed(body) as object | null)
  const { event, email } = (fields ?? {}) as { event?: unknown; email?: unknown }
  if (!PLAYED.includes(event as Played)) return refuse(response, 400, `event must be one of ${PLAYED.join(', ')}`)
  const status = await player
    .play(message, event as Played, typeof email === 'string' && email !== '' ? email : undefined)
    .catch(() => 502)
  if (!isForm) return json(response, status < 300 ? 200 : 502, { status })
  send(response, 303, '', { Location: `/messages/${encodeURIComponent(message.message_id)}/page` })
}

/** Recipients at a few domains get another outcome than that the message is taken: what a provider may do, to try it. */
async function takeMail(
  request: IncomingMessage,
  response: ServerResponse,
  { store, underWay, slow }: Omit<Parts, 'player'>,
): Promise<void> {
  if (request.method !== 'POST') return refuse(response, 405, 'method not allowed')
  if (!/^Bearer \S/.test(request.headers.authorization ?? ''))
    return refuse(response, 401, 'The provided authorization grant is invalid, expired, or revoked')
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    return refuse(response, 415, 'The content type must be application/json.')
  const body = await received(request, underWay)
  if (body === 'too large') return refuse(response, 413, 'The request is larger than 30 MB.', { Connection: 'close' })
  if (body === 'busy') return refuse(response, 503, 'Too much is received at the same time.', { Connection: 'close' })
  const checked = checkSend(parsed(body))
  if ('errors' in checked) return json(response, checked.status, { errors: checked.errors })
  const recipients = checked.messages.flatMap(({ to, cc, bcc }) => [...to, ...cc, ...bcc])
  const isAt = (domain: string) => recipients.some((address) => address.toLowerCase().endsWith(`@${domain}`))
  if (isAt('busy.test')) return refuse(response, 429, 'too many requests')
  if (isAt('error.test')) return refuse(response, 500, 'internal error')
  store.keep(checked.messages, new Date())
  // The message is taken, and its sender does not learn of it.
  if (isAt('lost.test')) return void request.socket.destroy()
  if (isAt('slow.test')) await aMinute(slow)
  send(response, 202, '', { 'X-Message-Id': checked.messageId })
}

async function aMinute(slow: Set<AbortController>): Promise<void> {
  const over = new AbortController()
  slow.add(over)
  await delay(60_000, undefined, { ref: false, signal: over.signal }).catch(() => undefined)
  slow.delete(over)
}

/** Reads a body; the bytes of all that are read at the same time are bounded. */
async function received(request: IncomingMessage, underWay: { bytes: number }): Promise<Buffer | 'too large' | 'busy'> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      underWay.bytes += chunk.length
      if (bytes > MAX_SEND_BYTES) return 'too large'
      if (underWay.bytes > MAX_UNDER_WAY) return 'busy'
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    underWay.bytes -= bytes
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

async function newest(store: MessageStore): Promise<KeptMessage[]> {
  const messages: KeptMessage[] = []
  for await (const message of store.newestFirst()) {
    // The page needs none of it, and it may be large.
    messages.push({
      ...message,
      html: '',
      text: '',
      attachments: message.attachments.map((one) => ({ ...one, content: '' })),
    })
    if (messages.length === MAX_LISTED) break
  }
  return messages
}

/** The fields of decisions §9; one message is in memory at a time. */
async function listMessages(response: ServerResponse, store: MessageStore): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json', ...ALWAYS })
  let before = '['
  for await (const { message_id, from, to, cc, bcc, subject, html, attachments, received_at } of store.newestFirst()) {
    const listed = { message_id, from, to, cc, bcc, subject, html, attachments, received_at }
    if (!response.write(before + JSON.stringify(listed)))
      await new Promise((resolve) => void response.once('drain', resolve).once('close', resolve))
    if (response.destroyed) return
    before = ','
  }
  response.end(before === '[' ? '[]' : ']')
}

function download(response: ServerResponse, { attachments }: KeptMessage, index: number): void {
  const file = attachments[index]
  if (!file) refuse(response, 404, 'not found')
  else
    send(response, 200, Buffer.from(file.content, 'base64'), {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
    })
}

const ALWAYS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }

function send(response: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string>): void {
  response.writeHead(status, { ...ALWAYS, 'Content-Length': String(Buffer.byteLength(body)), ...headers })
  response.end(body)
}

const json = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  send(response, status, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers })

const html = (response: ServerResponse, text: string, policy: string) =>
  send(response, 200, text, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy })

const refuse = (response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) =>
  json(response, status, { errors: [{ message, field: null, help: null } satisfies SendError] }, headers)
