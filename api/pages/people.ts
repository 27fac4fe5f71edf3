// The pages that links in mails lead to: accepting an invitation, and setting a new password.
import { html, page, type Html, type Page } from './layout.ts'

/** What the form is shown with: what was typed, except passwords, and what is wrong with it. */
export interface Form {
  token: string
  typed?: Record<string, string>
  problem?: string | null
  status?: number
}

const alertOf = (problem: string | null | undefined): Html | null =>
  problem ? html`<p role="alert" id="problem">${problem}</p>` : null
// A reader is told what is wrong with the field that it is about.
const described = (problem: string | null | undefined, hint = ''): Html =>
  html`aria-describedby="${[problem ? 'problem' : '', hint].filter(Boolean).join(' ')}"`

export const invitationPage = ({ token, typed = {}, problem, status = 200 }: Form): Page =>
  page({
    title: 'Accept an invitation',
    status,
    content: html`<h1>Accept the invitation</h1>
${alertOf(problem)}
<form method="post" action="/console/invitation">
<input type="hidden" name="token" value="${token}">
<label>Your name <input name="name" autocomplete="name" maxlength="200" value="${typed.name ?? ''}"></label>
<label>New password <input name="password" type="password" autocomplete="new-password" minlength="10" maxlength="1000" ${described(problem, 'hint')}></label>
<p id="hint">At least 10 characters. If you have a password here already, leave it empty: you keep the one that you have.</p>
<button class="first">Accept</button>
</form>`,
  })

export const newPasswordPage = ({ token, problem, status = 200 }: Form): Page =>
  page({
    title: 'Set a new password',
    status,
    content: html`<h1>Set a new password</h1>
${alertOf(problem)}
<form method="post" action="/console/password">
<input type="hidden" name="token" value="${token}">
<label>New password <input name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="1000" ${described(problem, 'hint')}></label>
<p id="hint">At least 10 characters. You will be signed out everywhere.</p>
<button class="first">Set the password</button>
</form>`,
  })

export const askForResetPage = ({ typed = {}, problem, status = 200 }: Omit<Form, 'token'>): Page =>
  page({
    title: 'Forgotten password',
    status,
    content: html`<h1>Forgotten password</h1>
${alertOf(problem)}
<form method="post" action="/console/password">
<label>E-mail address <input name="email" type="email" autocomplete="username" required maxlength="254" value="${typed.email ?? ''}"
  ${described(problem, 'hint')}></label>
<p id="hint">We send a link to it by which you set a new password.</p>
<button class="first">Send the link</button>
</form>`,
  })

/** The last page of each, with the way on. */
export const donePage = (message: string, signIn = true): Page =>
  page({
    title: signIn ? 'Done' : 'Look into your mail',
    content: html`<h1>${signIn ? 'Done' : 'Look into your mail'}</h1>
<p role="status">${message}</p>
${signIn ? html`<p><a href="/console">Sign in</a></p>` : null}`,
  })

/** For a link that does not work: used, ended, withdrawn, or cut by a mail program. */
export const endedPage = (of: 'invitation' | 'password', status: number): Page =>
  page({
    title: 'This link does not work any more',
    status,
    content: html`<h1>This link does not work any more</h1>
<p role="alert">It was used already, its time is over, or it is not complete.</p>
${
  of === 'invitation'
    ? html`<p>Ask whoever has invited you for another invitation.</p>`
    : html`<p><a href="/console/password">Ask for another link</a></p>`
}`,
  })
