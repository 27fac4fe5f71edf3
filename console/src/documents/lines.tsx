// The lines of a document with its totals; those of a journal with their debits and credits.
import { Text } from '@mantine/core'
import { amount, money, quantity } from '../parts/money.ts'
import { useAccounts } from '../parts/pickers.tsx'
import { amountOf, textOf, type Document, type Kind } from './kinds.ts'
import type { JournalLine } from './read.ts'

export function Lines({ kind, document }: { kind: Kind; document: Document }) {
  if (kind.type === 'JOURNAL') return <Entries lines={document['lines'] as JournalLine[]} />
  const lines = document['line_items'] as Document[] | undefined
  if (!lines) return null
  return (
    <section className="card scroll-x" aria-label="Lines" tabIndex={0}>
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">{kind.type === 'EXPENSE' ? 'Account' : 'Item'}</th>
            <th scope="col">HSN/SAC</th>
            <th scope="col" data-amount>
              Quantity
            </th>
            <th scope="col" data-amount>
              Rate
            </th>
            <th scope="col" data-amount>
              Discount
            </th>
            <th scope="col" data-amount>
              Tax
            </th>
            <th scope="col" data-amount>
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Line key={textOf(line, 'line_item_id')} line={line} />
          ))}
        </tbody>
        <Totals document={document} />
      </table>
    </section>
  )
}

function Line({ line }: { line: Document }) {
  const { data: accounts = [] } = useAccounts()
  const name = textOf(line, 'name') || accounts.find(({ account_id }) => account_id === line['account_id'])?.name || ''
  const unit = textOf(line, 'unit')
  const discount = amountOf(line, 'discount')
  return (
    <tr>
      <td>
        {name}
        <Text size="xs" c="dimmed" className="plain-text">
          {textOf(line, 'description') || textOf(line, 'note')}
        </Text>
      </td>
      <td>{textOf(line, 'hsn_or_sac')}</td>
      <td data-amount>{line['quantity'] === undefined ? '' : `${quantity(amountOf(line, 'quantity'))} ${unit}`}</td>
      <td data-amount>{line['rate'] === undefined ? '' : amount(amountOf(line, 'rate'))}</td>
      <td data-amount>{discount ? amount(discount) : ''}</td>
      <td data-amount>
        {line['tax_percentage'] === undefined ? '' : `${quantity(amountOf(line, 'tax_percentage'))}%`}
      </td>
      <td data-amount>{amount(amountOf(line, 'item_total'))}</td>
    </tr>
  )
}

const TAXES = ['cgst', 'sgst', 'igst', 'cess'] as const

export function Totals({ document }: { document: Document }) {
  const lines = (document['line_items'] ?? []) as Document[]
  const taxes = TAXES.map((tax) => [tax.toUpperCase(), inPaise(lines, tax)] as const).filter(([, sum]) => sum !== 0)
  const roundOff = amountOf(document, 'round_off')
  const rows: [string, string][] = [
    ['Subtotal', amount(amountOf(document, 'sub_total'))],
    ...taxes.map(([name, sum]): [string, string] => [name, amount(sum)]),
    ...(roundOff ? [['Round-off', amount(roundOff)] as [string, string]] : []),
    ['Total', money(amountOf(document, 'total'), textOf(document, 'currency_code') || 'INR')],
  ]
  return (
    <tfoot>
      {rows.map(([name, sum]) => (
        <tr key={name}>
          <th scope="row" colSpan={6} data-amount>
            {name}
          </th>
          <td data-amount>{sum}</td>
        </tr>
      ))}
    </tfoot>
  )
}

/** The sum as the service adds it: of whole paise. */
const inPaise = (lines: Document[], field: string) =>
  lines.reduce((sum, line) => sum + Math.round(amountOf(line, field) * 100), 0) / 100

/** Debits and credits, as a journal has them. */
export function Entries({ lines, caption }: { lines: JournalLine[]; caption?: string }) {
  const sum = (side: 'debit' | 'credit') => lines.reduce((sum, line) => sum + Math.round(line[side] * 100), 0) / 100
  return (
    <div className="card scroll-x" tabIndex={0} role="region" aria-label={caption ?? 'Entries'}>
      <table className="figures">
        {caption && <caption className="caption">{caption}</caption>}
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Description</th>
            <th scope="col" data-amount>
              Debit
            </th>
            <th scope="col" data-amount>
              Credit
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, place) => (
            <tr key={`${place} ${line.account_id}`}>
              <td>{line.account_name}</td>
              <td>{line.description}</td>
              <td data-amount>{line.debit ? amount(line.debit) : ''}</td>
              <td data-amount>{line.credit ? amount(line.credit) : ''}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2} data-amount>
              Total
            </th>
            <td data-amount>{amount(sum('debit'))}</td>
            <td data-amount>{amount(sum('credit'))}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}
