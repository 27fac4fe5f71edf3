// The pages of the mailbox for people: its messages, and one message as its reader would see it.
import type { KeptMessage } from './store.ts'

/** What a page may do: no scripts, nothing from elsewhere, frames of its own alone. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'"

/** What a message may do: nothing but to be seen. It is in an origin of its own, even where it is opened by itself. */
export const MESSAGE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2024; background: #fff }
  table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 600; color: #50575e }
  td, th { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid #e3e6e8; vertical-align: top }
  a { color: #0b57d0 } .quiet { color: #50575e } dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem }
  dt { color: #50575e } dd { margin: 0 } iframe { width: 100%; height: 34rem; border: 1px solid #c8cdd2; border-radius: 4px }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f5f6f7; padding: 1rem; border-radius: 4px }`

// As the clock of this computer says it.
const readable = new Intl.DateTimeFormat('en-IN', { dateStyle: 'medium', timeStyle: 'short', hour12: false })
const readableTime = (instant: string) => readable.format(new Date(instant))
const timeOf = (instant: string) => `<time datetime="${escaped(instant)}">${escaped(readableTime(instant))}</time>`

/** The list of all messages. */
export function listPage(messages: readonly KeptMessage[]): string {
  const rows = messages.map(
    ({ message_id, from, from_name, to, subject, attachments, received_at }) => `<tr>
      <td><a href="/messages/${encodeURIComponent(message_id)}/page">${escaped(subject)}</a></td>
      <td>${escaped(from_name ?? from)}</td><td>${escaped(to.join(', '))}</td>
      <td class="quiet">${attachments.length === 0 ? '' : String(attachments.length)}</td>
      <td class="quiet">${timeOf(received_at)}</td></tr>`,
  )
  const table = `<table><thead><tr><th>Subject</th><th>From</th><th>To</th><th>Files</th><th>Received</th></tr></thead>
    <tbody>${rows.join('\n')}</tbody></table>`
  const body = messages.length === 0 ? '<p>Nothing has been sent yet.</p>' : table
  return page(
    'Mailbox',
    `<h1>Mailbox</h1><p class="quiet">What the service has sent on this computer, newest first. Nothing leaves it.</p>${body}`,
  )
}

/** One message with its headers, its content in a frame, its attachments to download, and the reports that can be played. */
export function messagePage(message: KeptMessage, played: readonly string[]): string {
  const { message_id, from, from_name, reply_to, to, cc, bcc, subject, html, text, attachments, received_at } = message
  const at = `/messages/${encodeURIComponent(message_id)}`
  const headers: [string, string | null][] = [
    ['From', from_name ? `${from_name} <${from}>` : from],
    ['Reply to', reply_to],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Bcc', bcc.join(', ')],
    ['Received', readableTime(received_at)],
    ['Message id', message_id],
  ]
  const shown = headers
    .filter(([, value]) => value)
    .map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value!)}</dd>`)
  const files = attachments.map(
    ({ filename, type, size }, index) =>
      `<li><a href="${at}/attachments/${index}">${escaped(filename)}</a> <span class="quiet">${escaped(type)}, ${Math.ceil(size / 1024)} KB</span></li>`,
  )
  return page(
    subject,
    `<p><a href="/">Mailbox</a></p><h1>${escaped(subject)}</h1><dl>${shown.join('')}</dl>
     ${files.length === 0 ? '' : `<h2>Attachments</h2><ul>${files.join('')}</ul>`}
     ${played.length === 0 ? '' : `<h2>Report to the service</h2><form method="post" action="${at}/events">${buttons(played)}</form>`}
     ${html === '' ? '' : `<h2>Message</h2><iframe sandbox="" title="The message as it is read" src="${at}/html"></iframe>`}
     ${text === '' ? '' : `<h2>Text part</h2><pre>${escaped(text)}</pre>`}`,
  )
}

const buttons = (events: readonly string[]) =>
  events.map((event) => `<button name="event" value="${event}">${event}</button>`).join(' ')

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
   <meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>${body}</body></html>`

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
