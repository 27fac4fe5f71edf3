// The preferences of the organisation: a form that owners save and others read.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call, callOfPeople, PUBLIC_PATH, queryText } from '../api/call.ts'
import { ApiFault, problemsByField } from '../api/fault.ts'
import { useSession } from '../app/session.tsx'
import { ShowAsCurl } from '../parts/curl.tsx'
import { Refusal } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import '../parts/forms.css'
import { useNotices } from '../parts/notices.tsx'
import { PageHead, useWindowTitle } from '../parts/page-head.tsx'
import { Reading } from '../parts/reading.tsx'
import { Flag, InvoicePart, MailPart, PrintPart, ReminderPart, Sample, type PartProps } from './preference-parts.tsx'
import { bodyOf, flagsOf, textsOf, type Preferences } from './preferences.ts'

interface Answered {
  message?: string
  preferences: Preferences
}

export function Page() {
  useWindowTitle('Preferences')
  const { data, error } = useQuery({
    queryKey: ['preferences'],
    queryFn: async () => (await callOfPeople<Answered>('GET', '/preferences')).preferences,
    // What is typed is not overwritten.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <>
      <PageHead title="Preferences">
        <ShowAsCurl path="/preferences" isOfPeople />
      </PageHead>
      {data ? <Form kept={data} /> : <Reading error={error} />}
    </>
  )
}

function Form({ kept }: { kept: Preferences }) {
  const isLocked = useSession().organization.role !== 'OWNER'
  const [texts, setTexts] = useState(textsOf(kept))
  const [flags, setFlags] = useState(flagsOf(kept))
  const [logo, setLogo] = useState<string | null | undefined>()
  const sample = useSample()
  const { say, warn } = useNotices()
  const client = useQueryClient()
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => callOfPeople<Answered>('PUT', '/preferences', { body: bodyOf(texts, flags, logo) }),
    onSuccess: ({ message, preferences }) => {
      client.setQueryData(['preferences'], preferences)
      setTexts(textsOf(preferences))
      setFlags(flagsOf(preferences))
      setLogo(undefined)
      say(message ?? 'Saved.')
    },
  })
  const errors = error instanceof ApiFault ? problemsByField(error) : {}
  const parts: PartProps = {
    field: (name, label) => ({ ...fieldsOf(texts, setTexts, errors)(name, label), disabled: isLocked }),
    flag: (name, label) => (
      <Flag
        label={label}
        isSet={flags[name]}
        isLocked={isLocked}
        onChange={(isSet) => setFlags({ ...flags, [name]: isSet })}
      />
    ),
  }
  const choose = (file: File | null) => {
    if (file === null) setLogo(kept.pdf.logo === null ? undefined : null)
    else readAsData(file).then(setLogo, () => warn('The file could not be read.'))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isLocked && <Text size="sm">Owners change them; you can read them.</Text>}
        <InvoicePart {...parts} />
        <PrintPart {...parts} logo={kept.pdf.logo} chosen={logo} onLogo={choose} isLocked={isLocked} sample={sample} />
        <MailPart {...parts} />
        <ReminderPart {...parts} />
        {error && <Refusal error={error} />}
        {!isLocked && (
          <Group justify="flex-end">
            <Button type="submit" loading={isPending}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

/** The PDF of the latest invoice, which is drawn by the preferences that are kept. */
function useSample() {
  const { organization } = useSession()
  const { data } = useQuery({
    queryKey: ['sample'],
    queryFn: async () => {
      const query = { per_page: 1 }
      return (await call<{ invoices: { invoice_id: string; invoice_number: string }[] }>('GET', '/invoices', { query }))
        .invoices
    },
  })
  const invoice = data?.[0]
  if (!invoice) return null
  const query = queryText({ organization_id: organization.org_id })
  return <Sample href={`${PUBLIC_PATH}/invoices/${invoice.invoice_id}/pdf${query}`} number={invoice.invoice_number} />
}

function readAsData(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'))
    reader.readAsDataURL(file)
  })
}
