// The list of the documents of one kind: that of the address.
import { Button } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { useMayWrite } from '../app/session.tsx'
import { columnsOf, filtersOf, keptOf } from '../documents/columns.tsx'
import { kindAt, textOf } from '../documents/kinds.ts'
import { Icon } from '../parts/icon.tsx'
import { RecordList } from '../parts/record-list.tsx'

export function Page() {
  const kind = kindAt(useLocation().pathname)
  const mayWrite = useMayWrite()
  const { id, path, title, listKey, isFor, type } = kind
  return (
    <RecordList
      key={path}
      title={title}
      path={path}
      listKey={listKey}
      filters={filtersOf(kind)}
      columns={columnsOf(kind)}
      idOf={(row) => textOf(row, id)}
      linkOf={(row) => `${path}/${textOf(row, id)}`}
      keep={(row) => keptOf(row, kind)}
      isFor={isFor}
      actions={
        type === 'INVOICE' &&
        mayWrite && (
          <Button component={Link} to="/new/invoice" leftSection={<Icon name="plus" />}>
            New invoice
          </Button>
        )
      }
    />
  )
}
