// Makes a token: its name, its scopes, and how long it is good for.
import { SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callOfPeople } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { fieldsOf } from '../parts/fields.ts'
import { ScopeTable } from './scope-table.tsx'

interface Made {
  message: string
  token: { token: string }
}

export function TokenDialog({ onMade, onClose }: { onMade: (token: string) => void; onClose: () => void }) {
  const [form, setForm] = useState({ name: '', expires_at: '', scopes: [] as string[] })
  const { name, expires_at, scopes } = form
  const body = { name, scopes, ...(expires_at && { expires_at }) }
  return (
    <Dialog
      title="New token"
      text="Give it no more than its program needs. It acts in your name, and its calls are in the request log."
      does="Make the token"
      send={(key) => callOfPeople<Made>('POST', '/tokens', { key, body })}
      onDone={({ token }) => onMade(token.token)}
      onClose={onClose}
    >
      {(errors) => {
        const field = fieldsOf(form, setForm, errors)
        return (
          <>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput {...field('name', 'Name')} required maxLength={100} placeholder="Till" data-autofocus />
              <TextInput {...field('expires_at', 'Good until (or until it is revoked)')} type="date" />
            </SimpleGrid>
            <ScopeTable
              value={scopes}
              onChange={(chosen) => setForm({ ...form, scopes: chosen })}
              error={errors['scopes']}
            />
          </>
        )
      }}
    </Dialog>
  )
}
