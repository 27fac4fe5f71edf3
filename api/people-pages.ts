// Serves the pages that links in mails lead to: plain forms, which work without scripts and do what the calls below /internal/v1 do.
import type { IncomingMessage } from 'node:http'
import { Fault, fault } from '../domain/faults.ts'
import type { AccessLog } from './http/access-log.ts'
import { parseBody, readBody } from './http/body.ts'
import { UNREAD } from './http/idempotency.ts'
import type { Received } from './http/incoming-call.ts'
import type { Route } from './http/route.ts'
import type { ServerContext } from './http/server-context.ts'
import { tracedRequest } from './http/traced-request.ts'
import type { Unmatched } from './http/unmatched.ts'
import { validateBody } from './http/validate.ts'
import { mount, sendBytes, type RestServer } from './mount.ts'
import type { Page } from './pages/layout.ts'
import { askForResetPage, donePage, endedPage, invitationPage, newPasswordPage } from './pages/people.ts'
import { memberRoutes } from './resources/members.ts'
import { passwordResetRoutes } from './resources/password-resets.ts'

type Fields = Record<string, string>

interface Form {
  route: Route
  /** The fields that are passed on; an empty one is left out. */
  names: string[]
  shown(fields: Fields, problem: string | null, status: number): Page
  done(message: string): Page
  /** For a link that does not work. */
  ended?: (status: number) => Page
}

const routeAt = (routes: Route[], path: string): Route =>
  routes.find((route) => route.path === path && route.method === 'POST')!

const INVITATION: Form = {
  route: routeAt(memberRoutes, '/invitations/accept'),
  names: ['token', 'name', 'password'],
  shown: ({ token = '', ...typed }, problem, status) => invitationPage({ token, typed, problem, status }),
  done: donePage,
  ended: (status) => endedPage('invitation', status),
}

const NEW_PASSWORD: Form = {
  route: routeAt(passwordResetRoutes, '/password_resets/confirm'),
  names: ['token', 'password'],
  shown: ({ token = '' }, problem, status) => newPasswordPage({ token, problem, status }),
  done: donePage,
  ended: (status) => endedPage('password', status),
}

const RESET: Form = {
  route: routeAt(passwordResetRoutes, '/password_resets'),
  names: ['email'],
  shown: (typed, problem, status) => askForResetPage({ typed, problem, status }),
  done: (message) => donePage(message, false),
}

const PATHS: Record<string, (isWithToken: boolean) => Form> = {
  '/console/invitation': () => INVITATION,
  '/console/password': (isWithToken) => (isWithToken ? NEW_PASSWORD : RESET),
}

const FORM_LIMIT = 16_384
const FORM_MS = 10_000

export function mountPeoplePages(
  server: RestServer,
  unmatched: Unmatched,
  context: ServerContext,
  accessLog: Pick<AccessLog, 'request'>,
): void {
  for (const [path, formFor] of Object.entries(PATHS)) {
    mount(server, 'GET', path, async (request, response) => {
      const token = new URLSearchParams(/\?(.*)$/s.exec(request.url ?? '')?.[1]).get('token')
      const shown = formFor(token !== null).shown({ token: token ?? '' }, null, 200)
      sendBytes(response, shown.status, shown.body, { ...unmatched.headers(), ...shown.headers })
    })
    mount(server, 'POST', path, async (request, response) => {
      const started = performance.now()
      // Which form it is shows when it is read, so what reads it comes first.
      const read = await readFields(request).catch((error: unknown) => error)
      const fields = isFields(read) ? read : {}
      const form = formFor(fields.token !== undefined)
      const { reply, trace } = await tracedRequest(context, form.route, request, async () => {
        if (!isFields(read)) throw read
        return received(form, read)
      })
      const shown = answerOf(form, fields, reply.status, reply.body)
      sendBytes(response, shown.status, shown.body, { ...reply.headers, ...shown.headers })
      const durationMs = performance.now() - started
      accessLog.request({ ...trace, method: 'POST', route: path, status: shown.status, durationMs })
    })
  }
}

const isFields = (read: unknown): read is Fields => !(read instanceof Error)

/** The fields of a form, each once. Throws request.unsupported_media_type, and what readBody throws. */
async function readFields(request: IncomingMessage): Promise<Fields> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') throw fault('request.unsupported_media_type')
  const bytes = await readBody(request, FORM_LIMIT, FORM_MS)
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
}

/** What the form sends, as the JSON of its call would be received. */
function received({ route, names }: Form, fields: Fields): Received {
  const sent = names.flatMap((name) => (fields[name] ? [[name, fields[name]]] : []))
  try {
    const body = parseBody(Buffer.from(JSON.stringify(Object.fromEntries(sent))), { isSuspicious: true })
    validateBody(route.body!, body)
    return { bodyHash: UNREAD, input: { params: {}, query: {}, body } }
  } catch (error) {
    if (error instanceof Fault) return { bodyHash: UNREAD, input: error }
    throw error
  }
}

interface Refused {
  code: string | number
  message: string
  field?: string
  errors?: { field: string; message: string }[]
  details?: { retry_after?: number }
}

function answerOf(form: Form, fields: Fields, status: number, body: string): Page {
  const refused = JSON.parse(body) as Refused
  if (refused.code === 0) return form.done(refused.message)
  const isOfToken = refused.field === 'token' || refused.errors?.some(({ field }) => field === 'token')
  if (form.ended && isOfToken) return form.ended(status)
  return form.shown(fields, wordsOf(status, refused), status)
}

function wordsOf(status: number, { message, errors = [], details, field }: Refused): string {
  if (status === 401) return 'Send the form from this page itself.'
  if (status === 429) return `Too many tries. Wait for ${minutes(details?.retry_after ?? 60)}, then try again.`
  if (status >= 500) return 'This did not work just now. Try again in a moment.'
  if (field === 'password' && status === 400 && /required/.test(message)) return 'Choose a password.'
  const [problem] = errors
  return problem ? `${NAMES[problem.field] ?? 'The form'} ${problem.message}.` : message
}

const NAMES: Record<string, string> = { name: 'Your name', password: 'The password', email: 'The e-mail address' }
const minutes = (seconds: number) => (seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`)
