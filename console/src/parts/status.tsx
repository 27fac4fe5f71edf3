// The state of a record as a badge; words carry the meaning, colours only help.
import { Badge } from '@mantine/core'

const COLOURS: Record<string, string> = {
  DRAFT: 'gray',
  SENT: 'blue',
  OPEN: 'blue',
  ISSUED: 'blue',
  ACCEPTED: 'teal',
  PARTIALLY_PAID: 'yellow',
  PARTIALLY_INVOICED: 'yellow',
  PAID: 'teal',
  APPLIED: 'teal',
  CREDIT_APPLIED: 'teal',
  CONVERTED: 'teal',
  INVOICED: 'teal',
  BILLED: 'teal',
  OVERDUE: 'red',
  CANCELLED: 'gray',
  DECLINED: 'gray',
  CLOSED: 'gray',
  INCOMING: 'teal',
  OUTGOING: 'grape',
  ACTIVE: 'teal',
  ENABLED: 'teal',
  PAUSED: 'yellow',
  COMPLETED: 'gray',
  DISABLED: 'gray',
  DELIVERED: 'teal',
  PENDING: 'blue',
  RETRYING: 'yellow',
  FAILED: 'red',
  SKIPPED: 'gray',
  SUCCEEDED: 'teal',
  FAILING: 'yellow',
  WAITING: 'red',
}

/** PARTIALLY_PAID as a person reads it. */
export const inWords = (code: string): string => {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function Status({ code }: { code: string }) {
  return code === '' ? null : (
    <Badge className="status" data-colour={COLOURS[code] ?? 'gray'} variant="default" radius="sm">
      {inWords(code)}
    </Badge>
  )
}
