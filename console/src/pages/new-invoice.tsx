// Draws up an invoice by hand. The service computes what it comes to: the draft shows it, and is approved from its page.
import '../invoice/invoice.css'
import { Alert, Anchor, Button, Checkbox, Group, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link, useNavigate } from 'react-router'
import { call, newKey } from '../api/call.ts'
import { ApiFault, isUnsettled, problemsByField } from '../api/fault.ts'
import { useMayWrite } from '../app/session.tsx'
import { bodyOf, EMPTY_INVOICE, type InvoiceForm } from '../invoice/form.ts'
import { LineFields } from '../invoice/line-fields.tsx'
import { STATES } from '../invoice/states.ts'
import { Refusal } from '../parts/dialog.tsx'
import { useNotices } from '../parts/notices.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { ContactPicker, useContact } from '../parts/pickers.tsx'
import { StatePicker } from '../invoice/state-picker.tsx'

export function Page() {
  useWindowTitle('New invoice')
  const [form, setForm] = useState<InvoiceForm>(EMPTY_INVOICE)
  const customer = useContact(form.customer_id)
  const mayWrite = useMayWrite()
  // The place of supply is the customer's, until another one is chosen.
  const place =
    form.place_of_supply ||
    (STATES.some(([code]) => code === customer.data?.place_of_contact) ? customer.data!.place_of_contact! : '')
  const { mutate, error, isPending } = useCreation()
  const errors = error instanceof ApiFault ? problemsByField(error) : {}
  const set = (changed: Partial<InvoiceForm>) => setForm({ ...form, ...changed })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(bodyOf({ ...form, place_of_supply: place }))
  }
  return (
    <>
      <Anchor component={Link} to="/invoices" size="sm">
        Invoices
      </Anchor>
      <PageHead
        title="New invoice"
        detail="The service takes names, prices and taxes from the items, and computes the total of the draft."
      />
      {!mayWrite && (
        <Alert color="yellow">As a viewer you can read the books; an owner or an accountant draws up invoices.</Alert>
      )}
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Header form={form} place={place} errors={errors} set={set} />
          <LineFields lines={form.lines} errors={errors} onChange={(lines) => set({ lines })} />
          <div className="card">
            <Textarea
              label="Notes"
              description="Printed on the invoice."
              value={form.notes}
              error={errors['notes']}
              onChange={({ currentTarget }) => set({ notes: currentTarget.value })}
            />
          </div>
          {error && <Refusal error={error} />}
          <Group justify="flex-end">
            <Checkbox
              label="Approve at once"
              checked={form.isApproved}
              onChange={({ currentTarget }) => set({ isApproved: currentTarget.checked })}
            />
            <Button type="submit" loading={isPending} disabled={!mayWrite}>
              {form.isApproved ? 'Create and approve' : 'Save the draft'}
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  )
}

interface HeaderProps {
  form: InvoiceForm
  place: string
  errors: Record<string, string>
  set(changed: Partial<InvoiceForm>): void
}

function Header({ form, place, errors, set }: HeaderProps) {
  const text = (name: 'date' | 'due_date' | 'reference_number') => ({
    value: form[name],
    error: errors[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  })
  return (
    <div className="card fields">
      <ContactPicker
        label="Customer"
        required
        value={form.customer_id}
        error={errors['customer_id']}
        onChange={(customer_id) => set({ customer_id, place_of_supply: '' })}
      />
      <StatePicker
        label="Place of supply"
        required
        value={place}
        error={errors['place_of_supply']}
        onChange={(place_of_supply) => set({ place_of_supply })}
      />
      <TextInput type="date" label="Date" required {...text('date')} />
      <TextInput
        type="date"
        label="Due"
        description={undefined}
        placeholder="by the customer's terms"
        {...text('due_date')}
      />
      <TextInput label="Reference" placeholder="Such as the customer's order" {...text('reference_number')} />
      <Text size="xs" c="dimmed">
        Left empty, the due date follows from the customer's terms, and the number from the series.
      </Text>
    </div>
  )
}

function useCreation() {
  const [key, setKey] = useState(newKey)
  const navigate = useNavigate()
  const client = useQueryClient()
  const { say } = useNotices()
  return useMutation({
    mutationFn: (body: object) =>
      call<{ message: string; invoice: { invoice_id: string } }>('POST', '/invoices', { key, body }),
    onSuccess: ({ message, invoice }) => {
      say(message)
      void client.invalidateQueries()
      void navigate(`/invoices/${invoice.invoice_id}`)
    },
    onError: (failed) => {
      if (failed instanceof ApiFault && !isUnsettled(failed)) setKey(newKey())
    },
  })
}
