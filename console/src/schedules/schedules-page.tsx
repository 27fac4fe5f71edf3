// The schedules that generate documents.
import type { Column } from '../parts/column.ts'
import { moment } from '../parts/dates.ts'
import { RecordList } from '../parts/record-list.tsx'
import { inWords, Status } from '../parts/status.tsx'
import { rhythmOf, type Schedule } from './schedule.ts'

const KINDS = ['INVOICE', 'BILL', 'EXPENSE', 'JOURNAL']

const ACTIVE = [
  { value: 'true', label: 'Active' },
  { value: 'false', label: 'Paused or completed' },
]

export function Page() {
  return (
    <RecordList<Schedule>
      title="Schedules"
      path="/recurring"
      paging="number"
      listKey="recurring"
      filters={[
        { is: 'choice', name: 'entity_type', label: 'Generates', choices: KINDS },
        { is: 'pick', name: 'is_active', label: 'State', choices: ACTIVE },
      ]}
      columns={COLUMNS}
      idOf={({ recurring_id }) => recurring_id}
      linkOf={({ recurring_id }) => `/schedules/${recurring_id}`}
      keep={(schedule) => ({ ...schedule, template_payload: null })}
      isFor="A schedule draws up an invoice, a bill, an expense or a journal each month, week or year. The API creates schedules."
    />
  )
}

const COLUMNS: Column<Schedule>[] = [
  { title: 'Name', of: ({ name }) => name, width: '1.6fr', narrow: 'title' },
  { title: 'Generates', of: ({ entity_type }) => inWords(entity_type), width: '100px' },
  { title: 'Rhythm', of: rhythmOf, width: '1fr' },
  { title: 'Next run', of: ({ next_run_at }) => moment(next_run_at), width: '158px', narrow: 'detail' },
  { title: 'Runs', of: ({ run_count }) => run_count, width: '60px', isAmount: true },
  { title: 'Latest failure', of: ({ last_error }) => last_error, width: '1.6fr' },
  {
    title: 'State',
    of: ({ status, last_error }) => <Status code={status === 'ACTIVE' && last_error ? 'FAILING' : status} />,
    width: '110px',
    narrow: 'state',
  },
]
