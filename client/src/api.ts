// The caller of an API: sends typed calls, repeats what may be repeated, and keeps the key of each write.
import createClient from 'openapi-fetch'
import { attempted, hasEnvelope, type Answered, type Attempt, type Sender } from './attempt.ts'
import { BahiError, NotFoundError } from './errors.ts'
import type { AnswerOf, Args, FilePaths, Method, PagedPaths, PathsWith, RowOf, SentOptions } from './operations.ts'
import { pagesOf, type Pages } from './pages.ts'
import { isInProgress, isPassing, isUncertain, pause, waitBefore, type RetryRules } from './retries.ts'

export interface ClientOptions extends Partial<RetryRules> {
  /** The address of the API: `https://books.example/api/public/v1`. In a page of the service its path is enough. */
  baseUrl: string
  /** A personal access token, or one by OAuth. Without it the cookie of the session is sent, to its own origin only. */
  token?: string
  /** For the calls of partners. */
  partnerKey?: string
  /** The organisation of the calls, where the caller has several. */
  organizationId?: string
  /** How long one attempt may take, in milliseconds: 80 seconds unless said. A bulk is answered after a minute at most. */
  timeoutMs?: number
  /** In place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>
  /** Is told of each repeat before its wait. */
  onRetry?: (retry: { method: string; path: string; attempts: number; waitMs: number; error: BahiError }) => void
}

/** A file, or that the one which its reader has is still right. */
export interface FileAnswer {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
  /** Send it as `etag` next time: the answer is then null while the file is the same. */
  etag: string | null
}

/** The one call whose answer has no envelope. */
const BARE = '/openapi.json'
const isObject = (data: unknown) => typeof data === 'object' && data !== null

/** What holds unless the options say otherwise; docs/client.md has the same. */
export const DEFAULTS = { retries: 4, backoffMs: 500, longestRetryAfterMs: 60_000, timeoutMs: 80_000 }

export class Api<Paths> {
  readonly #options: ClientOptions
  readonly #rules: RetryRules & { timeoutMs: number }
  readonly #sender: Sender

  /** Throws a TypeError for an address, a token or an id that cannot be sent. */
  constructor(options: ClientOptions) {
    const { href } = (globalThis as { location?: { href: string } }).location ?? {}
    void new URL(options.baseUrl, href)
    this.#options = options
    this.#rules = { ...DEFAULTS, ...given(options) }
    this.#sender = createClient({
      baseUrl: options.baseUrl,
      credentials: options.token === undefined && options.partnerKey === undefined ? 'same-origin' : 'omit',
      headers: new Headers(headersOf(options)),
      // It is serialised once, so that every attempt sends the same.
      bodySerializer: (body: unknown) => body,
    }) as unknown as Sender
  }

  /** The same client for another organisation. */
  withOrganization(organizationId: string): this {
    return new (this.constructor as new (options: ClientOptions) => this)({ ...this.#options, organizationId })
  }

  async get<Path extends PathsWith<Paths, 'get'>>(path: Path, ...[options]: Args<Paths, Path, 'get'>) {
    return (await this.#call('get', path, options)).data as AnswerOf<Paths, Path, 'get'>
  }

  /** Every POST carries an Idempotency-Key, and keeps it over its repeats. */
  async post<Path extends PathsWith<Paths, 'post'>>(path: Path, ...[options]: Args<Paths, Path, 'post'>) {
    return (await this.#call('post', path, options)).data as AnswerOf<Paths, Path, 'post'>
  }

  async put<Path extends PathsWith<Paths, 'put'>>(path: Path, ...[options]: Args<Paths, Path, 'put'>) {
    return (await this.#call('put', path, options)).data as AnswerOf<Paths, Path, 'put'>
  }

  /** Resolves too where an attempt whose answer was lost has deleted the record already. */
  async delete<Path extends PathsWith<Paths, 'delete'>>(path: Path, ...[options]: Args<Paths, Path, 'delete'>) {
    return (await this.#call('delete', path, options)).data as AnswerOf<Paths, Path, 'delete'>
  }

  /** The rows of a list, page after page: `for await (const invoice of bahi.pages('/invoices')) ...`. */
  pages<Path extends PagedPaths<Paths> & PathsWith<Paths, 'get'>>(
    path: Path,
    ...[options]: Args<Paths, Path, 'get'>
  ): Pages<AnswerOf<Paths, Path, 'get'>, RowOf<AnswerOf<Paths, Path, 'get'>>> {
    const sent = (options ?? {}) as SentOptions
    return pagesOf(
      sent.query ?? {},
      async (query) =>
        (await this.#call('get', path, { ...sent, query })).data as AnswerOf<Paths, Path, 'get'> & object,
    )
  }

  /** The bytes of a file, such as the PDF of an invoice; null if `etag` is that of the file. */
  async file<Path extends FilePaths<Paths>>(
    path: Path,
    ...[options]: Args<Paths, Path, 'get', { etag?: string }>
  ): Promise<FileAnswer | null> {
    const { etag } = (options ?? {}) as { etag?: string }
    const headers = etag === undefined ? {} : { 'If-None-Match': etag }
    const as = { parseAs: 'arrayBuffer', redirect: 'follow', headers }
    const isFile = (_data: unknown, response: Response) => response.headers.get('Content-Type') === 'application/pdf'
    const { data, response } = await this.#call('get', path, options, isFile, as)
    if (response.status === 304) return null
    return {
      bytes: new Uint8Array(data as ArrayBuffer),
      contentType: response.headers.get('Content-Type') ?? '',
      etag: response.headers.get('ETag'),
    }
  }

  async #call(
    method: Method,
    path: string,
    options: unknown,
    isAnswer: Attempt['isAnswer'] = path === BARE ? isObject : hasEnvelope,
    as: Record<string, unknown> = {},
  ): Promise<Answered> {
    const sent = (options ?? {}) as SentOptions
    const key = method === 'post' ? (sent.idempotencyKey ?? newKey()) : null
    checkPath(path, sent.path ?? {})
    const keyed = key === null ? {} : { 'Idempotency-Key': key }
    const attempt: Attempt = {
      method,
      path,
      init: {
        redirect: 'manual',
        ...as,
        headers: { ...(as.headers as object), ...keyed },
        params: { path: sent.path ?? {}, query: sent.query ?? {} },
        body: serialised(sent.body),
      },
      timeoutMs: sent.timeoutMs ?? this.#rules.timeoutMs,
      signal: sent.signal,
      isAnswer,
      fetch: this.#options.fetch ?? ((request) => fetch(request)),
    }
    return this.#repeated(attempt, { ...this.#rules, ...given({ retries: sent.retries }) }, key)
  }

  /** Sends the attempt until it succeeds, may not be repeated, or was repeated often enough. */
  async #repeated(attempt: Attempt, rules: RetryRules, key: string | null): Promise<Answered> {
    let isLost = false
    let waitedForOwnMs = 0
    for (let [attempts, repeats] = [1, 0]; ; attempts += 1) {
      try {
        return await attempted(this.#sender, attempt)
      } catch (error) {
        if (!(error instanceof BahiError)) throw error
        Object.assign(error, { attempts, idempotencyKey: key })
        if (isLost && attempt.method === 'delete' && error instanceof NotFoundError) return GONE
        isLost ||= isUncertain(error)
        const waitMs = isPassing(error) ? waitBefore(repeats + 1, error, rules) : null
        // What this call has begun itself is waited for as long as an attempt may take, not a number of times.
        const isOwn = isInProgress(error) && waitedForOwnMs < attempt.timeoutMs
        if (waitMs === null || (!isOwn && !(repeats < rules.retries))) throw error
        if (isOwn) waitedForOwnMs += waitMs
        else repeats += 1
        const { method, path, signal } = attempt
        this.#options.onRetry?.({ method, path, attempts, waitMs, error })
        await pause(waitMs, signal)
      }
    }
  }
}

const GONE: Answered = { data: { code: 0, message: 'Deleted.' }, response: new Response(null, { status: 200 }) }

const given = <Value extends object>(values: Value) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

function headersOf({ token, partnerKey, organizationId }: ClientOptions): Record<string, string> {
  return {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(partnerKey === undefined ? {} : { 'X-Partner-Key': partnerKey }),
    ...(organizationId === undefined ? {} : { 'X-Svc-Org': organizationId }),
  }
}

// crypto.randomUUID is missing in pages that came over http.
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws a TypeError for a part of the path that is missing, or that would lead to another path. */
function checkPath(path: string, parts: Record<string, unknown>): void {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const part = parts[name]
    if ((typeof part !== 'string' && typeof part !== 'number') || /^\.{0,2}$/.test(String(part)))
      throw new TypeError(`${path} needs a ${name}, which is not ${JSON.stringify(part)}`)
  }
}

/** JSON; a form where a field is a file. */
function serialised(body: unknown): string | FormData | undefined {
  if (body === undefined) return undefined
  const fields = Object.entries(body as object)
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body)
  const form = new FormData()
  // The fields come before the file, which the service reads as it arrives.
  for (const [name, value] of fields) if (!(value instanceof Blob) && value != null) form.append(name, String(value))
  for (const [name, value] of fields) if (value instanceof Blob) form.append(name, value)
  return form
}
