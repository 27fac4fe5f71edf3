// What a person has entered of an invoice, and the body that is sent of it.
import { today } from '../parts/dates.ts'

export interface LineForm {
  /** For the page alone. */
  id: number
  item_id: string
  name: string
  hsn_or_sac: string
  quantity: string
  rate: string
  discount: string
  tax_id: string
}

export interface InvoiceForm {
  customer_id: string
  place_of_supply: string
  date: string
  due_date: string
  reference_number: string
  notes: string
  lines: LineForm[]
  isApproved: boolean
}

let last = 0

export function newLine(): LineForm {
  last += 1
  return { id: last, item_id: '', name: '', hsn_or_sac: '', quantity: '1', rate: '', discount: '', tax_id: '' }
}

export const EMPTY_INVOICE: () => InvoiceForm = () => ({
  customer_id: '',
  place_of_supply: '',
  date: today(),
  due_date: '',
  reference_number: '',
  notes: '',
  lines: [newLine()],
  isApproved: false,
})

/** Text that is no number is sent as it is, so that the service says what is wrong with it. */
const numberOf = (text: string): number | string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text

/** The fields that were filled in. */
const filled = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))

export function bodyOf({ lines, isApproved, ...fields }: InvoiceForm): object {
  return {
    ...filled(fields),
    line_items: lines.map(({ id: _id, quantity, rate, discount, ...line }) => ({
      ...filled(line),
      quantity: numberOf(quantity),
      ...(rate.trim() && { rate: numberOf(rate) }),
      ...(discount.trim() && { discount: numberOf(discount) }),
    })),
    ...(isApproved && { auto_approve: true }),
  }
}
