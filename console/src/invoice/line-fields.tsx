// The lines of an invoice that is being drawn up.
import { ActionIcon, Button, NativeSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Icon } from '../parts/icon.tsx'
import { newLine, type LineForm } from './form.ts'

interface LineFieldsProps {
  lines: LineForm[]
  errors: Record<string, string>
  onChange(lines: LineForm[]): void
}

export function LineFields({ lines, errors, onChange }: LineFieldsProps) {
  const change = (id: number, changed: Partial<LineForm>) =>
    onChange(lines.map((line) => (line.id === id ? { ...line, ...changed } : line)))
  return (
    <fieldset className="card lines">
      <legend>Lines</legend>
      {lines.map((line, place) => (
        <LineRow
          key={line.id}
          place={place}
          line={line}
          errors={errors}
          onChange={(changed) => change(line.id, changed)}
          onRemove={lines.length > 1 ? () => onChange(lines.filter(({ id }) => id !== line.id)) : undefined}
        />
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" />}
        onClick={() => onChange([...lines, newLine()])}
      >
        Add a line
      </Button>
    </fieldset>
  )
}

interface LineRowProps {
  place: number
  line: LineForm
  errors: Record<string, string>
  onChange(changed: Partial<LineForm>): void
  onRemove: (() => void) | undefined
}

function LineRow({ place, line, errors, onChange, onRemove }: LineRowProps) {
  const taxes = useTaxes()
  const text = (name: 'name' | 'hsn_or_sac' | 'quantity' | 'rate' | 'discount', label: string) => ({
    label,
    'aria-label': `${label} of line ${place + 1}`,
    size: 'xs' as const,
    value: line[name],
    error: errors[`line_items.${place}.${name}`],
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  })
  const isItem = line.item_id !== ''
  return (
    <div className="line-row">
      <ItemPicker place={place} line={line} error={errors[`line_items.${place}.item_id`]} onChange={onChange} />
      {!isItem && <TextInput {...text('name', 'Name')} />}
      {!isItem && <TextInput {...text('hsn_or_sac', 'HSN/SAC')} />}
      <TextInput {...text('quantity', 'Quantity')} inputMode="decimal" />
      <TextInput {...text('rate', 'Rate')} inputMode="decimal" placeholder={isItem ? "the item's" : ''} />
      <TextInput {...text('discount', 'Discount')} inputMode="decimal" placeholder="0.00" />
      <NativeSelect
        label="Tax"
        aria-label={`Tax of line ${place + 1}`}
        size="xs"
        value={line.tax_id}
        error={errors[`line_items.${place}.tax_id`]}
        onChange={({ currentTarget }) => onChange({ tax_id: currentTarget.value })}
        data={[{ value: '', label: isItem ? "The item's" : 'None' }, ...taxes]}
      />
      <ActionIcon aria-label={`Remove line ${place + 1}`} disabled={!onRemove} onClick={onRemove}>
        <Icon name="close" />
      </ActionIcon>
    </div>
  )
}

interface Tax {
  tax_id: string
  name: string
  shape: string
}

// Where the supply goes decides how a rate is charged, so the list has each rate once.
function useTaxes(): { value: string; label: string }[] {
  const { data = [] } = useQuery({
    queryKey: ['taxes'],
    queryFn: async () =>
      (await call<{ taxes: Tax[] }>('GET', '/taxes', { query: { per_page: 200, sort: 'created_time' } })).taxes,
    staleTime: 300_000,
  })
  return data.filter(({ shape }) => shape !== 'INTER_STATE').map(({ tax_id, name }) => ({ value: tax_id, label: name }))
}

interface Item {
  item_id: string
  item_name: string
}

const TYPING_MS = 250
const FOUND = 20

function ItemPicker({
  place,
  line,
  error,
  onChange,
}: {
  place: number
  line: LineForm
  error: string | undefined
  onChange: (changed: Partial<LineForm>) => void
}) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text, TYPING_MS)
  const [chosen, setChosen] = useState<Item | null>(null)
  const { data = [], isFetching } = useQuery({
    queryKey: ['items', search === chosen?.item_name ? '' : search],
    queryFn: async ({ queryKey: [, asked] }) =>
      (await call<{ items: Item[] }>('GET', '/items', { query: { search: asked, status: 'ACTIVE', per_page: FOUND } }))
        .items,
    placeholderData: (last) => last,
    staleTime: 30_000,
  })
  const items = new Map([...(chosen ? [chosen] : []), ...data].map((one) => [one.item_id, one]))
  return (
    <Select
      label="Item"
      aria-label={`Item of line ${place + 1}`}
      size="xs"
      placeholder="None: a line of its own"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear' }}
      data={[...items.values()].map(({ item_id, item_name }) => ({ value: item_id, label: item_name }))}
      filter={({ options }) => options}
      value={line.item_id === '' ? null : line.item_id}
      onChange={(id) => {
        setChosen(items.get(id ?? '') ?? null)
        onChange({ item_id: id ?? '', ...(id && { name: '', hsn_or_sac: '' }) })
      }}
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={isFetching ? 'Searching…' : 'No item found'}
      error={error}
    />
  )
}
