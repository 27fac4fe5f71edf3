// The columns and filters of the lists of documents.
import type { Filter } from '../parts/filters.tsx'
import { day } from '../parts/dates.ts'
import { amount } from '../parts/money.ts'
import type { Column } from '../parts/column.ts'
import { inWords, Status } from '../parts/status.tsx'
import { amountOf, partyOf, textOf, type Document, type Kind } from './kinds.ts'

type DocumentColumn = Column<Document>

const date: DocumentColumn = { title: 'Date', of: (row) => day(row['date']), width: '104px', narrow: 'aside' }
const reference: DocumentColumn = { title: 'Reference', of: (row) => textOf(row, 'reference_number'), width: '1.2fr' }
const total: DocumentColumn = {
  title: 'Total',
  of: (row) => inCurrency(row, 'total'),
  width: '122px',
  isAmount: true,
  narrow: 'amount',
}
const status: DocumentColumn = { title: 'Status', of: statusOf, width: '126px', narrow: 'state' }

function statusOf(row: Document) {
  // What is overdue shows at once; the night gives it its status.
  return <Status code={row['is_overdue'] === true ? 'OVERDUE' : textOf(row, 'status')} />
}

// A foreign currency is named, that of the books is not.
function inCurrency(row: Document, field: string): string {
  const currency = textOf(row, 'currency_code')
  return currency === 'INR' || currency === ''
    ? amount(amountOf(row, field))
    : `${currency} ${amount(amountOf(row, field))}`
}

const plainAmount = (title: string, field: string): DocumentColumn => ({
  title,
  of: (row) => inCurrency(row, field),
  width: '122px',
  isAmount: true,
})

const due: DocumentColumn = { title: 'Due', of: (row) => day(row['due_date']), width: '104px' }
const notes: DocumentColumn = { title: 'Notes', of: (row) => textOf(row, 'notes'), width: '2fr' }
const mode: DocumentColumn = { title: 'Mode', of: (row) => inWords(textOf(row, 'mode')), width: '120px' }
const flow: DocumentColumn = {
  title: 'Direction',
  of: (row) => <Status code={textOf(row, 'flow')} />,
  width: '110px',
  narrow: 'state',
}
const source: DocumentColumn = {
  title: 'Source',
  of: (row) => inWords(textOf(row, 'source')),
  width: '130px',
  narrow: 'state',
}
const memo: DocumentColumn = { title: 'Memo', of: (row) => textOf(row, 'memo'), width: '3fr', narrow: 'detail' }
const paid: DocumentColumn = { ...total, title: 'Amount', of: (row) => inCurrency(row, 'amount') }
const posted: DocumentColumn = { ...total, title: 'Amount' }

const PARTIES = { customer: 'Customer', vendor: 'Vendor', contact: 'Contact' } as const

export function columnsOf(kind: Kind): DocumentColumn[] {
  const number: DocumentColumn = {
    title: 'Number',
    of: (row) => textOf(row, kind.number),
    width: '148px',
    narrow: 'title',
  }
  const party: DocumentColumn = {
    title: PARTIES[kind.party ?? 'contact'],
    of: (row) => partyOf(row, kind),
    width: '2fr',
    narrow: 'detail',
  }
  switch (kind.type) {
    case 'INVOICE':
    case 'BILL':
      return [number, date, party, reference, due, status, plainAmount('Balance', 'balance'), total]
    case 'CREDIT_NOTE':
    case 'DEBIT_NOTE':
      return [number, date, party, reference, status, plainAmount('Left', 'balance_amount'), total]
    case 'PAYMENT':
      return [number, date, party, reference, mode, flow, plainAmount('Unapplied', 'unapplied_amount'), paid]
    case 'JOURNAL':
      return [number, date, source, memo, posted]
    case 'EXPENSE':
      return [number, date, party, reference, notes, total]
    default:
      return [number, date, party, reference, status, total]
  }
}

const KEPT = [
  'date',
  'due_date',
  'reference_number',
  'status',
  'is_overdue',
  'currency_code',
  'balance',
  'balance_amount',
  'total',
  'amount',
  'unapplied_amount',
  'mode',
  'flow',
  'source',
  'memo',
  'notes',
  'customer_name',
  'vendor_name',
  'contact_name',
]

/** What the list keeps of a document: without its lines. A journal comes to the sum of its debits. */
export function keptOf(row: Document, { id, number, type }: Kind): Document {
  const kept = Object.fromEntries(
    [id, number, ...KEPT].flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])),
  )
  if (type !== 'JOURNAL') return kept
  const lines = (row['lines'] ?? []) as { debit: number }[]
  return { ...kept, total: lines.reduce((sum, { debit }) => sum + Math.round(debit * 100), 0) / 100 }
}

const SOURCES = ['MANUAL', 'INVOICE', 'BILL', 'PAYMENT', 'CREDIT_NOTE', 'DEBIT_NOTE', 'EXPENSE']

const OWN: Record<string, Filter> = {
  overdue: { is: 'flag', name: 'overdue', label: 'Overdue' },
  invoice_number: { is: 'text', name: 'invoice_number', label: 'Number' },
  bill_number: { is: 'text', name: 'bill_number', label: 'Number' },
  reference_number: { is: 'text', name: 'reference_number', label: 'Reference' },
  type: { is: 'choice', name: 'type', label: 'Given to', choices: ['customer', 'vendor'] },
  flow: { is: 'choice', name: 'flow', label: 'Direction', choices: ['INCOMING', 'OUTGOING'] },
  source: { is: 'choice', name: 'source', label: 'Source', choices: SOURCES },
  account_id: { is: 'account', name: 'account_id', label: 'Account' },
}

export function filtersOf({ statuses, party, filters, type }: Kind): Filter[] {
  return [
    ...(statuses ? [{ is: 'choice', name: 'status', label: 'Status', choices: statuses } as const] : []),
    {
      is: 'contact',
      name: type === 'JOURNAL' ? 'contact_id' : `${party}_id`,
      label: party === 'vendor' ? 'Vendor' : party === 'customer' ? 'Customer' : 'Contact',
    },
    { is: 'dates' },
    ...filters.map((name) => OWN[name]!),
    { is: 'tag', name: 'tag', label: 'Cost center' },
  ]
}
