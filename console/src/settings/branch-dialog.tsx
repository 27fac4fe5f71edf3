// Changes the name and the addresses of a branch.
import { SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import '../parts/forms.css'
import type { Address, Branch } from './branch.ts'

const PARTS: [keyof Address, string][] = [
  ['address', 'Street'],
  ['city', 'City'],
  ['zip', 'PIN code'],
  ['state_code', 'State'],
  ['country', 'Country'],
]

type AddressForm = Record<keyof Address, string>

const formOf = (address: Address | null) =>
  Object.fromEntries(PARTS.map(([part]) => [part, address?.[part] ?? ''])) as AddressForm

const sentOf = (form: AddressForm) =>
  Object.values(form).every((part) => part === '')
    ? null
    : Object.fromEntries(PARTS.map(([part]) => [part, form[part] || null]))

export function BranchDialog({ branch, onClose }: { branch: Branch; onClose: () => void }) {
  const [form, setForm] = useState({ name: branch.name, city: branch.city ?? '' })
  const [address, setAddress] = useState(formOf(branch.address))
  const [dispatch, setDispatch] = useState(formOf(branch.dispatch_address))
  const body = {
    name: form.name,
    city: form.city || null,
    address: sentOf(address),
    dispatch_address: sentOf(dispatch),
  }
  return (
    <Dialog
      title={`Change ${branch.name}`}
      text="Documents print the address from their next PDF on; what was mailed stays as it was."
      does="Save"
      send={() => callOfPeople<{ message: string }>('PUT', `/branches/${branch.branch_id}`, { body })}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput {...field('name', 'Name')} required data-autofocus />
              <TextInput {...field('city', 'City')} />
            </SimpleGrid>
            <AddressFields
              name="address"
              label="Address; that of the organisation where it is empty"
              form={address}
              onChange={setAddress}
              errors={errors}
            />
            <AddressFields
              name="dispatch_address"
              label="Where goods leave from, if that is elsewhere"
              form={dispatch}
              onChange={setDispatch}
              errors={errors}
            />
          </>
        )
      }}
    </Dialog>
  )
}

interface AddressFieldsProps {
  name: string
  label: string
  form: AddressForm
  onChange(form: AddressForm): void
  errors: Record<string, string>
}

function AddressFields({ name, label, form, onChange, errors }: AddressFieldsProps) {
  const field = fieldsOf(form, onChange, {})
  return (
    <fieldset className="scopes">
      <legend>{label}</legend>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {PARTS.map(([part, title]) => (
          <TextInput key={part} {...field(part, title)} error={errors[`${name}.${part}`]} />
        ))}
      </SimpleGrid>
    </fieldset>
  )
}
