// A list of the API: its filters in the address, its pages fetched as they are scrolled to, and only the rows that are seen.
import { Alert, Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { call, type Query } from '../api/call.ts'
import type { Column } from './column.ts'
import { ShowAsCurl } from './curl.tsx'
import { EmptyList } from './empty-list.tsx'
import { Filters, type Filter } from './filters.tsx'
import { PageHead, useWindowTitle } from './page-head.tsx'
import { RecordRows } from './record-rows.tsx'

export interface RecordListProps<Row> {
  title: string
  path: string
  /** The key of the rows in the answer. */
  listKey: string
  filters: Filter[]
  /** The first one is the link to the record. */
  columns: Column<Row>[]
  idOf(row: Row): string
  /** The address of a row's own page; null where it has none. */
  linkOf(row: Row): string | null
  /** What the list keeps of a row: a long list must fit into memory. */
  keep(row: Row): Row
  /** What an empty list says that these records are. */
  isFor: string
  actions?: ReactNode
}

interface Page<Row> {
  rows: Row[]
  next: string | null
}

const PER_PAGE = 100

export function RecordList<Row>({
  title,
  path,
  listKey,
  filters,
  columns,
  idOf,
  linkOf,
  keep,
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
      const answer = await call<Record<string, unknown>>('GET', path, {
        query: { ...query, per_page: PER_PAGE, cursor: pageParam },
        signal,
      })
      const { next_cursor } = answer['page_context'] as { next_cursor: string | null }
      return { rows: (answer[listKey] as Row[]).map(keep), next: next_cursor }
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
      <PageHead title={title}>
        <ShowAsCurl path={path} query={query} />
        {actions}
      </PageHead>
      <Filters filters={filters} search={search} onChange={(changed) => setSearch(changed, { replace: true })} />
      {pages.error && (
        <Alert color="red" title="The list could not be read" my="sm" role="alert">
          <Text size="sm">{pages.error.message}</Text>
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
      ) : (
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
