// What can be done with a document: the calls of each kind, the statuses that allow them, and how they are asked for.
import type { Document, Kind, KindName } from './kinds.ts'

/** How an action asks: whether it is meant, or for what it needs. */
export type Asks = 'consent' | 'void' | 'mail' | 'payment' | 'conversion' | 'application' | 'dispute'

export interface Action {
  /** The last part of its path; 'delete' is the method on the document itself, 'decline' and 'cancel' may be a change of status. */
  name: string
  label: string
  asks: Asks
  /** What happens, said before it is done. */
  text: string
  /** Left out: in every status. */
  from?: readonly string[]
  /** The one that most people want next. */
  isMain?: true
  isDangerous?: true
  /** Changes the status by PUT instead of a call of its own. */
  status?: string
  /** Whether it is offered, where the status alone does not say. */
  when?(document: Document): boolean
}

/** What the window of an action is about. */
export interface ActionProps {
  kind: Kind
  document: Document
  action: Action
  onClose(): void
}

const OWED = ['SENT', 'OPEN', 'PARTIALLY_PAID', 'OVERDUE'] as const

const REVERSED = 'Its entry in the ledger is reversed by a second one; both stay.'
const approve: Action = {
  name: 'approve',
  label: 'Approve',
  asks: 'consent',
  from: ['DRAFT'],
  isMain: true,
  text: 'It is posted to the ledger and can no longer be changed, only voided.',
}
const pay: Action = {
  name: 'pay',
  label: 'Record payment',
  asks: 'payment',
  from: OWED,
  isMain: true,
  text: 'The money settles this document.',
}
const voiding = (from: readonly string[]): Action => ({
  name: 'void',
  label: 'Void',
  asks: 'void',
  from,
  isDangerous: true,
  text: `${REVERSED} Money that was paid on it becomes unapplied.`,
})
const remove = (from?: readonly string[]): Action => ({
  name: 'delete',
  label: 'Delete',
  asks: 'consent',
  isDangerous: true,
  text: 'It is removed; its number is not given again.',
  ...(from && { from }),
})
const mail: Action = {
  name: 'email',
  label: 'Send by mail',
  asks: 'mail',
  text: 'A mail with the PDF goes to these addresses.',
}
const issue: Action = { ...approve, name: 'issue', label: 'Issue', text: 'It is posted to the ledger.' }
const open: Action = { ...approve, name: 'open', label: 'Open', text: 'The order is agreed with the other side.' }
const convert = (from: readonly string[], into: string): Action => ({
  name: 'convert',
  label: `Convert to ${into}`,
  asks: 'conversion',
  from,
  isMain: true,
  text: `Everything that is left becomes one ${into}.`,
})
const cancel: Action = {
  name: 'cancel',
  label: 'Cancel',
  asks: 'consent',
  from: ['DRAFT', 'OPEN'],
  isDangerous: true,
  text: 'The order ends. Nothing was posted for it.',
}

export const ACTIONS: Record<KindName, readonly Action[]> = {
  INVOICE: [
    approve,
    pay,
    mail,
    {
      name: 'remind',
      label: 'Remind',
      asks: 'consent',
      from: OWED,
      text: 'The customer gets a reminder by mail, at most one a day.',
      when: ({ is_overdue }) => is_overdue === true,
    },
    {
      name: 'dispute',
      label: 'Dispute',
      asks: 'dispute',
      from: OWED,
      text: 'Nobody is reminded of it until the dispute is resolved.',
      when: ({ dispute }) => !dispute,
    },
    {
      name: 'resolve_dispute',
      label: 'Resolve the dispute',
      asks: 'consent',
      text: 'The customer owes it again, and is reminded.',
      when: ({ dispute }) => Boolean(dispute),
    },
    voiding(['DRAFT', ...OWED]),
    remove(['DRAFT']),
  ],
  BILL: [approve, pay, voiding(['DRAFT', ...OWED]), remove(['DRAFT'])],
  ESTIMATE: [
    {
      ...approve,
      name: 'accept',
      label: 'Accept',
      from: ['DRAFT', 'SENT'],
      text: 'The customer has accepted it; then it can be converted.',
    },
    convert(['ACCEPTED'], 'sales order'),
    mail,
    {
      name: 'decline',
      label: 'Decline',
      asks: 'consent',
      from: ['DRAFT', 'SENT'],
      status: 'DECLINED',
      text: 'The customer does not want it.',
    },
    remove(['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED']),
  ],
  SALES_ORDER: [
    convert(['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'], 'invoice'),
    open,
    {
      name: 'close',
      label: 'Close',
      asks: 'consent',
      from: ['OPEN', 'PARTIALLY_INVOICED'],
      text: 'What is left of it can no longer be invoiced.',
    },
    cancel,
  ],
  PURCHASE_ORDER: [convert(['DRAFT', 'OPEN'], 'bill'), open, cancel, remove(['DRAFT'])],
  CREDIT_NOTE: [
    issue,
    {
      name: 'apply',
      label: 'Apply',
      asks: 'application',
      from: ['ISSUED'],
      isMain: true,
      text: 'The credit settles what is owed.',
    },
    mail,
    voiding(['DRAFT', 'ISSUED']),
  ],
  DEBIT_NOTE: [issue, voiding(['DRAFT', 'ISSUED'])],
  PAYMENT: [
    {
      name: 'apply',
      label: 'Apply',
      asks: 'application',
      isMain: true,
      text: 'The money that is not applied settles what is owed.',
      when: ({ unapplied_amount }) => Number(unapplied_amount) > 0,
    },
    { ...remove(), text: `${REVERSED} What it settled is owed again.` },
  ],
  EXPENSE: [{ ...remove(), text: REVERSED }],
  JOURNAL: [
    {
      ...remove(),
      text: REVERSED,
      when: ({ source, reversed_by, reversal_of }) => source === 'MANUAL' && !reversed_by && !reversal_of,
    },
  ],
}

export const actionsOf = (type: KindName, document: Document): Action[] =>
  ACTIONS[type].filter(
    ({ from, when }) => (!from || from.includes(String(document['status']))) && (!when || when(document)),
  )
