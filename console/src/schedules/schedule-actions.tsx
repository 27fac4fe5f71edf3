// What can be done with a schedule, each after a question.
import { SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import { documentLink, schedulePath, type Answered, type Run, type Schedule } from './schedule.ts'

export type ScheduleAction = 'pause' | 'resume' | 'run' | 'change' | 'delete'

interface Generated extends Answered {
  generated_entity_id: string
}

interface ActionProps {
  schedule: Schedule
  onClose(): void
}

export function ScheduleActionDialog({ action, schedule, onClose }: ActionProps & { action: ScheduleAction }) {
  const navigate = useNavigate()
  const path = schedulePath(schedule.recurring_id)
  switch (action) {
    case 'change':
      return <ChangeDialog schedule={schedule} onClose={onClose} />
    case 'pause':
      return (
        <Dialog
          title={`Pause ${schedule.name}`}
          text="Nothing is generated until it is resumed. What falls due meanwhile is skipped."
          does="Pause"
          send={(key) => call<Answered>('POST', `${path}/pause`, { key })}
          onClose={onClose}
        />
      )
    case 'resume':
      return (
        <Dialog
          title={`Resume ${schedule.name}`}
          text="It goes on with its next date from today. What fell due while it was paused is skipped."
          does="Resume"
          send={(key) => call<Answered>('POST', `${path}/resume`, { key })}
          onClose={onClose}
        />
      )
    case 'run':
      return (
        <Dialog
          title={`Run ${schedule.name} now`}
          text="Its next document is generated at once, dated today. It takes the place of the next occurrence."
          does="Run now"
          send={(key) => call<Generated>('POST', `${path}/run`, { key })}
          onDone={({ generated_entity_id }) => void navigate(documentLink(schedule.entity_type, generated_entity_id))}
          onClose={onClose}
        />
      )
    case 'delete':
      return (
        <Dialog
          title={`Delete ${schedule.name}`}
          text="It generates nothing any more. What it has generated stays. This cannot be undone."
          does="Delete"
          isDangerous
          send={() => call<{ message: string }>('DELETE', path)}
          onDone={() => void navigate('/schedules', { replace: true })}
          onClose={onClose}
        />
      )
  }
}

function ChangeDialog({ schedule, onClose }: ActionProps) {
  const [form, setForm] = useState({
    name: schedule.name,
    end_date: schedule.end_date?.slice(0, 10) ?? '',
    max_runs: schedule.max_runs === null ? '' : String(schedule.max_runs),
  })
  const body = {
    name: form.name,
    end_date: form.end_date || null,
    max_runs: form.max_runs === '' ? null : Number(form.max_runs),
  }
  return (
    <Dialog
      title="Change the schedule"
      text="It holds from the next occurrence on. What it generates is changed by the API."
      does="Save"
      send={() => call<Answered>('PUT', schedulePath(schedule.recurring_id), { body })}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <TextInput {...field('name', 'Name')} required maxLength={200} data-autofocus />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput {...field('end_date', 'Last day')} type="date" description="Empty: without an end." />
              <TextInput
                {...field('max_runs', 'Most documents')}
                inputMode="numeric"
                description="Empty: as many as fall due."
              />
            </SimpleGrid>
          </>
        )
      }}
    </Dialog>
  )
}

export function RetryDialog({ schedule, run, onClose }: ActionProps & { run: Run }) {
  const path = `${schedulePath(schedule.recurring_id)}/runs/${encodeURIComponent(run.run_id)}/retry`
  return (
    <Dialog
      title={`Repeat run ${run.occurrence}`}
      text="Its document is generated for its own occurrence and date. Mend what it failed for before."
      does="Repeat"
      send={(key) => call<Generated>('POST', path, { key })}
      onClose={onClose}
    />
  )
}
