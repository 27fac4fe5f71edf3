// The exchange rates of days, the newest first.
import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { useMayWrite } from '../app/session.tsx'
import type { Column } from '../parts/column.ts'
import { day, today } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import { Icon } from '../parts/icon.tsx'
import { quantity } from '../parts/money.ts'
import { RecordList } from '../parts/record-list.tsx'

interface Rate {
  exchange_rate_id: string
  from_currency: string
  to_currency: string
  rate: number
  rate_date: string
  source: string
}

export function Page() {
  const mayWrite = useMayWrite()
  const [isNew, setNew] = useState(false)
  return (
    <>
      <RecordList<Rate>
        title="Exchange rates"
        detail="The latest 200. A document takes the rate of its date."
        path="/exchange_rates"
        paging="none"
        listKey="exchange_rates"
        filters={[
          { is: 'text', name: 'from_currency', label: 'From currency' },
          { is: 'text', name: 'to_currency', label: 'To currency' },
        ]}
        columns={COLUMNS}
        idOf={({ exchange_rate_id }) => exchange_rate_id}
        linkOf={() => null}
        isFor="Documents in another currency than that of the books need a rate."
        actions={
          mayWrite && (
            <Button leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
              Record a rate
            </Button>
          )
        }
      />
      {isNew && <RateDialog onClose={() => setNew(false)} />}
    </>
  )
}

const COLUMNS: Column<Rate>[] = [
  {
    title: 'Currencies',
    of: ({ from_currency, to_currency }) => `1 ${from_currency} in ${to_currency}`,
    width: '1.4fr',
    narrow: 'title',
  },
  { title: 'Date', of: ({ rate_date }) => day(rate_date), width: '1fr', narrow: 'detail' },
  { title: 'Source', of: ({ source }) => source, width: '1fr' },
  { title: 'Rate', of: ({ rate }) => quantity(rate), width: '120px', isAmount: true, narrow: 'amount' },
]

function RateDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ from_currency: 'USD', to_currency: 'INR', rate: '', rate_date: today() })
  const body = { ...form, rate: Number(form.rate) }
  return (
    <Dialog
      title="Record a rate"
      text="It takes the place of another rate of the pair on that day. Documents that exist keep theirs."
      does="Record"
      send={() => callOfPeople<{ message: string }>('PUT', '/exchange_rates', { body })}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput {...field('from_currency', 'From currency')} required maxLength={3} />
            <TextInput {...field('to_currency', 'To currency')} required maxLength={3} />
            <TextInput {...field('rate', 'Rate')} required inputMode="decimal" data-autofocus />
            <TextInput {...field('rate_date', 'Date')} required type="date" />
          </SimpleGrid>
        )
      }}
    </Dialog>
  )
}
