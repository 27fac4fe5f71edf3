// A list of the API: its filters in the address, its pages fetched as they are scrolled to, and only the rows that are seen.
import { Alert, Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { call, callOfPeople, type Query } from '../api/call.ts'
import { reasonOf } from '../api/fault.ts'
import type { Column } from './column.ts'
import { ShowAsCurl } from './curl.tsx'
import { EmptyList } from './empty-list.tsx'
import { Filters, type Filter } from './filters.tsx'
import { PageHead, useWindowTitle } from './page-head.tsx'
import { RecordRows } from './record-rows.tsx'

export interface RecordListProps<Row> {
  title: string
  /** What stands below the title. */
  detail?: ReactNode
  path: string
  /** It is a call of people, below /internal/v1. */
  isOfPeople?: boolean
  /** How the API divides it into pages: by a cursor unless it says so. */
  paging?: 'cursor' | 'number' | 'none'
  /** The key of the rows in the answer. */
  listKey: string
  filters: Filter[]
  /** The first one is the link to the record. */
  columns: Column<Row>[]
  idOf(row: Row): string
  /** The address of a row's own page; null where it has none. */
  linkOf(row: Row): string | null
  /** What the list keeps of a row: a long list must fit into memory. All of it unless it says so. */
  keep?(row: Row): Row
  /** What an empty list says that these records are. */
  isFor: string
  actions?: ReactNode
}

interface Context {
  next_cursor?: string | null
  page?: number
  has_more_page?: boolean
}

interface Page<Row> {
  rows: Row[]
  next: string | null
}

const PER_PAGE = 100

export function RecordList<Row>({
  title,
  detail,
  path,
  isOfPeople = false,
  paging = 'cursor',
  listKey,
  filters,
  columns,
  idOf,
  linkOf,
  keep = (row) => row,
  isFor,
  actions,
}: RecordListProps<Row>) {
  useWindowTitle(title)
  const [search, setSearch] = useSearchParams()
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const query = askedOf(filters, search)
  const pages = useInfiniteQuery({
    queryKey: ['list', path, query],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<Page<Row>> => {
      const asked = { ...query, ...placeOf(paging, pageParam) }
      const ask = isOfPeople ? callOfPeople : call
      const answer = await ask<Record<string, unknown>>('GET', path, { query: asked, signal })
      return { rows: (answer[listKey] as Row[]).map(keep), next: nextOf(answer['page_context'] as Context) }
    },
    // Comparing each row with what was read before would make a long list slower with every page.
    structuralSharing: false,
    getNextPageParam: ({ next }) => next ?? undefined,
    // A list that was scrolled far is not fetched anew as a whole when the window gets the focus back.
    refetchOnWindowFocus: (asked) => (asked.state.data?.pages.length ?? 0) < 3,
  })
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.rows) ?? [], [pages.data])
  const isFiltered = Object.keys(query).length > 0
  return (
    <>
      <PageHead title={title} detail={detail}>
        <ShowAsCurl path={path} query={query} isOfPeople={isOfPeople} />
        {!pages.error && actions}
      </PageHead>
      {(filters.length > 0 || paging === 'cursor') && (
        <Filters
          filters={filters}
          hasOrder={paging === 'cursor'}
          search={search}
          onChange={(changed) => setSearch(changed, { replace: true })}
        />
      )}
      {pages.error && (
        <Alert color="red" title="The list could not be read" my="sm" role="alert">
          <Text size="sm">{reasonOf(pages.error)}</Text>
          <Button variant="default" mt="xs" onClick={() => void pages.refetch()}>
            Try again
          </Button>
        </Alert>
      )}
      {pages.isSuccess && rows.length === 0 ? (
        <EmptyList
          title={title}
          isFiltered={isFiltered}
          isFor={isFor}
          onClear={() => setSearch({}, { replace: true })}
        />
      ) : pages.error && rows.length === 0 ? null : (
        <RecordRows
          key={String(isNarrow)}
          isNarrow={isNarrow}
          label={title}
          rows={rows}
          columns={columns}
          idOf={idOf}
          linkOf={linkOf}
          isLoading={pages.isPending || pages.isFetchingNextPage}
          hasMore={pages.hasNextPage}
          onEnd={() => void (pages.hasNextPage && !pages.isFetching && !pages.error && pages.fetchNextPage())}
        />
      )}
      <Group justify="space-between" mt="xs" c="dimmed" fz="sm" role="status">
        <span>{pages.isSuccess ? counted(rows.length, pages.hasNextPage) : ''}</span>
      </Group>
    </>
  )
}

const placeOf = (paging: 'cursor' | 'number' | 'none', at: string | undefined): Query =>
  paging === 'none' ? {} : { per_page: PER_PAGE, [paging === 'cursor' ? 'cursor' : 'page']: at }

function nextOf({ next_cursor, page, has_more_page }: Context = {}): string | null {
  if (next_cursor !== undefined) return next_cursor
  return page !== undefined && has_more_page === true ? String(page + 1) : null
}

const counted = (count: number, hasMore: boolean) =>
  count === 0
    ? ''
    : `${count.toLocaleString('en-IN')} ${hasMore ? 'read so far; scroll for more' : count === 1 ? 'record' : 'records'}`

/** What the address asks of the API. */
function askedOf(filters: Filter[], search: URLSearchParams): Query {
  const names = [
    ...filters.flatMap((filter) => (filter.is === 'dates' ? ['date_from', 'date_to'] : [filter.name])),
    'sort',
  ]
  return Object.fromEntries(names.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : [])))
}
