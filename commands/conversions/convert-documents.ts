// Makes one document from another, with the lines, prices and place of supply of the source, dated today (decisions §4).
import { partsOf, refuseConversion, refuseUnknownLines, type Part, type PartInput } from '../../domain/conversion.ts'
import { decimalText } from '../../domain/decimal.ts'
import { dueDateOf } from '../../domain/document-dates.ts'
import type { Tax } from '../../domain/gst.ts'
import { readDocumentContext, type DocumentContext } from '../../models/document-context.ts'
import type { ConversionRow } from '../../models/conversion.ts'
import type { DocumentRow, LineRow } from '../../models/document.ts'
import { estimates, type Estimate } from '../../models/estimate.ts'
import type { PurchaseOrder } from '../../models/purchase-order.ts'
import type { SalesOrder } from '../../models/sales-order.ts'
import { enterBill } from '../purchases/bill-entries.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { recordDocument } from '../documents/document-entries.ts'
import type { FilledLine } from '../documents/document-lines.ts'
import { branchOf, today } from '../documents/drafting.ts'
import { announceEstimate, estimateOf } from '../orders/estimates.ts'
import { enterInvoice } from '../sales/invoice-entries.ts'
import { numberBill, numberInvoice } from '../documents/numbering.ts'
import { billedLine, fulfilPurchaseOrder, fulfilSalesOrder, invoicedLine } from '../orders/order-fulfilment.ts'
import { purchaseOrderOf } from '../orders/purchase-orders.ts'
import { pricePurchaseOn } from '../purchases/purchase.ts'
import { priceSaleOn } from '../sales/sale.ts'
import { insertSalesOrder, salesOrderOf } from '../orders/sales-orders.ts'

/** The columns of the conversion that name the document that was made. */
export type Made = Partial<Pick<ConversionRow, 'sales_order_id' | 'invoice_id' | 'bill_id'>>

/** Throws conflict.already_converted with details {sales_order_id}, or conflict.invalid_state, unless the estimate is ACCEPTED. */
export function refuseEstimate(estimate: Estimate): void {
  refuseConversion('ESTIMATE', estimate.status, { sales_order_id: estimate.converted_to_sales_order_id })
}

/**
 * The parts of the lines of an order to invoice. Throws conflict.already_converted with details {invoice_id, invoice_ids}, the
 * latest invoice and all of them; conflict.invalid_state; and as partsOf does.
 */
export function partsToInvoice(order: SalesOrder, input: PartInput[] | null): Part[] {
  refuseUnknownLines(order.lines, input)
  refuseConversion('SALES_ORDER', order.status, {
    invoice_id: order.invoices.at(-1) ?? null,
    invoice_ids: order.invoices,
  })
  return partsOf(order.lines.map(invoicedLine), input)
}

/** The parts of the lines of an order to bill. Throws as partsToInvoice does, with details {bill_id, bill_ids}. */
export function partsToBill(order: PurchaseOrder, input: PartInput[] | null): Part[] {
  refuseUnknownLines(order.lines, input)
  refuseConversion('PURCHASE_ORDER', order.status, { bill_id: order.bills.at(-1) ?? null, bill_ids: order.bills })
  return partsOf(order.lines.map(billedLine), input)
}

/** Makes a sales order from an accepted estimate: DRAFT, or OPEN when `open`. Throws as refuseEstimate does. */
export async function convertEstimate(books: Books, id: string, open: boolean): Promise<Made> {
  const before = await estimateOf(books, id, 'FOR UPDATE')
  refuseEstimate(before)
  const { lines, reference_number, notes } = before
  const order = insertSalesOrder(books, {
    head: {
      ...headOf(before),
      customer_id: before.customer_id,
      customer_name: before.customer_name,
      date: today(books),
    },
    lines: lines.map(({ org_id: _org, id: _id, estimate_id: _estimate, ...line }) => line),
    shipment_date: null,
    reference_number,
    notes,
    estimate_id: before.id,
    status: open ? 'OPEN' : 'DRAFT',
  })
  if (open)
    recordDocument(books, 'SALES_ORDER', order, 'SALES_ORDER_STATUS_CHANGED', {
      status: { old: 'DRAFT', new: order.status },
    })
  const columns = { status: 'CONVERTED', converted_to_sales_order_id: order.id } as const
  const estimate = books.change(estimates, before, columns)
  recordDocument(books, 'ESTIMATE', estimate, 'ESTIMATE_STATUS_CHANGED', changesBetween(before, columns))
  announceEstimate(books, 'ESTIMATE_CONVERTED', estimate)
  return { sales_order_id: order.id }
}

/** Makes an invoice from a sales order, or from parts of it: a draft, or approved. Throws as partsToInvoice does. */
export async function convertSalesOrder(
  books: Books,
  id: string,
  input: PartInput[] | null,
  approved: boolean,
): Promise<Made> {
  const order = await salesOrderOf(books, id, 'FOR UPDATE')
  const parts = partsToInvoice(order, input)
  const [date, context] = [today(books), await documentContextFor(books, order, order.customer_id)]
  const [branch, customer] = [branchOf(context), context.contact!]
  const terms = { ...termsOf(order), branch, customer, date, roundOff: null, rounded: true }
  const { head, lines } = priceSaleOn(books, terms, filledOf(order.lines, parts, context.taxes))
  const { number, seriesName } = numberInvoice(books, context, date, {})
  const invoice = enterInvoice(
    books,
    context,
    {
      ...head,
      invoice_number: number,
      series_name: seriesName,
      due_date: dueDateOf(null, date, customer.payment_terms),
      reference_number: order.reference_number,
      salesperson_id: null,
      notes: order.notes,
      sales_order_id: order.id,
      estimate_id: order.estimate_id,
      payment_link_url: null,
    },
    lines.map((line, index) => ({ ...line, sales_order_line_id: parts[index]!.lineId })),
    approved,
  )
  fulfilSalesOrder(books, order, parts, invoice.id)
  return { invoice_id: invoice.id }
}

/** Makes a bill from a purchase order, or from parts of it: a draft, or approved. Throws as partsToBill and enterBill do. */
export async function convertPurchaseOrder(
  books: Books,
  id: string,
  input: PartInput[] | null,
  approved: boolean,
): Promise<Made> {
  const order = await purchaseOrderOf(books, id, 'FOR UPDATE')
  const parts = partsToBill(order, input)
  const [date, context] = [today(books), await documentContextFor(books, order, order.vendor_id)]
  const [branch, vendor] = [branchOf(context), context.contact!]
  const terms = { ...termsOf(order), branch, vendor, date, roundOff: null }
  const { head, lines } = pricePurchaseOn(books, terms, filledOf(order.lines, parts, context.taxes))
  const { number, sequence } = numberBill(books, branch, date, null)
  const bill = await enterBill(
    books,
    context,
    {
      ...head,
      bill_number: number,
      number_sequence: sequence,
      due_date: dueDateOf(null, date, vendor.payment_terms),
      reference_number: order.reference_number,
      notes: order.notes,
      purchase_order_id: order.id,
    },
    lines.map((line, index) => ({ ...line, purchase_order_line_id: parts[index]!.lineId })),
    approved,
  )
  fulfilPurchaseOrder(books, order, parts, bill.id)
  return { bill_id: bill.id }
}

function headOf(source: DocumentRow) {
  const { branch_id, place_of_supply, currency_code, exchange_rate, tags } = source
  const { sub_total, cgst, sgst, igst, cess, tax_total, round_off, total } = source
  return {
    branch_id,
    place_of_supply,
    currency_code,
    exchange_rate,
    tags,
    sub_total,
    cgst,
    sgst,
    igst,
    cess,
    tax_total,
    round_off,
    total,
  }
}

const termsOf = ({ place_of_supply, currency_code, exchange_rate, tags }: DocumentRow) => ({
  place: place_of_supply,
  currency: currency_code,
  exchangeRate: decimalText(exchange_rate),
  tags,
})

// Contact, branch, the taxes of the lines, the accounts to post to and today's series; no items, since the lines are complete.
function documentContextFor(
  books: Books,
  order: DocumentRow & { lines: LineRow[] },
  contactId: string,
): Promise<DocumentContext> {
  const taxIds = [...new Set(order.lines.flatMap(({ tax_id }) => tax_id ?? []))]
  return readDocumentContext(books, {
    contactId,
    branchId: order.branch_id,
    itemIds: [],
    taxIds,
    accountIds: [],
    tags: [],
    rate: null,
    date: today(books),
    invoiceNumber: null,
  })
}

function filledOf(lines: LineRow[], parts: Part[], taxes: (Tax & { id: string })[]): FilledLine[] {
  const [lineOf, taxOf] = [new Map(lines.map((line) => [line.id, line])), new Map(taxes.map((tax) => [tax.id, tax]))]
  return parts.map(({ lineId, quantity, discount }) => {
    const { item_id, name, description, hsn_or_sac, unit, rate, tax_id, tax_percentage, account_id } =
      lineOf.get(lineId)!
    const tax = tax_id === null ? null : taxOf.get(tax_id)!
    return {
      item_id,
      name,
      description,
      hsn_or_sac,
      quantity,
      unit,
      rate,
      discount,
      tax_id,
      tax,
      tax_percentage,
      account_id,
    }
  })
}
