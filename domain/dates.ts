// Parses, formats and computes calendar dates ('YYYY-MM-DD') and instants.

const DAY_MS = 86_400_000

// India has kept one offset, without summer time, for as long as GST and the Companies Act reach back.
const INDIA_OFFSET_MS = 330 * 60_000

// The range of dates that four-digit years can express.
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const CLOCK = String.raw`([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?`
const OFFSET = String.raw`(?:([Zz])|([+-])([01]\d|2[0-3]):?([0-5]\d))`
const DATE_TIME = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})[Tt ]${CLOCK}${OFFSET}?$`)

/** True for a date that exists in the calendar: '2028-02-29', not '2026-02-30'. */
export function isDate(text: string): boolean {
  const parts = DATE.exec(text)
  if (!parts) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0)
  return year >= 1 && day >= 1 && day <= days
}

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * The calendar date that a document's date means (decisions §1 and §10, Wire): a date alone is that date;
 * an instant is its calendar date in India; a time without an offset is Indian time. Null when the text is neither,
 * or the date does not exist.
 */
export function parseDocumentDate(text: string): string | null {
  if (isDate(text)) return text
  const ms = instantMs(text)
  return ms === null ? null : dateOfMs(ms + INDIA_OFFSET_MS)
}

/** True for a date with a time of day (with or without an offset), not for a date alone. */
export function isInstant(text: string): boolean {
  return instantMs(text) !== null
}

/**
 * An instant for `since` and `modified_since`, in UTC with milliseconds. A date alone is the first
 * millisecond of that day in India. Null when the text is neither.
 */
export function parseInstant(text: string): string | null {
  if (isDate(text)) return isoOfMs(Date.parse(`${text}T00:00:00.000Z`) - INDIA_OFFSET_MS)
  return isoOfMs(instantMs(text))
}

/**
 * An instant for `until`, whose bound is inclusive: as parseInstant, but a date alone is the last
 * millisecond of that day in India.
 */
export function endOfDate(text: string): string | null {
  if (isDate(text)) return isoOfMs(Date.parse(`${text}T23:59:59.999Z`) - INDIA_OFFSET_MS)
  return isoOfMs(instantMs(text))
}

/** The form of a calendar date in responses (decisions §1): midnight UTC. */
export function showDate(date: string): string {
  return `${date}T00:00:00.000Z`
}

/** The date `days` later (earlier when negative), within 0001-01-01 and 9999-12-31. */
export function addDays(date: string, days: number): string {
  const ms = dayMs(date) + days * DAY_MS
  return isoOf(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).slice(0, 10)
}

/** The first day of the date's month. */
export function monthStart(date: string): string {
  return `${date.slice(0, 8)}01`
}

/** The last day of the date's month. */
export function monthEnd(date: string): string {
  return [31, 30, 29, 28].map((day) => `${date.slice(0, 8)}${day}`).find(isDate)!
}

/** The number of days between two dates; negative when `to` is the earlier one. */
export function daysBetween(from: string, to: string): number {
  return Math.round((dayMs(to) - dayMs(from)) / DAY_MS)
}

/** The calendar date that an instant has in an IANA zone, such as 'Asia/Kolkata'. */
export function dateInZone(nowIso: string, zone: string): string {
  const ms = Date.parse(nowIso)
  if (Number.isNaN(ms)) throw new Error(`not an instant: ${nowIso}`)
  // Formatting is slow, and the date of a zone is the same for a whole second.
  const second = Math.floor(ms / 1000)
  const latest = latestDates.get(zone)
  if (latest?.second === second) return latest.date
  const date = formattedDate(ms, zone)
  latestDates.set(zone, { second, date })
  return date
}

const latestDates = new Map<string, { second: number; date: string }>()

function formattedDate(ms: number, zone: string): string {
  const parts = zoneFormat(zone).formatToParts(new Date(ms))
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** True for the name of a time zone in the IANA database; false for an offset such as '+05:30'. */
export function isZone(text: string): boolean {
  if (/^[+-]/.test(text)) return false
  try {
    zoneFormat(text)
    return true
  } catch {
    return false
  }
}

/**
 * The canonical name of a zone, from any of its names in any case: 'Asia/Kolkata' for 'asia/kolkata' and for
 * 'Asia/Calcutta'. Throws a RangeError for text that isZone refuses.
 */
export function zoneName(zone: string): string {
  const name = zoneFormat(zone).resolvedOptions().timeZone
  return RENAMED_ZONES[name] ?? name
}

// Intl returns the first name that a zone had; these zones have been renamed in the IANA database since.
const RENAMED_ZONES: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>()

function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zoneFormats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    zoneFormats.set(zone, format)
  }
  return format
}

function instantMs(text: string): number | null {
  const parts = DATE_TIME.exec(text)
  if (!parts) return null
  const [, date = '', hours, minutes, seconds = '00', fraction = '', zulu, sign, offsetHours, offsetMinutes] = parts
  if (!isDate(date)) return null
  const local = Date.parse(`${date}T${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  if (zulu) return local
  if (!sign) return local - INDIA_OFFSET_MS
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return sign === '-' ? local + offset : local - offset
}

function dateOfMs(ms: number): string | null {
  return isoOfMs(ms)?.slice(0, 10) ?? null
}

function isoOfMs(ms: number | null): string | null {
  return ms === null || ms < FIRST_MS || ms > LAST_MS ? null : isoOf(ms)
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}

function dayMs(date: string): number {
  if (!isDate(date)) throw new Error(`not a calendar date: ${date}`)
  return Date.parse(`${date}T00:00:00.000Z`)
}
