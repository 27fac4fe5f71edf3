// A schedule: what it generates and when, its history, and what can be done with it.
import { Alert, Anchor, Button, Code, Group, Menu, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { call } from '../api/call.ts'
import { useMayWrite } from '../app/session.tsx'
import { day, moment } from '../parts/dates.ts'
import { Fact } from '../parts/fact.tsx'
import '../parts/forms.css'
import { Icon } from '../parts/icon.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { Reading } from '../parts/reading.tsx'
import { inWords, Status } from '../parts/status.tsx'
import { Preview, Runs } from './runs.tsx'
import { ScheduleActionDialog, type ScheduleAction } from './schedule-actions.tsx'
import { documentLink, rhythmOf, schedulePath, type Schedule } from './schedule.ts'

export function Page() {
  const { id = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: ['schedule', id],
    queryFn: async () => (await call<{ recurring: Schedule }>('GET', schedulePath(id))).recurring,
  })
  useWindowTitle(data?.name ?? 'Schedule')
  return (
    <>
      <Anchor component={Link} to="/schedules" size="sm">
        Schedules
      </Anchor>
      {data ? <Shown schedule={data} /> : <Reading error={error} />}
    </>
  )
}

function Shown({ schedule }: { schedule: Schedule }) {
  const mayWrite = useMayWrite()
  const [action, setAction] = useState<ScheduleAction | null>(null)
  return (
    <Stack gap="md">
      <PageHead
        title={
          <Group gap="xs" component="span">
            {schedule.name}
            <Status code={schedule.status} />
          </Group>
        }
      >
        {mayWrite && <Actions schedule={schedule} onChoose={setAction} />}
      </PageHead>
      {schedule.last_error && (
        <Alert color="red" title="The latest run failed">
          {schedule.last_error}
        </Alert>
      )}
      <Facts schedule={schedule} />
      <Preview schedule={schedule} />
      <Runs schedule={schedule} />
      {schedule.template_payload && (
        <details className="card">
          <summary>What it generates</summary>
          <Code block className="wrapping" mt="xs">
            {JSON.stringify(schedule.template_payload, null, 2)}
          </Code>
        </details>
      )}
      {action && <ScheduleActionDialog action={action} schedule={schedule} onClose={() => setAction(null)} />}
    </Stack>
  )
}

function Facts({ schedule }: { schedule: Schedule }) {
  const { entity_type, template_entity_id, next_run_at, last_run_at, end_date, max_runs, run_count } = schedule
  const runs = max_runs === null ? String(run_count) : `${run_count} of at most ${max_runs}`
  return (
    <div className="card">
      <dl className="facts">
        <Fact label="Generates">
          {template_entity_id ? (
            <Anchor component={Link} to={documentLink(entity_type, template_entity_id)} size="sm">
              {inWords(entity_type)}, a copy
            </Anchor>
          ) : (
            inWords(entity_type)
          )}
        </Fact>
        <Fact label="Rhythm">{rhythmOf(schedule)}</Fact>
        <Fact label="Next run">{moment(next_run_at) || 'None'}</Fact>
        <Fact label="Last run">{moment(last_run_at) || 'None yet'}</Fact>
        <Fact label="From">{day(schedule.start_date)}</Fact>
        {end_date && <Fact label="Until">{day(end_date)}</Fact>}
        <Fact label="Generated">{runs}</Fact>
        <Fact label="Approves">{schedule.auto_approve ? 'At once' : 'Leaves drafts'}</Fact>
        {schedule.auto_charge && <Fact label="Payment link">With each invoice</Fact>}
      </dl>
    </div>
  )
}

function Actions({ schedule, onChoose }: { schedule: Schedule; onChoose: (action: ScheduleAction) => void }) {
  const { status } = schedule
  const others: [ScheduleAction, string][] = [
    ...(status === 'ACTIVE' ? [['run', 'Run now'] as [ScheduleAction, string]] : []),
    ['change', 'Change'],
    ['delete', 'Delete'],
  ]
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="down" />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map(([action, label]) => (
            <Menu.Item key={action} onClick={() => onChoose(action)} className={action === 'delete' ? 'dangerous' : ''}>
              <Text size="sm">{label}…</Text>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {status === 'ACTIVE' && <Button onClick={() => onChoose('pause')}>Pause</Button>}
      {status === 'PAUSED' && <Button onClick={() => onChoose('resume')}>Resume</Button>}
    </>
  )
}
