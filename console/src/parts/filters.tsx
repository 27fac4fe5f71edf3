// The filters of a list, as the API has them; they are kept in the address, so that a list can be sent to somebody.
import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'
import { AccountPicker, ContactPicker, TagPicker } from './pickers.tsx'
import { inWords } from './status.tsx'

export type Filter =
  | { is: 'choice'; name: string; label: string; choices: readonly string[] }
  | { is: 'pick'; name: string; label: string; choices: { value: string; label: string }[] }
  | { is: 'date'; name: string; label: string }
  | { is: 'text'; name: string; label: string }
  | { is: 'flag'; name: string; label: string }
  | { is: 'contact'; name: string; label: string }
  | { is: 'account'; name: string; label: string }
  | { is: 'tag'; name: string; label: string }
  /** date_from and date_to. */
  | { is: 'dates' }

interface FiltersProps {
  filters: Filter[]
  /** Whether the API can turn the order round. */
  hasOrder?: boolean
  search: URLSearchParams
  onChange(search: URLSearchParams): void
}

export function Filters({ filters, hasOrder = true, search, onChange }: FiltersProps) {
  const [isOpen, { toggle }] = useDisclosure()
  const set = (name: string, value: string) => {
    const changed = new URLSearchParams(search)
    if (value === '') changed.delete(name)
    else changed.set(name, value)
    onChange(changed)
  }
  const used = [...search.keys()].length
  return (
    <div data-filters>
      <Button
        hiddenFrom="sm"
        variant="default"
        fullWidth
        leftSection={<Icon name="filter" />}
        onClick={toggle}
        aria-expanded={isOpen}
      >
        Filters{used > 0 ? ` (${used})` : ''}
      </Button>
      <Group gap="xs" align="flex-end" className="filters" data-open={isOpen || undefined}>
        {filters.map((filter) => (
          <Field key={filter.is === 'dates' ? 'dates' : filter.name} filter={filter} search={search} set={set} />
        ))}
        {hasOrder && (
          <NativeSelect
            size="xs"
            label="Order"
            value={search.get('sort') ?? ''}
            onChange={({ currentTarget }) => set('sort', currentTarget.value)}
            data={[
              { value: '', label: 'Newest first' },
              { value: 'created_time', label: 'Oldest first' },
            ]}
          />
        )}
        {used > 0 && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => onChange(new URLSearchParams())}>
            Clear
          </Button>
        )}
      </Group>
    </div>
  )
}

function Field({
  filter,
  search,
  set,
}: {
  filter: Filter
  search: URLSearchParams
  set: (name: string, value: string) => void
}) {
  const { name, label } = filter.is === 'dates' ? { name: 'date_from', label: 'From' } : filter
  const value = search.get(name) ?? ''
  const change = (changed: string) => set(name, changed)
  switch (filter.is) {
    case 'dates':
      return (
        <>
          <DateField name={name} label={label} search={search} set={set} />
          <DateField name="date_to" label="To" search={search} set={set} />
        </>
      )
    case 'choice':
      return (
        <NativeSelect
          size="xs"
          label={label}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          data={[{ value: '', label: 'Any' }, ...filter.choices.map((code) => ({ value: code, label: inWords(code) }))]}
        />
      )
    case 'pick':
      return (
        <NativeSelect
          size="xs"
          label={label}
          maw={240}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          data={[{ value: '', label: 'Any' }, ...filter.choices]}
        />
      )
    case 'date':
      return <DateField name={name} label={label} search={search} set={set} />
    case 'flag':
      return (
        <Checkbox
          size="xs"
          label={label}
          checked={value === 'true'}
          onChange={({ currentTarget }) => change(currentTarget.checked ? 'true' : '')}
          pb={6}
        />
      )
    case 'text':
      return <TextField key={value} label={label} value={value} onChange={change} />
    case 'contact':
      return <ContactPicker label={label} value={value} onChange={change} />
    case 'account':
      return <AccountPicker label={label} value={value} onChange={change} />
    case 'tag':
      return <TagPicker label={label} value={value} onChange={change} />
  }
}

interface DateFieldProps {
  name: string
  label: string
  search: URLSearchParams
  set(name: string, value: string): void
}

const DateField = ({ name, label, search, set }: DateFieldProps) => (
  <TextInput
    size="xs"
    type="date"
    label={label}
    w={128}
    value={search.get(name) ?? ''}
    onChange={({ currentTarget }) => set(name, currentTarget.value)}
  />
)

// Asked when it is left or Enter is pressed: the API compares the whole text.
function TextField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const ask = () => void (text.trim() !== value && onChange(text.trim()))
  return (
    <TextInput
      size="xs"
      label={label}
      w={120}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={ask}
      onKeyDown={({ key }) => void (key === 'Enter' && ask())}
    />
  )
}
