// Dates and times as they are shown: the calendar date of a document never shifts, a time is that of the reader.
const dateOnly = new Intl.DateTimeFormat('en-IN', { day: '2-digit', month: 'short', year: 'numeric', timeZone: 'UTC' })
const instant = new Intl.DateTimeFormat('en-IN', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})

/** Of a date of a document: 05 Apr 2026. */
export const day = (text: unknown): string =>
  text ? dateOnly.format(new Date(`${String(text).slice(0, 10)}T00:00:00Z`)) : ''

/** Of something that happened: 05 Apr 2026, 14:05. */
export const moment = (text: unknown): string => (text ? instant.format(new Date(String(text))) : '')

/** Today where the reader is, as the API takes dates. */
export function today(): string {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
