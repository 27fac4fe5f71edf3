// Reads a document and what belongs to it.
import { useQuery } from '@tanstack/react-query'
import { call, people, type Query } from '../api/call.ts'
import { useSession } from '../app/session.tsx'
import { KINDS, textOf, type Document, type Kind } from './kinds.ts'

export const pathOf = ({ path }: Kind, id: string) => `${path}/${encodeURIComponent(id)}`

export const useDocument = (kind: Kind, id: string) =>
  useQuery({
    queryKey: ['document', kind.type, id],
    queryFn: async () => {
      const query: Query = kind.type === 'JOURNAL' ? { include_reversed: true } : {}
      return (await call<Record<string, Document>>('GET', pathOf(kind, id), { query }))[kind.oneKey]!
    },
  })

/** The rows of a list about a document, such as its comments. */
export const useRowsOf = <Row>(name: string, kind: Kind, id: string, path: string, query: Query, isAsked = true) =>
  useQuery({
    queryKey: ['document', kind.type, id, name],
    queryFn: async () => (await call<Record<string, Row[]>>('GET', path, { query }))[name]!,
    enabled: isAsked,
  })

export interface JournalLine {
  account_id: string
  account_name: string
  debit: number
  credit: number
  description: string | null
}

export interface Journal {
  journal_id: string
  journal_number: string
  date: string
  source_id: string | null
  memo: string | null
  lines: JournalLine[]
  reversal_of: string | null
  reversed_by: string | null
}

const MOST = 200

/** The journals of a document: those of its kind and contact from its date on, of which it is the source. */
export const useJournals = (kind: Kind, document: Document, id: string) =>
  useQuery({
    queryKey: ['document', kind.type, id, 'journals'],
    queryFn: async () => {
      const contact = textOf(document, 'customer_id') || textOf(document, 'vendor_id') || textOf(document, 'contact_id')
      const query: Query = {
        source: kind.type,
        contact_id: contact,
        include_reversed: true,
        per_page: MOST,
        sort: 'created_time',
        date_from: textOf(document, 'date').slice(0, 10),
      }
      const { journals } = await call<{ journals: Journal[] }>('GET', '/journals', { query })
      return journals.filter(({ source_id }) => source_id === id)
    },
    enabled: kind.posts === true,
  })

export interface OpenDocument {
  id: string
  number: string
  balance: number
}

/** What a contact owes or is owed: the newest invoices or bills with a balance. */
export const useOpenDocuments = (type: 'INVOICE' | 'BILL', contact: string) =>
  useQuery({
    queryKey: ['open', type, contact],
    queryFn: async (): Promise<OpenDocument[]> => {
      const { path, listKey, id, number, party } = KINDS[type]
      const statuses =
        type === 'INVOICE' ? ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] : ['OPEN', 'PARTIALLY_PAID', 'OVERDUE']
      const lists = await Promise.all(
        statuses.map((status) =>
          call<Record<string, Document[]>>('GET', path, { query: { [`${party}_id`]: contact, status, per_page: 100 } }),
        ),
      )
      const found = lists.flatMap((list) => list[listKey]!)
      return found.map((row) => ({ id: textOf(row, id), number: textOf(row, number), balance: Number(row['balance']) }))
    },
  })

/** The names of members by their ids, for owners: others may not ask who the members are. */
export function useMemberNames(): Map<string, string> {
  const isOwner = useSession().organization.role === 'OWNER'
  const { data } = useQuery({
    queryKey: ['member-names'],
    queryFn: () => people().get('/members'),
    enabled: isOwner,
    staleTime: 300_000,
  })
  return new Map(data?.members.map(({ user_id, name, email }) => [user_id, name || email || user_id]))
}
