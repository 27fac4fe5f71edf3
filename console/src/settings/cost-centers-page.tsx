// The cost centers, which documents can have as tags.
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { useMayWrite } from '../app/session.tsx'
import type { Column } from '../parts/column.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'

interface CostCenter {
  cost_center_id: string
  code: string
  name: string
}

type Asked = { is: 'new' } | { is: 'change' | 'close'; center: CostCenter }

export function Page() {
  const mayWrite = useMayWrite()
  const [asked, setAsked] = useState<Asked | null>(null)
  const onClose = () => setAsked(null)
  return (
    <>
      <RecordList<CostCenter>
        title="Cost centers"
        path="/cost_centers"
        paging="none"
        listKey="cost_centers"
        filters={[]}
        columns={mayWrite ? [...COLUMNS, actions(setAsked)] : COLUMNS}
        idOf={({ cost_center_id }) => cost_center_id}
        linkOf={() => null}
        isFor="A cost center is a tag of documents, such as a department or a project."
        actions={
          mayWrite && (
            <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ is: 'new' })}>
              New cost center
            </Button>
          )
        }
      />
      {asked?.is === 'new' && <CostCenterDialog onClose={onClose} />}
      {asked?.is === 'change' && <CostCenterDialog center={asked.center} onClose={onClose} />}
      {asked?.is === 'close' && (
        <Dialog
          title={`Close ${asked.center.name}`}
          text="New documents cannot take it. It stays in those that have it."
          does="Close the cost center"
          isDangerous
          send={(key) =>
            callOfPeople<{ message: string }>('POST', `/cost_centers/${asked.center.cost_center_id}/close`, { key })
          }
          onClose={onClose}
        />
      )}
    </>
  )
}

const COLUMNS: Column<CostCenter>[] = [
  { title: 'Name', of: ({ name }) => name, width: '2fr', narrow: 'title' },
  { title: 'Code', of: ({ code }) => code, width: '1fr', narrow: 'aside' },
]

const actions = (ask: (asked: Asked) => void): Column<CostCenter> => ({
  title: 'Actions',
  of: (center) => (
    <>
      <RowButton does="Change" to={center.name} onClick={() => ask({ is: 'change', center })} />{' '}
      <RowButton does="Close" to={center.name} isDangerous onClick={() => ask({ is: 'close', center })} />
    </>
  ),
  width: '150px',
  narrow: 'detail',
})

function CostCenterDialog({ center, onClose }: { center?: CostCenter; onClose: () => void }) {
  const [form, setForm] = useState({ code: center?.code ?? '', name: center?.name ?? '' })
  const send = (key: string) =>
    center
      ? callOfPeople<{ message: string }>('PUT', `/cost_centers/${center.cost_center_id}`, { body: form })
      : callOfPeople<{ message: string }>('POST', '/cost_centers', { key, body: form })
  return (
    <Dialog
      title={center ? `Change ${center.name}` : 'New cost center'}
      text="Documents and their lines can have it as a tag, and lists are filtered by it."
      does={center ? 'Save' : 'Open the cost center'}
      send={send}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <TextInput {...field('code', 'Code')} required maxLength={50} data-autofocus />
            <TextInput {...field('name', 'Name')} required maxLength={200} />
          </>
        )
      }}
    </Dialog>
  )
}
