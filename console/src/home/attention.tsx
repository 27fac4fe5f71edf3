// What waits for a person: money overdue, drafts left lying, and what the service could not do by itself.
import { Loader, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Icon, type IconName } from '../parts/icon.tsx'
import { money } from '../parts/money.ts'
import { ASKED, useDrafts, useFailures, useOverdue, useUndeliveredMails, type Found } from './waiting.ts'

interface Concern {
  icon: IconName
  title: string
  found: Found | undefined
  error: Error | null
  /** What the count means. */
  text: string
  /** Where it can be seen. */
  to: string
}

type Named = Pick<Concern, 'icon' | 'title' | 'text' | 'to'>

const RECEIVABLE: Named = {
  icon: 'invoice',
  title: 'Overdue receivables',
  text: 'Invoices that customers have not paid in time',
  to: '/invoices?overdue=true',
}
const PAYABLE: Named = {
  icon: 'bill',
  title: 'Overdue payables',
  text: 'Bills that are past their due date',
  to: '/bills?overdue=true',
}
const draftsOf = (noun: string): Named => ({
  icon: 'estimate',
  title: `Old drafts of ${noun}`,
  text: 'Drafts older than a week',
  to: `/${noun}?status=DRAFT&sort=created_time`,
})
const MAILS: Named = {
  icon: 'mail',
  title: 'Undelivered mails',
  text: 'Mails of the last 7 days that did not arrive',
  to: '',
}
const SCHEDULES: Named = {
  icon: 'schedule',
  title: 'Schedules',
  text: 'Schedules that are paused or failed',
  to: '/schedules',
}
const ENDPOINTS: Named = {
  icon: 'webhook',
  title: 'Webhook endpoints',
  text: 'Endpoints that fail or are disabled',
  to: '/endpoints',
}
const DELIVERIES: Named = {
  icon: 'delivery',
  title: 'Webhook deliveries',
  text: 'Deliveries of the last 7 days that were given up',
  to: '/deliveries?status=FAILED',
}

/** Concerns that there are, those that could not be asked, and whether others are still being asked. */
export function Attention() {
  const [receivable, payable] = [useOverdue('INVOICE'), useOverdue('BILL')]
  const [invoices, bills] = [useDrafts('INVOICE'), useDrafts('BILL')]
  const { endpoints, deliveries, schedules } = useFailures()
  const concerns: Concern[] = [
    { ...RECEIVABLE, ...of(receivable) },
    { ...PAYABLE, ...of(payable) },
    { ...draftsOf('invoices'), ...of(invoices) },
    { ...draftsOf('bills'), ...of(bills) },
    { ...MAILS, ...of(useUndeliveredMails()) },
    { ...SCHEDULES, ...of(schedules) },
    { ...ENDPOINTS, ...of(endpoints) },
    { ...DELIVERIES, ...of(deliveries) },
  ]
  const isAsking = concerns.some(({ found, error }) => !found && !error)
  const shown = concerns.filter(({ found, error }) => error || (found && found.count > 0))
  return (
    <div className="concerns">
      {shown.map((concern) => (
        <ConcernCard key={concern.title} {...concern} />
      ))}
      {isAsking && <Loader size="sm" aria-label="Loading" />}
      {!isAsking && shown.length === 0 && (
        <div className="card concern">
          <Icon name="check" size={22} />
          <Text size="sm">Nothing waits for you.</Text>
        </div>
      )}
    </div>
  )
}

const of = ({ data, error }: { data: Found | undefined; error: Error | null }) => ({
  found: data,
  error: data ? null : error,
})

function ConcernCard({ icon, title, found, error, text, to }: Concern) {
  const count = found ? `${found.count}${found.count >= ASKED ? ' or more' : ''}` : ''
  const content: ReactNode = (
    <>
      <Icon name={icon} size={22} />
      <span>
        <span className="concern-head">
          <Text component="span" fw={600} size="sm">
            {title}
          </Text>
          {found?.amount !== undefined && <strong className="concern-amount">{money(found.amount)}</strong>}
        </span>
        <Text component="span" display="block" size="sm" c="dimmed">
          {error ? `Could not be asked: ${error.message}` : `${text}: ${count}`}
        </Text>
      </span>
    </>
  )
  return to === '' || error ? (
    <div className="card concern">{content}</div>
  ) : (
    <Link to={to} className="card concern">
      {content}
    </Link>
  )
}
