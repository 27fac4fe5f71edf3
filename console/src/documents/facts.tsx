// What a document says beside its lines.
import { Alert, Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { day, moment } from '../parts/dates.ts'
import { money, quantity } from '../parts/money.ts'
import { inWords } from '../parts/status.tsx'
import { amountOf, KINDS, textOf, type Document, type Kind, type KindName } from './kinds.ts'

/** The fields in their order, each with how it is shown; those that a document does not have are left out. */
const FACTS: [field: string, label: string, is: 'day' | 'money' | 'text' | 'code'][] = [
  ['date', 'Date', 'day'],
  ['due_date', 'Due', 'day'],
  ['expiry_date', 'Valid until', 'day'],
  ['shipment_date', 'Shipment', 'day'],
  ['expected_date', 'Expected', 'day'],
  ['amount', 'Amount', 'money'],
  ['unapplied_amount', 'Not applied', 'money'],
  ['balance', 'Balance', 'money'],
  ['payment_made', 'Paid', 'money'],
  ['credits_applied', 'Credited', 'money'],
  ['balance_amount', 'Credit left', 'money'],
  ['applied_amount', 'Credit applied', 'money'],
  ['tds_amount', 'TDS', 'money'],
  ['bank_charges', 'Bank charges', 'money'],
  ['mode', 'Mode', 'code'],
  ['payment_type', 'Type', 'code'],
  ['source', 'Source', 'code'],
  ['reference_number', 'Reference', 'text'],
  ['place_of_supply', 'Place of supply', 'text'],
  ['series_name', 'Series', 'text'],
  ['salesperson_id', 'Salesperson', 'text'],
]

const LINKS: [field: string, kind: KindName, label: string][] = [
  ['estimate_id', 'ESTIMATE', 'Estimate'],
  ['sales_order_id', 'SALES_ORDER', 'Sales order'],
  ['converted_to_sales_order_id', 'SALES_ORDER', 'Sales order'],
  ['purchase_order_id', 'PURCHASE_ORDER', 'Purchase order'],
  ['invoice_id', 'INVOICE', 'Invoice'],
  ['bill_id', 'BILL', 'Bill'],
  ['reversal_of', 'JOURNAL', 'Reverses'],
  ['reversed_by', 'JOURNAL', 'Reversed by'],
]

export function Facts({ kind, document }: { kind: Kind; document: Document }) {
  const currency = textOf(document, 'currency_code') || 'INR'
  const shown = FACTS.filter(([field]) => isSaid(document, field))
  const rate = amountOf(document, 'exchange_rate')
  const dispute = document['dispute'] as { reason: string; disputed_at: string } | null | undefined
  return (
    <div className="card">
      {dispute && (
        <Alert color="yellow" mb="sm" title={`Disputed since ${moment(dispute.disputed_at)}`}>
          {dispute.reason}
        </Alert>
      )}
      <dl className="facts">
        {shown.map(([field, label, is]) => (
          <Fact key={field} label={label}>
            {is === 'day'
              ? day(document[field])
              : is === 'money'
                ? money(amountOf(document, field), currency)
                : is === 'code'
                  ? inWords(textOf(document, field))
                  : textOf(document, field)}
          </Fact>
        ))}
        {currency !== 'INR' && rate > 0 && <Fact label="Exchange rate">{`1 ${currency} = ${quantity(rate)}`}</Fact>}
        {LINKS.filter(([field]) => field !== kind.id && isSaid(document, field)).map(([field, target, label]) => (
          <DocumentLink key={field} label={label} kind={KINDS[target]} id={textOf(document, field)} />
        ))}
        {targetsOf(document).map(({ target, id, number }) => (
          <DocumentLink key={id} label={KINDS[target].noun} kind={KINDS[target]} id={id} text={number} />
        ))}
      </dl>
      {['memo', 'description', 'reason', 'notes']
        .filter((field) => isSaid(document, field))
        .map((field) => (
          <Text key={field} size="sm" mt="sm" className="plain-text">
            {textOf(document, field)}
          </Text>
        ))}
    </div>
  )
}

const NOT_SAID: unknown[] = [null, undefined, '']
// A sum of nothing says nothing, apart from what is owed.
const isSaid = (document: Document, field: string) =>
  !NOT_SAID.includes(document[field]) && (document[field] !== 0 || field === 'balance' || field === 'amount')

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

function DocumentLink({ label, kind, id, text = 'Show' }: { label: string; kind: Kind; id: string; text?: string }) {
  return (
    <Fact label={label.charAt(0).toUpperCase() + label.slice(1)}>
      <Anchor component={Link} to={`${kind.path}/${id}`} size="sm">
        {text}
      </Anchor>
    </Fact>
  )
}

/** What an order became, and what a payment or a note settled. */
function targetsOf(document: Document): { target: KindName; id: string; number: string }[] {
  const listed = (['INVOICE', 'BILL'] as const).flatMap((target) => {
    const { listKey, id, number } = KINDS[target]
    const rows = (document[listKey] ?? []) as Document[]
    return rows.map((row) => ({ target, id: textOf(row, id), number: textOf(row, number) || 'Show' }))
  })
  const settled = ((document['allocations'] ?? document['applications'] ?? []) as Document[]).map((one) => {
    const target = one['invoice_id'] ? ('INVOICE' as const) : ('BILL' as const)
    return {
      target,
      id: textOf(one, KINDS[target].id),
      number: money(amountOf(one, 'amount'), textOf(document, 'currency_code') || 'INR'),
    }
  })
  return [...listed, ...settled]
}
