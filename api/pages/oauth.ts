// The pages of OAuth: signing in, consenting, and what is wrong with a request.
import { wordsOfScope } from '../../domain/oauth/scope-words.ts'
import { html, page, type Html, type Page } from './layout.ts'

/** Where the forms are sent, and where the app's answer may lead. */
export interface FormPlace {
  /** The path with the query of the request. */
  action: string
  leadsTo: string
}

export const errorPage = (message: string, status = 400): Page =>
  page({
    title: 'This request cannot be answered',
    status,
    content: html`<h1>This request cannot be answered</h1>
<p role="alert">${message}</p>
<p>The app that has sent you here has to be corrected. Nothing was allowed to it.</p>`,
  })

const alertOf = (problem: string | null): Html | null =>
  problem === null ? null : html`<p role="alert">${problem}</p>`

export const signInPage = (
  { action, leadsTo }: FormPlace,
  { client, email, problem, status = 200 }: { client: string; email: string; problem: string | null; status?: number },
): Page =>
  page({
    title: 'Sign in',
    status,
    leadsTo,
    content: html`<h1>Sign in to continue to ${client}</h1>
${alertOf(problem)}
<form method="post" action="${action}">
<label>E-mail address <input name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="1000"></label>
<button class="first" name="action" value="sign_in">Sign in</button>
</form>`,
  })

export interface ConsentContent {
  client: string
  redirectUri: string
  email: string
  organizations: { org_id: string; name: string; role: string }[]
  scopes: string[]
  /** Whether the next request is answered without asking. */
  isRemembered: boolean
  /** Proves that the form is ours, for this session and this request. */
  proof: string
  problem: string | null
  status?: number
}

const ROLE_WORDS: Record<string, string> = { OWNER: 'owner', ACCOUNTANT: 'accountant', VIEWER: 'viewer' }

export function consentPage({ action, leadsTo }: FormPlace, content: ConsentContent): Page {
  const { client, redirectUri, email, organizations, scopes, isRemembered, proof, problem, status = 200 } = content
  const isOnly = organizations.length === 1
  const choices = organizations.map(
    ({
      org_id,
      name,
      role,
    }) => html`<label><input type="checkbox" name="organization" value="${org_id}"${isOnly ? html` checked` : null}>
${name} (you are ${ROLE_WORDS[role] ?? role})</label>
`,
  )
  return page({
    title: `Allow ${client}`,
    status,
    leadsTo,
    content: html`<h1>Allow ${client} to act for you?</h1>
${alertOf(problem)}
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<h2>It wants to</h2>
<ul>
${scopes.map((scope) => html`<li>${wordsOfScope(scope)}</li>\n`)}</ul>
<h2>In these organisations</h2>
${choices}
<p>It may never do more than your role allows. ${
      isRemembered
        ? 'This is remembered until you withdraw it.'
        : 'You are asked again each time, and can withdraw what you allow.'
    }</p>
<p>It gets the answer at ${redirectUri}</p>
<button class="first" name="action" value="allow">Allow</button>
<button name="action" value="deny">Do not allow</button>
</form>
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<p>You are signed in as ${email}. <button name="action" value="sign_out">Use another account</button></p>
</form>`,
  })
}
