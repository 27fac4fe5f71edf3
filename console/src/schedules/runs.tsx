// The history of a schedule, and the dates before it.
import { Anchor, Button, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { call } from '../api/call.ts'
import { useMayWrite } from '../app/session.tsx'
import { day, moment } from '../parts/dates.ts'
import { Reading } from '../parts/reading.tsx'
import { RowButton } from '../parts/row-button.tsx'
import { Status } from '../parts/status.tsx'
import { RetryDialog } from './schedule-actions.tsx'
import { documentLink, schedulePath, type Run, type Schedule } from './schedule.ts'

const PER_PAGE = 20

interface RunPage {
  runs: Run[]
  page_context: { page: number; has_more_page: boolean }
}

export function Runs({ schedule }: { schedule: Schedule }) {
  const id = schedule.recurring_id
  const [retried, setRetried] = useState<Run | null>(null)
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['schedule', id, 'runs'],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      call<RunPage>('GET', `${schedulePath(id)}/runs`, { query: { page: pageParam, per_page: PER_PAGE } }),
    getNextPageParam: ({ page_context: { page, has_more_page } }) => (has_more_page ? page + 1 : undefined),
  })
  if (!data) return <Reading error={error} />
  const runs = data.pages.flatMap((page) => page.runs)
  return (
    <section className="card scroll-x" aria-label="History" tabIndex={0}>
      <Text component="h2" className="caption">
        History
      </Text>
      {runs.length === 0 ? (
        <Text size="sm" c="dimmed">
          It has not run yet.
        </Text>
      ) : (
        <RunTable schedule={schedule} runs={runs} onRetry={setRetried} />
      )}
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Earlier runs
        </Button>
      )}
      {retried && <RetryDialog schedule={schedule} run={retried} onClose={() => setRetried(null)} />}
    </section>
  )
}

interface RunTableProps {
  schedule: Schedule
  runs: Run[]
  onRetry(run: Run): void
}

function RunTable({ schedule, runs, onRetry }: RunTableProps) {
  const repeated = new Set(runs.flatMap(({ retry_of }) => retry_of ?? []))
  return (
    <table className="figures">
      <thead>
        <tr>
          <th scope="col">No.</th>
          <th scope="col">Run</th>
          <th scope="col">Dated</th>
          <th scope="col">Result</th>
          <th scope="col">Document or reason</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.run_id}>
            <td>{run.occurrence}</td>
            <td>{moment(run.started_at)}</td>
            <td>{day(run.document_date)}</td>
            <td>
              <Status code={run.status} />
            </td>
            <td>
              <Outcome
                schedule={schedule}
                run={run}
                {...(!repeated.has(run.run_id) && { onRetry: () => onRetry(run) })}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Outcome({ schedule, run, onRetry }: { schedule: Schedule; run: Run; onRetry?: () => void }) {
  const mayWrite = useMayWrite()
  if (run.generated_entity_id)
    return (
      <Anchor component={Link} to={documentLink(schedule.entity_type, run.generated_entity_id)} size="sm">
        {run.generated_number ?? 'The document'}
      </Anchor>
    )
  return (
    <>
      <Text size="sm">
        {run.error}
        {run.error_field && ` (${run.error_field})`}
      </Text>
      {mayWrite && onRetry && run.status === 'FAILED' && (
        <RowButton does="Repeat" to={`run ${run.occurrence}`} onClick={onRetry} />
      )}
    </>
  )
}

interface Previewed {
  occurrence: number
  date: string
  run_at: string
}

export function Preview({ schedule }: { schedule: Schedule }) {
  const id = schedule.recurring_id
  const { data, error } = useQuery({
    queryKey: ['schedule', id, 'preview'],
    queryFn: async () => (await call<{ preview: Previewed[] }>('GET', `${schedulePath(id)}/preview`)).preview,
    enabled: schedule.status !== 'COMPLETED',
  })
  if (schedule.status === 'COMPLETED') return null
  if (!data) return <Reading error={error} />
  return (
    <section className="card" aria-label="Next dates">
      <Text component="h2" className="caption">
        {schedule.status === 'PAUSED' ? 'Next dates, if it is resumed now' : 'Next dates'}
      </Text>
      {data.length === 0 && (
        <Text size="sm" c="dimmed">
          It has no further dates.
        </Text>
      )}
      <ol className="next-dates">
        {data.map(({ occurrence, date, run_at }) => (
          <li key={occurrence} title={`Generated at ${moment(run_at)}`}>
            {day(date)}
          </li>
        ))}
      </ol>
    </section>
  )
}
