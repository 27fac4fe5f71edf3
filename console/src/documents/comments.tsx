// The comments of a document, and a new one.
import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { moment } from '../parts/dates.ts'
import { Refusal } from '../parts/dialog.tsx'
import type { AboutDocument } from './kinds.ts'
import { useRowsOf } from './read.ts'

interface Comment {
  comment_id: string
  body: string
  created_time: string
}

const LONGEST = 5_000

export function Comments({ kind, id }: AboutDocument) {
  const about = { entity_type: kind.type, entity_id: id }
  const { data, error } = useRowsOf<Comment>('comments', kind, id, '/comments', about)
  const [text, setText] = useState('')
  const client = useQueryClient()
  const writing = useMutation({
    mutationFn: () => call('POST', '/comments', { body: { ...about, body: text } }),
    onSuccess: () => {
      setText('')
      return client.invalidateQueries({ queryKey: ['document', kind.type, id] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    writing.mutate()
  }
  return (
    <Stack gap="xs">
      {error && <Refusal error={error} />}
      {data?.map(({ comment_id, body, created_time }) => (
        <article key={comment_id} className="card">
          <Text size="xs" c="dimmed">
            {moment(created_time)}
          </Text>
          <Text size="sm" className="plain-text">
            {body}
          </Text>
        </article>
      ))}
      <form onSubmit={submit}>
        <Stack gap="xs" align="flex-start">
          <Textarea
            label="New comment"
            w="100%"
            maxLength={LONGEST}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          {writing.error && <Refusal error={writing.error} />}
          <Button type="submit" variant="default" loading={writing.isPending} disabled={text.trim() === ''}>
            Comment
          </Button>
        </Stack>
      </form>
    </Stack>
  )
}
