// The kinds of documents: where the API has each, and what the pages say of it.
import type { IconName } from '../parts/icon.tsx'

export interface Kind {
  /** As the API names it in activity, comments and deliveries. */
  type: KindName
  path: string
  /** The keys of a list and of one document in the API's answers. */
  listKey: string
  oneKey: string
  id: string
  number: string
  /** Whose name it carries; null where it has none. */
  party: 'customer' | 'vendor' | 'contact' | null
  title: string
  noun: string
  group: 'Sales' | 'Purchases' | 'Money'
  icon: IconName
  /** The last one is the end of most. Left out for kinds without states. */
  statuses?: readonly string[]
  /** The filters of its list beside dates, party and tag. */
  filters: readonly string[]
  isPrinted?: true
  isMailed?: true
  /** Whether journals have it as their source. */
  posts?: true
  /** What an empty list says of it. */
  isFor: string
}

export type KindName =
  | 'INVOICE'
  | 'ESTIMATE'
  | 'SALES_ORDER'
  | 'CREDIT_NOTE'
  | 'BILL'
  | 'PURCHASE_ORDER'
  | 'DEBIT_NOTE'
  | 'EXPENSE'
  | 'PAYMENT'
  | 'JOURNAL'

const NOTE_STATUSES = ['DRAFT', 'ISSUED', 'APPLIED', 'CANCELLED'] as const

const kind = (
  type: KindName,
  oneKey: string,
  rest: Omit<Kind, 'type' | 'path' | 'listKey' | 'oneKey' | 'id' | 'number' | 'noun'>,
): Kind => ({
  type,
  path: `/${oneKey}s`,
  listKey: `${oneKey}s`,
  oneKey,
  id: `${oneKey}_id`,
  number: `${oneKey}_number`,
  noun: oneKey.replace('_', ' '),
  ...rest,
})

export const KINDS: Record<KindName, Kind> = {
  INVOICE: kind('INVOICE', 'invoice', {
    party: 'customer',
    title: 'Invoices',
    group: 'Sales',
    icon: 'invoice',
    statuses: ['DRAFT', 'SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED', 'CREDIT_APPLIED'],
    filters: ['overdue', 'invoice_number', 'reference_number'],
    isPrinted: true,
    isMailed: true,
    posts: true,
    isFor: 'What customers owe. Approving an invoice posts it to the ledger.',
  }),
  ESTIMATE: kind('ESTIMATE', 'estimate', {
    party: 'customer',
    title: 'Estimates',
    group: 'Sales',
    icon: 'estimate',
    statuses: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CONVERTED', 'CANCELLED'],
    filters: ['reference_number'],
    isPrinted: true,
    isMailed: true,
    isFor: 'What is offered to customers. An accepted estimate becomes a sales order.',
  }),
  SALES_ORDER: kind('SALES_ORDER', 'sales_order', {
    party: 'customer',
    title: 'Sales orders',
    group: 'Sales',
    icon: 'order',
    statuses: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED', 'INVOICED', 'CLOSED', 'CANCELLED'],
    filters: ['reference_number'],
    isFor: 'What customers have ordered. Orders are converted to invoices, whole or in parts.',
  }),
  CREDIT_NOTE: kind('CREDIT_NOTE', 'credit_note', {
    party: 'customer',
    title: 'Credit notes',
    group: 'Sales',
    icon: 'note',
    statuses: NOTE_STATUSES,
    filters: ['type'],
    isPrinted: true,
    isMailed: true,
    posts: true,
    isFor: 'What is credited to customers, and what vendors have credited.',
  }),
  BILL: kind('BILL', 'bill', {
    party: 'vendor',
    title: 'Bills',
    group: 'Purchases',
    icon: 'bill',
    statuses: ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED'],
    filters: ['overdue', 'bill_number', 'reference_number'],
    isPrinted: true,
    posts: true,
    isFor: 'What is owed to vendors.',
  }),
  PURCHASE_ORDER: kind('PURCHASE_ORDER', 'purchase_order', {
    party: 'vendor',
    title: 'Purchase orders',
    group: 'Purchases',
    icon: 'order',
    statuses: ['DRAFT', 'OPEN', 'BILLED', 'CANCELLED'],
    filters: ['reference_number'],
    isPrinted: true,
    isFor: 'What is ordered from vendors. Orders are converted to bills, whole or in parts.',
  }),
  DEBIT_NOTE: kind('DEBIT_NOTE', 'debit_note', {
    party: 'vendor',
    title: 'Debit notes',
    group: 'Purchases',
    icon: 'note',
    statuses: NOTE_STATUSES,
    filters: [],
    isPrinted: true,
    posts: true,
    isFor: 'What is claimed back from vendors.',
  }),
  EXPENSE: kind('EXPENSE', 'expense', {
    party: 'vendor',
    title: 'Expenses',
    group: 'Purchases',
    icon: 'expense',
    filters: ['account_id'],
    posts: true,
    isFor: 'What was paid at once, without a bill.',
  }),
  PAYMENT: kind('PAYMENT', 'payment', {
    party: 'contact',
    title: 'Payments',
    group: 'Money',
    icon: 'payment',
    filters: ['flow'],
    isPrinted: true,
    posts: true,
    isFor: 'Money received and paid, and what it settles.',
  }),
  JOURNAL: kind('JOURNAL', 'journal', {
    party: null,
    title: 'Journals',
    group: 'Money',
    icon: 'journal',
    filters: ['source', 'account_id'],
    isFor: 'Every entry of the ledger, those of documents included.',
  }),
}

/** The kind whose pages are at this address, such as /invoices/01a1. */
export function kindAt(pathname: string): Kind {
  const found = Object.values(KINDS).find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))
  if (!found) throw new Error(`No document has its page at ${pathname}.`)
  return found
}

/** What the API answers of a document; the fields depend on its kind. */
export type Document = Record<string, unknown>

export const textOf = (document: Document, field: string): string => String(document[field] ?? '')
export const amountOf = (document: Document, field: string): number => Number(document[field] ?? 0)
export const partyOf = (document: Document, { party }: Kind): string => (party ? textOf(document, `${party}_name`) : '')

/** What is shown of a document beside what it says itself. */
export interface AboutDocument {
  kind: Kind
  document: Document
  id: string
}
