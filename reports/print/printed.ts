// Reads a document with everything that is printed of it and beside it, as of one moment.
import { indianTime } from '../../domain/e-invoice/signed-qr.ts'
import type { ShownEInvoice } from '../../domain/e-invoice/state.ts'
import { factsOf, type PrintedKind } from '../../domain/documents.ts'
import { isId } from '../../domain/ids.ts'
import { printPayment } from '../../domain/print/print-payment.ts'
import { isPayableByUpi, printTrade } from '../../domain/print/print-trade.ts'
import type { InvoiceTemplate } from '../../domain/preferences.ts'
import type { PictureName, PrintedDocument } from '../../domain/print/printed-document.ts'
import type {
  EInvoiceOnPaper,
  PrintedTrade,
  PrintedTradeLine,
  Surroundings,
} from '../../domain/print/printed-source.ts'
import { printableLine } from '../../domain/print/printable-text.ts'
import { upiLink } from '../../domain/print/upi-link.ts'
import type { BoundStatement } from '../../models/connection.ts'
import type { SnapshotScope } from '../../models/whole-rows.ts'
import { type CodeName, drawnCode } from './codes.ts'
import { letterheadHash, templateOf, type PrintKey } from './print-key.ts'
import { paymentOf, tradeOf, type PaymentColumns, type TradeColumns } from './columns.ts'
import { WITH_SURROUNDINGS, type HeadWithSurroundings } from './surroundings.ts'

/** `pictures` are PNG or JPEG by the names of their frames; the rest is as in PrintKey. */
export type Printed = NonNullable<Awaited<ReturnType<typeof readPrinted>>>
type Pictures = Partial<Record<PictureName, Buffer>>

type Reading = Pick<SnapshotScope, 'database' | 'orgId'>

/**
 * What the template is filled with, in one round trip; null where the organisation has no such document. Without `template`,
 * that of the organisation.
 */
export async function readPrinted(
  { database, orgId }: Reading,
  kind: PrintedKind,
  id: string,
  template?: InvoiceTemplate,
): Promise<(PrintKey & { data: PrintedDocument; pictures: Pictures }) | null> {
  if (!isId(id)) return null
  const { table, lines } = factsOf(kind)
  const [[head], [row], [logo], [eInvoice], found = []] = (await database.snapshot([
    [WITH_SURROUNDINGS[kind], [orgId, id]],
    [{ name: UNPREPARED, text: `SELECT * FROM ${table} WHERE org_id = $1 AND id = $2` }, [orgId, id]],
    [LOGO, [orgId]],
    [IRN_CANCELLED, [orgId, id]],
    ...(lines === undefined ? [] : [linesOf(kind, orgId, id)]),
  ])) as [
    HeadWithSurroundings[],
    (TradeColumns | PaymentColumns)[],
    { content: Buffer }[],
    { cancelled_at: Date | null }[],
    PrintedTradeLine[]?,
  ]
  if (!head || !row) return null
  const { surroundings, version, number } = head
  const name = templateOf(kind, template ?? head.invoice_template)
  const { data, codes } =
    kind === 'PAYMENT'
      ? { data: printPayment(paymentOf(row as PaymentColumns, number), surroundings), codes: {} }
      : printedTrade(tradeOf(kind, row as TradeColumns, number, found), surroundings, {
          shown: (row as TradeColumns).e_invoice,
          cancelledAt: eInvoice?.cancelled_at ?? null,
        })
  return {
    data,
    pictures: { ...(logo ? { logo: logo.content } : {}), ...drawn(codes) },
    version,
    letterhead: letterheadHash(head, name),
    template: name,
    number,
  }
}

// A prepared `SELECT *` fails on its connection from the migration on that adds a column, until the process starts again.
const UNPREPARED = ''

const IRN_CANCELLED = {
  name: 'when an IRN was cancelled',
  text: 'SELECT cancelled_at FROM e_invoices WHERE org_id = $1 AND id = $2',
}
const LOGO = { name: 'logo', text: 'SELECT content FROM logos WHERE org_id = $1' }

const linesOf = (kind: PrintedKind, orgId: string, id: string): BoundStatement => [
  {
    name: UNPREPARED,
    text: `SELECT l.*, CASE WHEN t.id IS NOT NULL THEN jsonb_build_object(
          'shape', t.shape, 'cgst', t.cgst::text, 'sgst', t.sgst::text, 'igst', t.igst::text, 'cess', t.cess::text) END AS tax
        FROM ${factsOf(kind).lines} AS l LEFT JOIN taxes AS t ON t.org_id = l.org_id AND t.id = l.tax_id
        WHERE l.org_id = $1 AND l.${factsOf(kind).id} = $2 ORDER BY l.line_no`,
  },
  [orgId, id],
]

type Codes = Partial<Record<CodeName, string>>

function printedTrade(
  trade: PrintedTrade,
  surroundings: Surroundings,
  { shown, cancelledAt }: { shown: ShownEInvoice | null | undefined; cancelledAt: Date | null },
): { data: PrintedDocument; codes: Codes } {
  const { organization, pdf } = surroundings
  const data = printTrade(trade, surroundings, shown ? onPaper(shown, cancelledAt) : null)
  // A code that scans as valid does not belong on what is cancelled.
  const codes: Codes = shown?.status === 'GENERATED' ? { 'signed-qr': shown.signed_qr! } : {}
  if (!isPayableByUpi(trade, surroundings)) return { data, codes }
  const link = upiLink({
    address: pdf!.upi_id!,
    payee: printableLine(organization.name),
    amount: trade.total - trade.paid - trade.credited,
    note: printableLine(trade.number),
  })
  return { data, codes: { ...codes, 'upi-qr': link } }
}

const onPaper = ({ status, irn, ack_no, ack_date }: ShownEInvoice, cancelledAt: Date | null): EInvoiceOnPaper => ({
  status,
  irn,
  ack_no,
  ack_date: ack_date && indianTime(new Date(ack_date)),
  cancelled_at: cancelledAt && indianTime(cancelledAt),
})

function drawn(codes: Codes): Pictures {
  const named = Object.entries(codes) as [CodeName, string][]
  return Object.fromEntries(named.map(([name, text]) => [name, drawnCode(name, text)] as const))
}
