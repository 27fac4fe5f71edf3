// The branches of the organisation.
import { Button, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { useSession } from '../app/session.tsx'
import { BranchDialog } from './branch-dialog.tsx'
import type { Branch } from './branch.ts'
import type { Column } from '../parts/column.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf, filled } from '../parts/fields.ts'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'
import { RowButton } from '../parts/row-button.tsx'
import { Status } from '../parts/status.tsx'

type Asked = { is: 'new' } | { is: 'change' | 'close'; branch: Branch }

export function Page() {
  const isOwner = useSession().organization.role === 'OWNER'
  const [asked, setAsked] = useState<Asked | null>(null)
  const onClose = () => setAsked(null)
  return (
    <>
      <RecordList<Branch>
        title="Branches"
        path="/branches"
        paging="none"
        listKey="branches"
        filters={[
          {
            is: 'pick',
            name: 'active_only',
            label: 'Closed ones',
            choices: [{ value: 'false', label: 'Shown too' }],
          },
        ]}
        columns={isOwner ? [...COLUMNS, actions(setAsked)] : COLUMNS}
        idOf={({ branch_id }) => branch_id}
        linkOf={() => null}
        isFor="A branch has its own state, GSTIN and numbers."
        actions={
          isOwner && (
            <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ is: 'new' })}>
              New branch
            </Button>
          )
        }
      />
      {asked?.is === 'new' && <NewBranchDialog onClose={onClose} />}
      {asked?.is === 'change' && <BranchDialog branch={asked.branch} onClose={onClose} />}
      {asked?.is === 'close' && (
        <Dialog
          title={`Close ${asked.branch.name}`}
          text="It takes no new documents. Its drafts and everything else that it has go on."
          does="Close the branch"
          isDangerous
          send={(key) =>
            callOfPeople<{ message: string }>('POST', `/branches/${asked.branch.branch_id}/close`, { key })
          }
          onClose={onClose}
        />
      )}
    </>
  )
}

const COLUMNS: Column<Branch>[] = [
  { title: 'Name', of: ({ name }) => name, width: '1.6fr', narrow: 'title' },
  { title: 'Code', of: ({ code }) => code, width: '80px', narrow: 'aside' },
  { title: 'GSTIN', of: ({ gstin }) => gstin, width: '160px' },
  { title: 'State', of: ({ state }) => state, width: '70px' },
  { title: 'City', of: ({ city }) => city, width: '1fr' },
  {
    title: 'Is',
    of: ({ is_default, is_active }) => <Status code={!is_active ? 'CLOSED' : is_default ? 'DEFAULT' : 'OPEN'} />,
    width: '90px',
    narrow: 'state',
  },
]

const actions = (ask: (asked: Asked) => void): Column<Branch> => ({
  title: 'Actions',
  of: (branch) => (
    <>
      <RowButton does="Change" to={branch.name} onClick={() => ask({ is: 'change', branch })} />{' '}
      {branch.is_active && !branch.is_default && (
        <RowButton does="Close" to={branch.name} isDangerous onClick={() => ask({ is: 'close', branch })} />
      )}
    </>
  ),
  width: '150px',
  narrow: 'detail',
})

const EMPTY = { code: '', name: '', gstin: '', state: '', city: '', invoice_prefix: '', bill_prefix: '' }

function NewBranchDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(EMPTY)
  return (
    <Dialog
      title="New branch"
      text="Its state decides between CGST with SGST and IGST. Without prefixes its numbers are made of the code."
      does="Open the branch"
      send={(key) => callOfPeople<{ message: string }>('POST', '/branches', { key, body: filled(form) })}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput {...field('name', 'Name')} required data-autofocus />
              <TextInput {...field('code', 'Code')} required maxLength={10} placeholder="MYS" />
              <TextInput {...field('gstin', 'GSTIN')} maxLength={15} />
              <TextInput {...field('state', 'State')} placeholder="IN-KA" />
              <TextInput {...field('city', 'City')} />
              <TextInput {...field('invoice_prefix', 'Prefix of invoices')} />
              <TextInput {...field('bill_prefix', 'Prefix of bills')} />
            </SimpleGrid>
            <Text size="xs" c="dimmed">
              The state may be left out with a GSTIN. Code, state and prefixes cannot be changed later.
            </Text>
          </>
        )
      }}
    </Dialog>
  )
}
