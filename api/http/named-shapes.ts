// The shapes that the OpenAPI documents name: each is one component, to which every route that has it refers.
import type { TSchema } from 'typebox'
import * as account from '../shapes/account.ts'
import * as activity from '../shapes/activity.ts'
import * as address from '../shapes/address.ts'
import * as attachment from '../shapes/attachment.ts'
import * as bill from '../shapes/bill.ts'
import * as branch from '../shapes/branch.ts'
import * as bulk from '../shapes/bulk.ts'
import * as comment from '../shapes/comment.ts'
import * as contact from '../shapes/contact.ts'
import * as conversion from '../shapes/conversion.ts'
import * as costCenter from '../shapes/cost-center.ts'
import * as creditNote from '../shapes/credit-note.ts'
import * as currency from '../shapes/currency.ts'
import * as debitNote from '../shapes/debit-note.ts'
import * as document from '../shapes/document.ts'
import * as eInvoice from '../shapes/e-invoice.ts'
import * as email from '../shapes/email.ts'
import * as estimate from '../shapes/estimate.ts'
import * as eventFeed from '../shapes/event-feed.ts'
import * as expense from '../shapes/expense.ts'
import * as invoice from '../shapes/invoice.ts'
import * as item from '../shapes/item.ts'
import * as journal from '../shapes/journal.ts'
import * as lineItem from '../shapes/line-item.ts'
import * as member from '../shapes/member.ts'
import * as organization from '../shapes/organization.ts'
import * as oauth from '../shapes/oauth.ts'
import * as passwordReset from '../shapes/password-reset.ts'
import * as payment from '../shapes/payment.ts'
import * as preferences from '../shapes/preferences.ts'
import * as purchaseOrder from '../shapes/purchase-order.ts'
import * as recurring from '../shapes/recurring.ts'
import * as report from '../shapes/report.ts'
import * as salesOrder from '../shapes/sales-order.ts'
import * as series from '../shapes/series.ts'
import * as session from '../shapes/session.ts'
import * as tax from '../shapes/tax.ts'
import * as token from '../shapes/token.ts'
import * as warning from '../shapes/warning.ts'
import * as webhook from '../shapes/webhook.ts'
import { NumberedPages } from './numbered-page.ts'
import { PageContext } from './page.ts'

const FILES = [
  account,
  activity,
  address,
  attachment,
  bill,
  branch,
  bulk,
  comment,
  contact,
  conversion,
  costCenter,
  creditNote,
  currency,
  debitNote,
  document,
  eInvoice,
  email,
  estimate,
  eventFeed,
  expense,
  invoice,
  item,
  journal,
  lineItem,
  member,
  organization,
  oauth,
  passwordReset,
  payment,
  preferences,
  purchaseOrder,
  recurring,
  report,
  salesOrder,
  series,
  session,
  tax,
  token,
  warning,
  webhook,
]

// Where the name of a shape says too little, or too much, in a document that has all of them.
const OTHER_NAMES: Record<string, string> = {
  EmailShape: 'Email',
  Gap: 'SeriesGap',
  NewLineItems: 'NewLines',
  PreferenceChangesBody: 'PreferenceChanges',
  PreferencesAnswer: 'Preferences',
  Run: 'ScheduleRun',
  SentRate: 'NewExchangeRate',
}

const isShape = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && ('properties' in value || 'items' in value)

/** Every exported object or list of the shapes, by its name in the documents. Throws an Error where two have one name. */
const NAMED_SHAPES: ReadonlyMap<string, TSchema> = named([
  ...FILES.flatMap((file) => Object.entries(file as Record<string, unknown>)),
  ['NumberedPages', NumberedPages],
  ['PageContext', PageContext],
])

function named(exported: [name: string, value: unknown][]): Map<string, TSchema> {
  const found = new Map<string, TSchema>()
  for (const [exportedName, value] of exported) {
    if (!isShape(value)) continue
    const name = OTHER_NAMES[exportedName] ?? exportedName
    if (found.has(name)) throw new Error(`two shapes are named ${name}`)
    found.set(name, value)
  }
  return found
}

/** A document that refers to the named shapes in place of repeating them, and those that it refers to. */
export function withReferences(document: object): { document: object; shapes: Record<string, unknown> } {
  const names = new Map([...NAMED_SHAPES].map(([name, shape]) => [shape as object, name]))
  const used = new Map<string, unknown>()
  const referred = (value: unknown, itself?: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const name = names.get(value)
    if (name === undefined || value === itself) return copied(value)
    if (!used.has(name)) {
      used.set(name, null)
      used.set(name, referred(value, value))
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const copied = (value: object): unknown =>
    Array.isArray(value)
      ? value.map((part) => referred(part))
      : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, referred(part)]))
  const referring = referred(document) as object
  return { document: referring, shapes: Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))) }
}
