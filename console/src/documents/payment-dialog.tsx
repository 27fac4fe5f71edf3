// Records the payment of an invoice or a bill.
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { today } from '../parts/dates.ts'
import { Dialog } from '../parts/dialog.tsx'
import { money } from '../parts/money.ts'
import { inWords } from '../parts/status.tsx'
import type { ActionProps } from './actions.ts'
import { amountOf, textOf } from './kinds.ts'

const MODES = ['BANK_TRANSFER', 'UPI', 'CASH', 'CHEQUE', 'CARD', 'OTHER']

interface BankAccount {
  account_id: string
  name: string
}

const EMPTY = { mode: 'BANK_TRANSFER', reference_number: '', tds_amount: '', bank_account_id: '' }

type Form = typeof EMPTY & { amount: string; date: string }

export function PaymentDialog({ kind, document, action, onClose }: ActionProps) {
  const currency = textOf(document, 'currency_code')
  const balance = amountOf(document, 'balance')
  const [form, setForm] = useState<Form>({ ...EMPTY, amount: String(balance), date: today() })
  const { data: accounts = [] } = useBankAccounts()
  const send = (key: string) =>
    call<{ message?: string }>('POST', '/payments', { key, body: paymentOf(form, { kind, document }) })
  return (
    <Dialog
      title={`${action.label}: ${textOf(document, kind.number)}`}
      text={`${money(balance, currency)} is owed. What is paid above that stays unapplied.`}
      does={action.label}
      send={send}
      onClose={onClose}
    >
      {(errors) => {
        const field = (name: keyof Form, label: string) => ({
          label,
          value: form[name],
          error: errors[name] ?? (name === 'amount' ? errors['allocations.0.amount'] : undefined),
          onChange: (event: { currentTarget: { value: string } }) =>
            setForm({ ...form, [name]: event.currentTarget.value }),
        })
        const usual = { value: '', label: 'The usual one' }
        const named = accounts.map(({ account_id, name }) => ({ value: account_id, label: name }))
        return (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput {...field('amount', `Amount (${currency})`)} required inputMode="decimal" data-autofocus />
            <TextInput {...field('date', 'Date')} type="date" required />
            <NativeSelect
              {...field('mode', 'Mode')}
              data={MODES.map((code) => ({ value: code, label: inWords(code) }))}
            />
            <TextInput {...field('reference_number', 'Reference')} placeholder="UTR, number of the cheque" />
            <NativeSelect {...field('bank_account_id', 'Account')} data={[usual, ...named]} />
            <TextInput {...field('tds_amount', 'TDS withheld')} inputMode="decimal" />
          </SimpleGrid>
        )
      }}
    </Dialog>
  )
}

const useBankAccounts = () =>
  useQuery({
    queryKey: ['bank-accounts'],
    queryFn: async () => {
      const query = { include_cash: true }
      return (await call<{ bank_accounts: BankAccount[] }>('GET', '/bank_accounts', { query })).bank_accounts
    },
  })

/** The body of the call; what was left empty is not sent. */
function paymentOf(form: Form, { kind, document }: Pick<ActionProps, 'kind' | 'document'>) {
  const { amount, tds_amount, reference_number, bank_account_id, date, mode } = form
  return {
    flow: kind.type === 'INVOICE' ? 'INCOMING' : 'OUTGOING',
    contact_id: document[`${kind.party}_id`],
    currency_code: document['currency_code'],
    date,
    mode,
    amount: Number(amount),
    ...(reference_number && { reference_number }),
    ...(bank_account_id && { bank_account_id }),
    ...(tds_amount && { tds_amount: Number(tds_amount) }),
    allocations: [{ [kind.id]: document[kind.id], amount: Math.min(Number(amount), amountOf(document, 'balance')) }],
  }
}
