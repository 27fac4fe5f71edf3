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
  /** Those that are shown; `matching` counts the others too. */
  organizations: { org_id: string; name: string; role: string; matching: bigint }[]
  /** The ids of those that were chosen before. */
  chosen: string[]
  /** What was looked for in the names of the organisations; empty for all. */
  named: string
  scopes: string[]
  /** Whether the next request is answered without asking. */
  isRemembered: boolean
  /** Proves that the form is ours, for this session and this request. */
  proof: string
  problem: string | null
  status?: number
}

const ROLE_WORDS: Record<string, string> = { OWNER: 'owner', ACCOUNTANT: 'accountant', VIEWER: 'viewer' }

type Choices = Pick<ConsentContent, 'organizations' | 'chosen' | 'named'>

function choicesOf({ organizations, chosen, named }: Choices): Html {
  const isOnly = organizations.length === 1 && named === ''
  const isChosen = (id: string) => isOnly || chosen.includes(id)
  return html`${organizations.map(
    ({
      org_id,
      name,
      role,
    }) => html`<label><input type="checkbox" name="organization" value="${org_id}"${isChosen(org_id) ? html` checked` : null}>
${name} (you are ${ROLE_WORDS[role] ?? role})</label>
`,
  )}${finderOf({ organizations, chosen, named })}`
}

// For who belongs to more organisations than the page shows. What is chosen stays chosen.
function finderOf({ organizations, named }: Choices): Html | null {
  const matching = Number(organizations[0]?.matching ?? 0)
  if (named === '' && matching === organizations.length) return null
  return html`${foundOf(organizations.length, matching)}
<label>Part of a name <input name="named" maxlength="200" value="${named}"></label>
<button name="action" value="find">Find organisations</button>
`
}

function foundOf(shown: number, matching: number): Html | null {
  if (matching === 0) return html`<p>None of your organisations has this in its name.</p>`
  return shown < matching ? html`<p>These are ${String(shown)} of ${String(matching)} organisations.</p>` : null
}

export function consentPage({ action, leadsTo }: FormPlace, content: ConsentContent): Page {
  const { client, redirectUri, email, scopes, isRemembered, proof, problem, status = 200 } = content
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
${choicesOf(content)}
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
