// Fields that choose a record of the books: a contact, an account, a cost center.
import { Loader, NativeSelect, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'

export interface PickerProps extends Pick<SelectProps, 'error' | 'required' | 'description'> {
  label: string
  value: string
  onChange(id: string): void
}

export interface Contact {
  contact_id: string
  contact_name: string
  contact_type: 'CUSTOMER' | 'VENDOR' | 'BOTH'
  place_of_contact: string | null
  email: string | null
  currency_code: string
}

export interface Account {
  account_id: string
  code: string
  name: string
  account_type: string
  current_balance: number
}

const FOUND = 20
const TYPING_MS = 250

export const useContact = (id: string) =>
  useQuery({
    queryKey: ['contact', id],
    queryFn: async () => (await call<{ contact: Contact }>('GET', `/contacts/${encodeURIComponent(id)}`)).contact,
    enabled: id !== '',
    staleTime: 60_000,
  })

/** Finds contacts by a part of their name. */
export function ContactPicker({ value, onChange, ...rest }: PickerProps) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text, TYPING_MS)
  const chosen = useContact(value)
  const search = asked === chosen.data?.contact_name ? '' : asked
  const found = useQuery({
    queryKey: ['contacts', search],
    queryFn: async ({ signal }) =>
      (
        await call<{ contacts: Contact[] }>('GET', '/contacts', {
          query: { search, status: 'ACTIVE', per_page: FOUND },
          signal,
        })
      ).contacts,
    staleTime: 30_000,
    placeholderData: (last) => last,
  })
  const contacts = new Map(
    [...(chosen.data && value ? [chosen.data] : []), ...(found.data ?? [])].map((one) => [one.contact_id, one]),
  )
  return (
    <Select
      {...rest}
      searchable
      clearable
      w={rest.required ? undefined : 180}
      size={rest.required ? 'sm' : 'xs'}
      placeholder={rest.required ? 'Find by name' : 'Any'}
      data={[...contacts.values()].map((one) => ({ value: one.contact_id, label: one.contact_name }))}
      // The service has searched already.
      filter={({ options }) => options}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'No contact found'}
      rightSection={found.isFetching ? <Loader size={14} /> : undefined}
      comboboxProps={{ width: 280, position: 'bottom-start' }}
      clearButtonProps={{ 'aria-label': 'Clear' }}
    />
  )
}

/** All accounts; an organisation has some dozens. */
export const useAccounts = () =>
  useQuery({
    queryKey: ['accounts'],
    queryFn: async () =>
      (await call<{ accounts: Account[] }>('GET', '/accounts', { query: { per_page: 200, sort: 'created_time' } }))
        .accounts,
    staleTime: 60_000,
  })

export function AccountPicker({ value, onChange, ...rest }: PickerProps) {
  const { data = [] } = useAccounts()
  return (
    <Select
      {...rest}
      searchable
      clearable
      w={rest.required ? undefined : 180}
      size={rest.required ? 'sm' : 'xs'}
      placeholder="Any"
      data={data.map(({ account_id, code, name }) => ({ value: account_id, label: `${code} ${name}` }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      nothingFoundMessage="No account found"
      comboboxProps={{ width: 280, position: 'bottom-start' }}
      clearButtonProps={{ 'aria-label': 'Clear' }}
    />
  )
}

interface CostCenter {
  cost_center_id: string
  code: string
  name: string
}

/** The cost centers; not shown where there are none. */
export function TagPicker({ label, value, onChange }: PickerProps) {
  const { data = [] } = useQuery({
    queryKey: ['cost-centers'],
    queryFn: async () => (await call<{ cost_centers: CostCenter[] }>('GET', '/cost_centers')).cost_centers,
    staleTime: 60_000,
  })
  if (data.length === 0 && value === '') return null
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: 'Any' },
        ...data.map(({ cost_center_id, code, name }) => ({ value: cost_center_id, label: `${code} ${name}` })),
      ]}
    />
  )
}
