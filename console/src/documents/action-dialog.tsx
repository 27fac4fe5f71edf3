// The window of an action: it asks for what the call needs, and makes it.
import { Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../api/call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { amount } from '../parts/money.ts'
import { useContact } from '../parts/pickers.tsx'
import type { ActionProps } from './actions.ts'
import { amountOf, textOf } from './kinds.ts'
import { PaymentDialog } from './payment-dialog.tsx'
import { pathOf, useOpenDocuments } from './read.ts'

interface Answer {
  message?: string
}

export function ActionDialog(props: ActionProps) {
  switch (props.action.asks) {
    case 'consent':
      return <ConsentDialog {...props} />
    case 'void':
    case 'dispute':
      return <ReasonDialog {...props} />
    case 'mail':
      return <MailDialog {...props} />
    case 'payment':
      return <PaymentDialog {...props} />
    case 'conversion':
      return <ConversionDialog {...props} />
    case 'application':
      return <ApplicationDialog {...props} />
  }
}

/** What all windows of actions have alike. */
const common = ({ kind, document, action, onClose }: ActionProps) => ({
  title: `${action.label}: ${textOf(document, kind.number)}`,
  text: action.text,
  does: action.label,
  isDangerous: action.isDangerous === true,
  onClose,
})

const ownPath = ({ kind, document }: ActionProps) => pathOf(kind, textOf(document, kind.id))

function ConsentDialog(props: ActionProps) {
  const { kind, action } = props
  const navigate = useNavigate()
  const send = (key: string): Promise<Answer> => {
    if (action.name === 'delete') return call('DELETE', ownPath(props))
    if (action.status !== undefined) return call('PUT', ownPath(props), { body: { status: action.status } })
    return call('POST', `${ownPath(props)}/${action.name}`, { key, body: {} })
  }
  return <Dialog {...common(props)} send={send} onDone={() => void (action.name === 'delete' && navigate(kind.path))} />
}

function ReasonDialog(props: ActionProps) {
  const [reason, setReason] = useState('')
  const [date, setDate] = useState('')
  const isVoid = props.action.asks === 'void'
  const body = { ...(reason && { reason }), ...(date && { date }) }
  return (
    <Dialog
      {...common(props)}
      send={(key) => call<Answer>('POST', `${ownPath(props)}/${props.action.name}`, { key, body })}
    >
      {(errors) => (
        <>
          <Textarea
            label="Reason"
            required={!isVoid}
            maxLength={500}
            value={reason}
            error={errors['reason']}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          {isVoid && (
            <TextInput
              type="date"
              label="Date of the reversal"
              description="Today unless you choose another."
              value={date}
              error={errors['date']}
              onChange={({ currentTarget }) => setDate(currentTarget.value)}
            />
          )}
        </>
      )}
    </Dialog>
  )
}

function MailDialog(props: ActionProps) {
  const contact = useContact(textOf(props.document, 'customer_id'))
  const [typed, setTyped] = useState<string | null>(null)
  const [subject, setSubject] = useState('')
  const to = typed ?? contact.data?.email ?? ''
  const body = { to: to.split(/[\s,;]+/).filter((each) => each !== ''), ...(subject && { subject }) }
  return (
    <Dialog {...common(props)} send={(key) => call<Answer>('POST', `${ownPath(props)}/email`, { key, body })}>
      {(errors) => (
        <>
          <TextInput
            label="To"
            description="Several addresses with commas between them."
            required
            value={to}
            error={errors['to'] ?? errors['to.0']}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <TextInput
            label="Subject"
            description="Left empty, the usual one."
            maxLength={500}
            value={subject}
            error={errors['subject']}
            onChange={({ currentTarget }) => setSubject(currentTarget.value)}
          />
        </>
      )}
    </Dialog>
  )
}

function ConversionDialog(props: ActionProps) {
  const { kind } = props
  const [isThrough, setThrough] = useState(false)
  const [isApproved, setApproved] = useState(false)
  const isEstimate = kind.type === 'ESTIMATE'
  const body = { ...(isThrough && { through: 'invoice' }), ...(isApproved && { auto_approve: true }) }
  return (
    <Dialog {...common(props)} send={(key) => call<Answer>('POST', `${ownPath(props)}/convert`, { key, body })}>
      {() => (
        <>
          {isEstimate && (
            <Checkbox
              label="Go on to the invoice"
              checked={isThrough}
              onChange={({ currentTarget }) => setThrough(currentTarget.checked)}
            />
          )}
          {(!isEstimate || isThrough) && (
            <Checkbox
              label={`Approve the ${kind.party === 'vendor' ? 'bill' : 'invoice'} at once; otherwise it is a draft`}
              checked={isApproved}
              onChange={({ currentTarget }) => setApproved(currentTarget.checked)}
            />
          )}
        </>
      )}
    </Dialog>
  )
}

function ApplicationDialog(props: ActionProps) {
  const { kind, document } = props
  const isPurchase = textOf(document, 'flow') === 'OUTGOING' || textOf(document, 'type') === 'vendor'
  const left = amountOf(document, kind.type === 'PAYMENT' ? 'unapplied_amount' : 'balance_amount')
  const owed = useOpenDocuments(isPurchase ? 'BILL' : 'INVOICE', textOf(document, `${kind.party}_id`))
  const [chosen, setChosen] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const target = owed.data?.find(({ id }) => id === chosen) ?? owed.data?.[0]
  const sum = typed ?? String(target ? Math.min(left, target.balance) : '')
  const field = isPurchase ? 'bill_id' : 'invoice_id'
  const path = kind.type === 'PAYMENT' ? 'apply' : `apply-to-${isPurchase ? 'bill' : 'invoice'}`
  return (
    <Dialog
      {...common(props)}
      text={`${props.action.text} ${amount(left)} is left.`}
      send={(key) =>
        call<Answer>('POST', `${ownPath(props)}/${path}`, {
          key,
          body: { [field]: target?.id ?? '', amount: Number(sum) },
        })
      }
    >
      {(errors) => (
        <>
          <NativeSelect
            label={isPurchase ? 'Bill' : 'Invoice'}
            required
            value={target?.id ?? ''}
            error={errors[field]}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            data={
              owed.data?.map(({ id, number, balance }) => ({
                value: id,
                label: `${number}: ${amount(balance)} owed`,
              })) ?? []
            }
          />
          <TextInput
            label="Amount"
            required
            inputMode="decimal"
            value={sum}
            error={errors['amount']}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </>
      )}
    </Dialog>
  )
}
