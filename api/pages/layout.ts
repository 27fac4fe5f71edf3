// The pages that the API itself shows: plain HTML that works without scripts, with the headers that keep them from harm.
import { createHash } from 'node:crypto'

/** HTML, as opposed to text that has to be escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[] | null

/** HTML of a template: every text in it is escaped, also within attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, place) => text + written(parts[place - 1] ?? null) + string))
}

function written(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'string' ? escaped(part) : part.map(({ text }) => text).join('')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #f4f4f2 }
main { max-width: 28rem; margin: 4vh auto; padding: 1.5rem; background: #fff; border: 1px solid #d5d5d0; border-radius: .5rem }
h1 { margin: 0 0 1rem; font-size: 1.25rem; overflow-wrap: anywhere }
h2 { margin: 1rem 0 .25rem; font-size: 1rem }
p, li, label { overflow-wrap: anywhere }
ul { margin: 0; padding-left: 1.25rem }
label { display: block; margin: .5rem 0 }
input:not([type=checkbox]) { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #6b6b66; border-radius: .25rem }
input[type=checkbox] { margin: 0 .5rem 0 0; inline-size: 1.1rem; block-size: 1.1rem; vertical-align: text-bottom }
button { margin: 1rem .5rem 0 0; padding: .5rem 1rem; font: inherit; color: #1a1a1a; background: #eee; border: 1px solid #6b6b66; border-radius: .25rem }
button.first { color: #fff; background: #0b4f8a; border-color: #0b4f8a }
:focus-visible { outline: 3px solid #b35900; outline-offset: 2px }
[role=alert] { padding: .5rem .75rem; color: #7a0b0b; background: #fdecea; border: 1px solid #7a0b0b; border-radius: .25rem }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #161616 }
  main { background: #222; border-color: #444 }
  input:not([type=checkbox]) { color: #eee; background: #161616; border-color: #999 }
  button { color: #eee; background: #333; border-color: #999 }
  button.first { color: #fff; background: #1565a9 }
  [role=alert] { color: #ffd5d0; background: #4a1512; border-color: #ffb4ab }
}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export interface Page {
  status: number
  headers: Record<string, string>
  body: string
}

export interface PageContent {
  title: string
  content: Html
  status?: number
  /** Where a form of the page may lead besides the service itself, as a Content-Security-Policy names it: redirects count. */
  leadsTo?: string
}

export function page({ title, content, status = 200, leadsTo }: PageContent): Page {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Bahi</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`
  return { status, headers: headersOf(leadsTo), body: text }
}

function headersOf(leadsTo = ''): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self' ${leadsTo}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // Addresses of pages hold links' tokens, so nobody gets more than the origin. With no-referrer, forms would have the origin `null`.
    'Referrer-Policy': 'strict-origin',
    'Cache-Control': 'no-store',
  }
}
