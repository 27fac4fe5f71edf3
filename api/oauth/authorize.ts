// /oauth/authorize: signs a person in, asks for their consent, and sends them back to the app with a code.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { authorizeClient, type AuthorizationRequest, type Decision } from '../../commands/oauth/authorize.ts'
import { MAX_ORGANIZATIONS } from '../../commands/oauth/consents.ts'
import { endSession, startSession } from '../../commands/people/sign-in.ts'
import { Fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { sourceOf, withAnswer } from '../../domain/oauth/redirect-uri.ts'
import { choicesOfPerson, rememberedConsent } from '../../models/oauth-consent.ts'
import { signInStillHeld, SESSION_MS, type SignedIn } from '../../models/session.ts'
import { CallerChanged } from '../../models/token.ts'
import { isForeignPage, setCookie } from '../http/cookies.ts'
import { inPlaceOf, inTurnOf } from '../http/concurrency-shares.ts'
import type { ServerContext } from '../http/server-context.ts'
import { readAuthorizationRequest, type ReadRequest } from './authorization-request.ts'
import { browserSession } from './browser.ts'
import { readForm } from './form.ts'
import { isProof, proofOf } from './proof.ts'
import { descriptionOf } from './refusals.ts'
import type { Page } from '../pages/layout.ts'
import { consentPage, errorPage, signInPage } from '../pages/oauth.ts'

/** One request of a browser to the endpoint. */
export interface Visit {
  server: ServerContext
  request: IncomingMessage
  path: string
  query: URLSearchParams
  origin: Caller['origin']
}

interface Asked extends Visit {
  asked: Extract<ReadRequest, { kind: 'request' }>
}

/** Answers a request by a page or by a redirect. */
export async function authorize(visit: Visit): Promise<Page> {
  const { server, query, request } = visit
  const read = await readAuthorizationRequest(server.writeContext.database, query)
  if (read.kind === 'unanswerable') return errorPage(read.problem)
  if (read.kind === 'refused') return answerTo(visit, read, { error: read.error, description: read.description })
  const asked: Asked = { ...visit, asked: read }
  if (request.method !== 'POST') return ask(asked)
  if (isForeignPage(request, server.gateways.site))
    return errorPage('This form was sent by a page of another site.', 403)
  const form = await readForm(request)
  const action = form.get('action')
  if (action === 'sign_in') return signIn(asked, form)
  const session = await sessionOf(asked)
  if (!session) return signInPageOf(asked)
  if (!isProof(server.sealer, form.get('proof') ?? '', proven(asked, session)))
    return askToConsent(asked, session, form, 'This form was open for too long. Please decide again.')
  if (action === 'sign_out') return signOut(asked, session)
  if (action === 'deny')
    return answerTo(
      visit,
      { ...read.request, state: read.state },
      { error: 'access_denied', description: 'The person has not allowed it.' },
    )
  if (action === 'find') return askToConsent(asked, session, form)
  if (action === 'allow') return allow(asked, session, form)
  return errorPage('This form has no such action.')
}

const sessionOf = ({ server, request }: Asked): Promise<SignedIn | null> =>
  browserSession(server.writeContext.database, request, server.writeContext.clock())

const proven = ({ query, server }: Asked, { sessionId }: SignedIn) => ({
  sessionId,
  request: query.toString(),
  now: server.writeContext.clock(),
})

async function ask(asked: Asked): Promise<Page> {
  const session = await sessionOf(asked)
  if (!session) return signInPageOf(asked)
  const { client, scopes } = asked.asked.request
  // Anybody can say that they are a public client, so the person is asked each time (RFC 8252 §8.6).
  const consentId = client.is_public
    ? null
    : await inPlaceOf(asked.server, session.personId, () =>
        rememberedConsent(asked.server.writeContext.database, {
          personId: session.personId,
          clientId: client.id,
          scopes,
        }),
      )
  if (consentId !== null) return giveCode(asked, session, { consentId })
  return askToConsent(asked, session, new URLSearchParams())
}

const placeOf = ({ path, query, asked }: Asked) => ({
  action: `${path}?${query.toString()}`,
  leadsTo: sourceOf(asked.request.redirectUri),
})

const signInPageOf = (
  asked: Asked,
  { email = '', problem = null, status = 200 }: { email?: string; problem?: string | null; status?: number } = {},
): Page => signInPage(placeOf(asked), { client: asked.asked.request.client.name, email, problem, status })

// Asks with what the form has chosen, and with the organisations that it looks for by name.
async function askToConsent(
  asked: Asked,
  session: SignedIn,
  form: URLSearchParams,
  problem: string | null = null,
): Promise<Page> {
  const { client, redirectUri, scopes } = asked.asked.request
  const chosen = chosenIn(form).filter(isId).slice(0, MAX_ORGANIZATIONS)
  const named = (form.get('named') ?? '').replace(/\p{C}/gu, '').trim().slice(0, MAX_NAMED)
  const organizations = await inPlaceOf(asked.server, session.personId, () =>
    choicesOfPerson(asked.server.writeContext.database, {
      personId: session.personId,
      named,
      chosen,
      most: MAX_ORGANIZATIONS,
    }),
  )
  if (organizations.length === 0 && named === '')
    return errorPage('You belong to no organisation for which you could allow this.', 403)
  return consentPage(placeOf(asked), {
    client: client.name,
    redirectUri,
    email: session.email,
    organizations,
    chosen,
    named,
    scopes,
    isRemembered: !client.is_public,
    proof: proofOf(asked.server.sealer, proven(asked, session)),
    problem,
    status: problem === null ? 200 : 400,
  })
}

const MAX_NAMED = 200
const chosenIn = (form: URLSearchParams): string[] => form.getAll('organization').map((id) => id.toLowerCase())

async function allow(asked: Asked, session: SignedIn, form: URLSearchParams): Promise<Page> {
  const orgIds = chosenIn(form)
  if (orgIds.length === 0) return askToConsent(asked, session, form, 'Choose at least one organisation.')
  try {
    return await giveCode(asked, session, { orgIds })
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_found.resource') throw error
    const problem = 'You do not belong to one of these organisations any more, or it is suspended.'
    return askToConsent(asked, session, form, problem)
  }
}

async function giveCode(asked: Asked, session: SignedIn, decision: Decision): Promise<Page> {
  const { request, state } = asked.asked
  const caller: Caller = { ...asSystem(asked), precondition: (now) => signInStillHeld(session, now) }
  try {
    const code = await inTurnOf(asked.server, session.personId, () =>
      openBooks(asked.server.writeContext, caller, (books) =>
        authorizeClient(books, session.personId, request, decision),
      ),
    )
    return answerTo(asked, { ...request, state }, { code })
  } catch (error) {
    if (!(error instanceof CallerChanged)) throw error
    return signInPageOf(asked, { problem: 'Your session has ended. Please sign in again.' })
  }
}

async function signIn(asked: Asked, form: URLSearchParams): Promise<Page> {
  const { server, request, origin, path, query } = asked
  const email = form.get('email') ?? ''
  const password = form.get('password') ?? ''
  try {
    if (email.length > 254 || password.length > 1_000 || /\p{Cc}/u.test(email)) throw new CallerChanged()
    const person = await server.gateways.signIns.check({ email, password }, origin.ip)
    const former = await sessionOf(asked)
    const { secret } = await inTurnOf(server, person.id, () =>
      openBooks(server.writeContext, asSystem(asked), (books) =>
        startSession(books, person, former?.sessionId ?? null),
      ),
    )
    const cookie = setCookie(server.gateways.site, secret, SESSION_MS / 1000)
    return redirect(request, `${path}?${query.toString()}`, cookie)
  } catch (error) {
    const isRefused = error instanceof CallerChanged || (error instanceof Fault && error.status < 500)
    if (!isRefused) throw error
    const typed = email.slice(0, 254)
    if (!(error instanceof Fault) || error.status !== 429)
      return signInPageOf(asked, { email: typed, problem: 'The e-mail address or the password is wrong.', status: 401 })
    const seconds = error.retryAfter ?? 60
    const problem = `Too many sign-ins have failed; try again in ${minutesOf(seconds)}.`
    const shown = signInPageOf(asked, { email: typed, problem, status: 429 })
    return { ...shown, headers: { ...shown.headers, 'Retry-After': String(seconds) } }
  }
}

function minutesOf(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

async function signOut(asked: Asked, { personId, sessionId }: SignedIn): Promise<Page> {
  const { server, request, path, query } = asked
  await inTurnOf(server, personId, () =>
    openBooks(server.writeContext, asSystem(asked), (books) => endSession(books, personId, sessionId)),
  )
  return redirect(request, `${path}?${query.toString()}`, setCookie(server.gateways.site, null))
}

const asSystem = ({ origin }: Visit): Caller => ({
  subject: '',
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization: null,
  origin,
})

/** Sends the browser back to the app; `iss` says by whom, so that an app of several services cannot mix them up (RFC 9207). */
function answerTo(
  { request, server }: Visit,
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri'> & { state: string | null },
  answer: { code: string } | { error: string; description: string },
): Page {
  const parameters =
    'code' in answer ? answer : { error: answer.error, error_description: descriptionOf(answer.description) }
  const location = withAnswer(redirectUri, {
    ...parameters,
    ...(state === null ? {} : { state }),
    iss: server.gateways.site.origin,
  })
  return redirect(request, location)
}

// 303 after a form, so that its fields are not sent on (RFC 9700 §4.12).
const redirect = ({ method }: IncomingMessage, location: string, headers: Record<string, string> = {}): Page => ({
  status: method === 'POST' ? 303 : 302,
  headers: { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...headers },
  body: '',
})
