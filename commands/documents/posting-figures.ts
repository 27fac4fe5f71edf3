// The figures and accounts that the posting of a document is computed from.
import { sum } from '../../domain/money.ts'
import type { BillFigures } from '../../domain/posting/bill.ts'
import type { InvoiceFigures } from '../../domain/posting/invoice.ts'
import type { PostingAccounts } from '../../models/document-context.ts'
import type { DocumentRow, LineRow, ReverseCharge } from '../../models/document.ts'
import type { Books } from '../books/books.ts'

type SaleRow = DocumentRow & { customer_id: string; lines: LineRow[] }
type PurchaseRow = DocumentRow & { vendor_id: string; lines: (LineRow & ReverseCharge)[] }

/** The figures of a sale, or of a credit note to a customer. */
export function saleFigures(
  books: Books,
  sale: SaleRow,
  { roles, round_off_account }: PostingAccounts,
): InvoiceFigures {
  return {
    ...figuresOf(books, sale),
    customerId: sale.customer_id,
    cgst: sale.cgst,
    sgst: sale.sgst,
    igst: sale.igst,
    cess: sale.cess,
    accounts: {
      receivable: roles.ACCOUNTS_RECEIVABLE!,
      sales: roles.SALES!,
      outputCgst: roles.OUTPUT_CGST!,
      outputSgst: roles.OUTPUT_SGST!,
      outputIgst: roles.OUTPUT_IGST!,
      outputCess: roles.OUTPUT_CESS!,
      roundOff: round_off_account,
    },
  }
}

/** The figures of a purchase, or of a debit note or a credit from a vendor. */
export function purchaseFigures(
  books: Books,
  purchase: PurchaseRow,
  { roles, round_off_account }: PostingAccounts,
): BillFigures {
  const ofLines = (tax: keyof ReverseCharge) => sum(purchase.lines.map((line) => line[tax]))
  return {
    ...figuresOf(books, purchase),
    vendorId: purchase.vendor_id,
    charged: { cgst: purchase.cgst, sgst: purchase.sgst, igst: purchase.igst, cess: purchase.cess },
    selfAssessed: {
      cgst: ofLines('rcm_cgst'),
      sgst: ofLines('rcm_sgst'),
      igst: ofLines('rcm_igst'),
      cess: ofLines('rcm_cess'),
    },
    accounts: {
      payable: roles.ACCOUNTS_PAYABLE!,
      input: { cgst: roles.INPUT_CGST!, sgst: roles.INPUT_SGST!, igst: roles.INPUT_IGST!, cess: roles.INPUT_CESS! },
      reverseCharge: {
        cgst: roles.RCM_OUTPUT_CGST!,
        sgst: roles.RCM_OUTPUT_SGST!,
        igst: roles.RCM_OUTPUT_IGST!,
        cess: roles.RCM_OUTPUT_CESS!,
      },
      roundOff: round_off_account,
    },
  }
}

function figuresOf(
  books: Books,
  { currency_code, exchange_rate, total, round_off, lines }: DocumentRow & { lines: LineRow[] },
) {
  return {
    currency: currency_code,
    exchangeRate: exchange_rate,
    baseCurrency: books.organization.currency_code,
    total,
    roundOff: round_off,
    lines: lines.map(({ account_id, item_total }) => ({ accountId: account_id, taxable: item_total })),
  }
}
