// The session at an invoice registration portal: signs in, keeps the token until it expires, and signs in again.
import { errorOf, INVALID_TOKEN, type EInvoiceError } from '../../domain/e-invoice/error-codes.ts'
import { fromIndianTime } from '../../domain/e-invoice/signed-qr.ts'
import { decrypted, encrypted, newAppKey, sealedSignIn, sessionKey } from './irp-crypto.ts'
import { askIrp, type IrpAnswer } from './irp-http.ts'
import { EInvoiceUnavailable } from './provider.ts'

/** What an operator has from the portal for a branch. */
export interface IrpCredentials {
  base_url: string
  client_id: string
  client_secret: string
  user_name: string
  password: string
  /** With which the sign-in is encrypted: PEM. */
  public_key: string
  /** With which the portal signs: public key or certificate, PEM. */
  signing_key: string
}

interface Session {
  token: string
  key: Buffer
  endsMs: number
}

export interface IrpReply {
  /** The decrypted data of an answer that succeeded. */
  data: Record<string, unknown> | null
  errors: EInvoiceError[]
}

export interface IrpSession {
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<IrpReply>
}

export interface IrpSessionOptions {
  credentials: IrpCredentials
  gstin: string
  timeoutMs: number
  clock(): Date
}

const AUTH = '/eivital/v1.04/auth'
/** A token is not used in its last minute. */
const SPARE_MS = 60_000

export function openIrpSession({ credentials, gstin, timeoutMs, clock }: IrpSessionOptions): IrpSession {
  const { base_url, client_id, client_secret, user_name, password, public_key } = credentials
  const url = (path: string) => base_url.replace(/\/+$/, '') + path
  const who = { client_id, client_secret, Gstin: gstin }
  let session: Promise<Session> | null = null

  async function signIn(): Promise<Session> {
    const appKey = newAppKey()
    const signIn = {
      UserName: user_name,
      Password: password,
      AppKey: appKey.toString('base64'),
      ForceRefreshAccessToken: false,
    }
    const body = { Data: sealed(() => sealedSignIn(public_key, signIn)) }
    const answer = await askIrp({ method: 'POST', url: url(AUTH), headers: who, body }, timeoutMs)
    if (!succeeded(answer)) throw new SignInRefused(errorsOf(answer))
    const { AuthToken, Sek, TokenExpiry } = (answer.Data ?? {}) as Record<string, unknown>
    const ends = fromIndianTime(TokenExpiry)
    if (typeof AuthToken !== 'string' || typeof Sek !== 'string' || !ends)
      throw new EInvoiceUnavailable('the portal gave no session')
    return { token: AuthToken, key: readable(() => sessionKey(appKey, Sek)), endsMs: ends.getTime() }
  }

  // Documents share one sign-in; one that failed is forgotten.
  function newSession(): Promise<Session> {
    const made = signIn()
    made.catch(() => {
      if (session === made) session = null
    })
    return (session = made)
  }

  async function signedIn(): Promise<Session> {
    const known = await (session ?? newSession())
    return known.endsMs - SPARE_MS > clock().getTime() ? known : newSession()
  }

  async function once(method: 'GET' | 'POST', path: string, body?: object): Promise<IrpReply> {
    const { token, key } = await signedIn()
    const headers = { ...who, user_name, AuthToken: token }
    const request = {
      method,
      url: url(path),
      headers,
      ...(body && { body: { Data: encrypted(key, JSON.stringify(body)) } }),
    }
    const answer = await askIrp(request, timeoutMs)
    if (!succeeded(answer)) return { data: null, errors: errorsOf(answer) }
    const data = readable(() => JSON.parse(decrypted(key, String(answer.Data)).toString('utf8')) as unknown)
    if (typeof data !== 'object' || data === null) throw new EInvoiceUnavailable('the answer of the portal has no data')
    return { data: data as Record<string, unknown>, errors: [] }
  }

  return {
    /** Throws EInvoiceUnavailable. A refused sign-in is a refusal. */
    async ask(method, path, body) {
      try {
        const reply = await once(method, path, body)
        if (!reply.errors.some(({ code }) => code === INVALID_TOKEN)) return reply
        session = null
        return await once(method, path, body)
      } catch (error) {
        if (error instanceof SignInRefused) return { data: null, errors: error.errors }
        throw error
      }
    },
  }
}

class SignInRefused extends Error {
  readonly errors: EInvoiceError[]

  constructor(errors: EInvoiceError[]) {
    super('the portal refused the sign-in')
    this.errors = errors
  }
}

const succeeded = ({ Status }: IrpAnswer) => Status === 1 || Status === '1'

/** The errors of an answer: a list, or the same as JSON in base64, as the sign-in gives it. */
function errorsOf({ ErrorDetails: details }: IrpAnswer): EInvoiceError[] {
  const list = typeof details === 'string' ? listIn(details) : details
  if (!Array.isArray(list) || list.length === 0) throw new EInvoiceUnavailable('the portal refused without a reason')
  return list.slice(0, 20).map((each) => {
    const { ErrorCode, ErrorMessage } = (each ?? {}) as Record<string, unknown>
    return errorOf(String(ErrorCode ?? 'RESPONSE'), typeof ErrorMessage === 'string' ? ErrorMessage : '')
  })
}

function listIn(text: string): unknown {
  try {
    return JSON.parse(text.trimStart().startsWith('[') ? text : Buffer.from(text, 'base64').toString('utf8'))
  } catch {
    return null
  }
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new EInvoiceUnavailable('the answer of the portal cannot be decrypted', { cause: error })
  }
}

/** The reason of the cipher is left out: it may name what was to be encrypted. */
function sealed(seal: () => string): string {
  const text = attempted(seal)
  if (text !== null) return text
  const message = 'The sign-in cannot be encrypted: the public key is none, or user name and password are too long.'
  throw new SignInRefused([{ code: 'CREDENTIALS', message, field: null }])
}

function attempted(work: () => string): string | null {
  try {
    return work()
  } catch {
    return null
  }
}
