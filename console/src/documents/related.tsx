// What belongs to a document: its journals, mails, comments, files, activity and webhook deliveries.
import { Anchor, Stack, Tabs, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { day, moment } from '../parts/dates.ts'
import { Refusal } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { inWords, Status } from '../parts/status.tsx'
import { Comments } from './comments.tsx'
import type { AboutDocument } from './kinds.ts'
import { Entries } from './lines.tsx'
import { pathOf, useJournals, useMemberNames, useRowsOf } from './read.ts'

interface Tab {
  name: string
  title: string
  icon: IconName
  isShown: boolean
  Content(props: AboutDocument): ReactNode
}

export function Related(props: AboutDocument) {
  const { posts, isMailed, type } = props.kind
  const tabs: Tab[] = [
    { name: 'journal', title: 'Journal', icon: 'journal', isShown: posts === true, Content: Journals },
    { name: 'mails', title: 'Mails', icon: 'mail', isShown: isMailed === true, Content: Mails },
    { name: 'comments', title: 'Comments', icon: 'comment', isShown: true, Content: Comments },
    { name: 'files', title: 'Files', icon: 'clip', isShown: true, Content: Files },
    { name: 'activity', title: 'Activity', icon: 'clock', isShown: true, Content: Activity },
    { name: 'deliveries', title: 'Webhooks', icon: 'delivery', isShown: type !== 'JOURNAL', Content: Deliveries },
  ]
  const shown = tabs.filter(({ isShown }) => isShown)
  const [open, setOpen] = useState<string | null>(shown[0]!.name)
  return (
    <Tabs value={open} onChange={setOpen} keepMounted={false}>
      <Tabs.List>
        {shown.map(({ name, title, icon }) => (
          <Tabs.Tab key={name} value={name} leftSection={<Icon name={icon} />}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map(({ name, Content }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Content {...props} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

interface Asked<Row> {
  data?: Row[] | undefined
  error: Error | null
}

/** The rows, or that there are none. */
function Rows<Row>({
  asked: { data, error },
  none,
  children,
}: {
  asked: Asked<Row>
  none: string
  children: (row: Row) => ReactNode
}) {
  if (error) return <Refusal error={error} />
  if (!data) return <Text size="sm">Loading…</Text>
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    )
  return <Stack gap="xs">{data.map(children)}</Stack>
}

function Journals({ kind, document, id }: AboutDocument) {
  return (
    <Rows asked={useJournals(kind, document, id)} none="Nothing is posted for it yet.">
      {({ journal_id, journal_number, date, lines, reversal_of }) => (
        <Entries
          key={journal_id}
          lines={lines}
          caption={`${journal_number} of ${day(date)}${reversal_of ? ', a reversal' : ''}`}
        />
      )}
    </Rows>
  )
}

interface Mail {
  email_id: string
  purpose: string
  status: string
  error: string | null
  subject: string
  created_time: string
  recipients: { kind: string; address: string; status: string; report: string | null }[]
}

function Mails({ kind, id }: AboutDocument) {
  return (
    <Rows asked={useRowsOf<Mail>('emails', kind, id, `${pathOf(kind, id)}/emails`, {})} none="It was not mailed.">
      {(mail) => (
        <article key={mail.email_id} className="card">
          <Text size="sm" fw={500}>
            {mail.subject} <Status code={mail.status} />
          </Text>
          <Text size="xs" c="dimmed">
            {inWords(mail.purpose)}, {moment(mail.created_time)}
          </Text>
          {mail.error && <Text size="sm">{mail.error}</Text>}
          {mail.recipients.map(({ kind: as, address, status, report }) => (
            <Text size="sm" key={`${as} ${address}`}>
              {as.toLowerCase()} {address}: {inWords(status).toLowerCase()}
              {report ? ` (${report})` : ''}
            </Text>
          ))}
        </article>
      )}
    </Rows>
  )
}

interface File {
  attachment_id: string
  filename: string
  size_bytes: number
  download_url: string
  created_time: string
}

const KILOBYTE = 1024

function Files({ kind, id }: AboutDocument) {
  const files = useRowsOf<File>('attachments', kind, id, '/attachments', { entity_type: kind.type, entity_id: id })
  return (
    <Rows asked={files} none="No files are attached.">
      {({ attachment_id, filename, size_bytes, download_url, created_time }) => (
        <Text size="sm" key={attachment_id}>
          {/^https?:/.test(download_url) ? (
            <Anchor href={download_url} target="_blank" rel="noreferrer">
              {filename}
            </Anchor>
          ) : (
            filename
          )}{' '}
          {Math.ceil(size_bytes / KILOBYTE)} kB, {moment(created_time)}
        </Text>
      )}
    </Rows>
  )
}

interface Happened {
  event_id: string
  action: string
  actor_user_id: string | null
  changes: Record<string, { old: unknown; new: unknown }> | null
  metadata: Record<string, unknown>
  occurred_at: string
}

function Activity({ kind, id }: AboutDocument) {
  const names = useMemberNames()
  const asked = useRowsOf<Happened>('activity', kind, id, '/activity', { entity_type: kind.type, entity_id: id })
  return (
    <Rows asked={asked} none="Nothing is noted.">
      {({ event_id, action, actor_user_id, changes, metadata, occurred_at }) => (
        <div key={event_id} className="happened">
          <Text size="sm" c="dimmed" component="time" dateTime={occurred_at}>
            {moment(occurred_at)}
          </Text>
          <div>
            <Text size="sm" fw={500}>
              {inWords(action)}
              {actor_user_id && names.has(actor_user_id) ? `, ${names.get(actor_user_id)}` : ''}
              {metadata['source'] ? `, by ${inWords(String(metadata['source'])).toLowerCase()}` : ''}
            </Text>
            {Object.entries(changes ?? {}).map(([field, { old, new: now }]) => (
              <Text size="sm" key={field} className="plain-text">
                {field}: {valueText(old)} → {valueText(now)}
              </Text>
            ))}
          </div>
        </div>
      )}
    </Rows>
  )
}

const valueText = (value: unknown) =>
  value === null || value === undefined ? 'nothing' : typeof value === 'object' ? JSON.stringify(value) : String(value)

interface Delivery {
  delivery_id: string
  event_type: string
  status: string
  url: string
  attempts_made: number
  created_time: string
}

function Deliveries({ kind, id }: AboutDocument) {
  const asked = useRowsOf<Delivery>('deliveries', kind, id, '/webhooks/deliveries', {
    entity_type: kind.type,
    entity_id: id,
  })
  return (
    <Rows asked={asked} none="No endpoint was told of it.">
      {({ delivery_id, event_type, status, url, attempts_made, created_time }) => (
        <div key={delivery_id} className="happened">
          <Text size="sm" c="dimmed" component="time" dateTime={created_time}>
            {moment(created_time)}
          </Text>
          <Text size="sm" className="plain-text">
            {event_type} <Status code={status} /> {url}, {attempts_made} {attempts_made === 1 ? 'attempt' : 'attempts'}
          </Text>
        </div>
      )}
    </Rows>
  )
}
