// Drafts an expense from a body: finds its vendor, accounts and taxes, and prices its lines.
import { refuseWrongParty } from '../../domain/contact-type.ts'
import { decimalText } from '../../domain/decimal.ts'
import { isMoney, priceExpense } from '../../domain/expense.ts'
import { notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { amountAboveZero } from '../../domain/money.ts'
import { accountFor, EXPENSE_ACCOUNT } from '../../domain/named-account.ts'
import { isIntraState } from '../../domain/place-of-supply.ts'
import {
  readExpenseContext,
  type Expense,
  type ExpenseContext,
  type ExpenseLineRow,
  type ExpenseRow,
} from '../../models/expense.ts'
import type { Books } from '../books/books.ts'
import { documentDateOf, knownIds, refuseClosedTags, refuseUnknownTags } from '../documents/drafting.ts'

/** A line as a caller sends it. */
export interface ExpenseLineInput {
  account_id?: string | null
  amount: number
  tax_id?: string | null
  note?: string | null
}

/** A line of a PUT: with an id it changes that line, and fields that are left out stay; without an id it is a new line. */
export type ExpenseLineChanges = Partial<ExpenseLineInput> & { line_item_id?: string | null }

/** For each line of the input, by its index: the existing line of the expense that it changes, or null for a new line. */
export type ExistingExpenseLines = readonly (ExpenseLineRow | null)[]

/** An expense before the change, undefined for a new one, with the lines that those of the input change. */
interface DraftedFrom {
  before?: Expense
  existing: ExistingExpenseLines
}

/** The body of POST /expenses; its shape and expenseProblems decide what may be left out. Dates as the wire sends them. */
export interface NewExpense {
  date: string
  account_id?: string | null
  paid_through_account_id: string
  amount?: number | null
  mode?: string | null
  reference_number?: string | null
  vendor_id?: string | null
  tax_id?: string | null
  is_inclusive_tax?: boolean | null
  notes?: string | null
  line_items?: ExpenseLineInput[] | null
  is_rcm?: boolean | null
  rcm_rate?: number | null
  itc_blocked_reason?: string | null
  tags?: string[] | null
}

export type ExpenseHeader = Omit<
  ExpenseRow,
  'org_id' | 'id' | 'expense_number' | 'version' | 'created_time' | 'last_modified_time'
>
export type ExpenseLine = Omit<ExpenseLineRow, 'org_id' | 'id' | 'expense_id' | 'line_no'>

/**
 * The columns of the expense and of its lines. An existing line keeps its own tax instead of taking the header's.
 * An expense keeps an account that is no longer active.
 * Throws not_found.resource for a record that is not the organisation's, and validation.invalid_value for an account of the
 * wrong type or one that is not active, or an invalid amount.
 */
export function draftExpense(
  books: Books,
  context: ExpenseContext,
  input: NewExpense,
  { before, existing }: DraftedFrom = { existing: [] },
): { header: ExpenseHeader; lines: ExpenseLine[] } {
  const currency = books.organization.currency_code
  const keptAccounts = before ? [before.account_id, ...before.lines.map((line) => line.account_id)] : []
  const find = findersOf(context, new Set(keptAccounts))
  find.all(input)
  const tags = knownIds(input.tags ?? [], 'tags')
  refuseUnknownTags(tags, context)
  if (!before) refuseClosedTags(context)
  const itemized = input.line_items != null
  // An expense without line_items has one line, which takes everything from the header.
  const sentLines = (input.line_items ?? [{ amount: input.amount! }]).map((line, index) => {
    const field = (name: string) => (itemized ? `line_items.${index}.${name}` : name)
    return {
      account_id: find.spending(
        line.account_id ?? input.account_id!,
        line.account_id == null ? 'account_id' : field('account_id'),
      ),
      amount: amountAboveZero(line.amount, currency, field('amount')),
      tax:
        find.tax(line.tax_id, field('tax_id')) ??
        (itemized && existing[index] ? null : find.tax(input.tax_id, 'tax_id')),
      note: line.note ?? null,
    }
  })
  const vendor = find.vendor(input.vendor_id)
  const priced = priceExpense({
    currency,
    lines: sentLines,
    inclusive: input.is_inclusive_tax ?? false,
    reverseCharge: input.is_rcm ? { rate: input.rcm_rate == null ? null : decimalText(input.rcm_rate) } : null,
    intraState:
      vendor?.place_of_contact && context.branch_state
        ? isIntraState(vendor.place_of_contact, context.branch_state)
        : null,
  })
  const header: ExpenseHeader = {
    date: documentDateOf(books, input.date),
    vendor_id: vendor?.id ?? null,
    vendor_name: vendor?.contact_name ?? null,
    account_id: input.account_id == null ? null : find.spending(input.account_id, 'account_id'),
    paid_through_account_id: find.money(input.paid_through_account_id),
    itemized,
    amount: priced.amount,
    mode: input.mode ?? null,
    reference_number: input.reference_number ?? null,
    tax_id: find.tax(input.tax_id, 'tax_id')?.id ?? null,
    is_inclusive_tax: input.is_inclusive_tax ?? false,
    is_rcm: input.is_rcm ?? false,
    rcm_rate: input.rcm_rate == null ? null : decimalText(input.rcm_rate),
    itc_blocked_reason: input.itc_blocked_reason ?? null,
    notes: input.notes ?? null,
    sub_total: priced.subTotal,
    tax_total: priced.taxTotal,
    rcm_tax_total: priced.selfAssessedTotal,
    total: priced.total,
    tags,
  }
  const lines = sentLines.map(({ tax, ...line }, index): ExpenseLine => {
    const { taxable, percentage, charged, selfAssessed } = priced.lines[index]!
    const { cgst: rcm_cgst, sgst: rcm_sgst, igst: rcm_igst, cess: rcm_cess } = selfAssessed
    return {
      ...line,
      tax_id: tax?.id ?? null,
      tax_percentage: percentage,
      item_total: taxable,
      ...charged,
      rcm_cgst,
      rcm_sgst,
      rcm_igst,
      rcm_cess,
    }
  })
  return { header, lines }
}

/** Reads the records that the body names. */
export function expenseContextOf(books: Books, input: NewExpense): Promise<ExpenseContext> {
  const lines = input.line_items ?? []
  const known = (ids: (string | null | undefined)[]) => [
    ...new Set(ids.filter((id): id is string => id != null && isId(id)).map((id) => id.toLowerCase())),
  ]
  return readExpenseContext(books, {
    vendorId: known([input.vendor_id])[0] ?? null,
    accountIds: known([input.account_id, input.paid_through_account_id, ...lines.map((line) => line.account_id)]),
    taxIds: known([input.tax_id, ...lines.map((line) => line.tax_id)]),
    tags: known(input.tags ?? []),
  })
}

// Finders for the records that a body names; each throws not_found.resource.
function findersOf({ vendor, accounts, taxes }: ExpenseContext, keptAccounts: ReadonlySet<string | null>) {
  const accountOf = new Map(accounts.map((account) => [account.id, account]))
  const taxOf = new Map(taxes.map((tax) => [tax.id, tax]))
  const refuseMissing = (
    id: string | null | undefined,
    known: ReadonlyMap<string, unknown>,
    field: string,
    what: string,
  ) => {
    if (id != null && !known.has(id.toLowerCase())) throw notFound(what, field)
  }
  const moneyOf = (id: string): string => {
    const account = accountOf.get(id.toLowerCase())
    if (!account || !isMoney(account.account_type)) throw notFound('bank or cash account', 'paid_through_account_id')
    return account.id
  }
  return {
    /** Errors for records that do not exist come before errors for values (decisions §1). */
    all({ vendor_id, account_id, paid_through_account_id, tax_id, line_items }: NewExpense): void {
      if (vendor_id != null && !vendor) throw notFound('contact', 'vendor_id')
      refuseMissing(account_id, accountOf, 'account_id', 'account')
      moneyOf(paid_through_account_id)
      refuseMissing(tax_id, taxOf, 'tax_id', 'tax')
      for (const [index, line] of (line_items ?? []).entries()) {
        refuseMissing(line.account_id, accountOf, `line_items.${index}.account_id`, 'account')
        refuseMissing(line.tax_id, taxOf, `line_items.${index}.tax_id`, 'tax')
      }
    },
    vendor(id: string | null | undefined) {
      if (id == null) return null
      if (!vendor) throw notFound('contact', 'vendor_id')
      refuseWrongParty(vendor.contact_type, 'vendor', 'vendor_id')
      return vendor
    },
    tax(id: string | null | undefined, field: string) {
      if (id == null) return null
      const tax = taxOf.get(id.toLowerCase())
      if (!tax) throw notFound('tax', field)
      return tax
    },
    spending(id: string, field: string): string {
      const account = accountOf.get(id.toLowerCase())
      const isKept = account !== undefined && keptAccounts.has(account.id)
      return accountFor(EXPENSE_ACCOUNT, isKept ? { ...account, is_active: true } : account, field)
    },
    money: moneyOf,
  }
}
