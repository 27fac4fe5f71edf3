// The initial data of a new organisation: chart of accounts, taxes, branch, periods, number series, currencies.
import { CHART_OF_ACCOUNTS } from '../../domain/accounts.ts'
import { COMMON_CURRENCIES, findCurrency } from '../../domain/currencies.ts'
import { dateInZone } from '../../domain/dates.ts'
import { missingYears } from '../../domain/financial-year.ts'
import { DOCUMENTS } from '../../domain/documents.ts'
import { GST_TAX_LIST } from '../../domain/gst.ts'
import { accounts } from '../../models/account.ts'
import { branches } from '../../models/branch.ts'
import { currencies } from '../../models/currency.ts'
import type { OrganizationRow } from '../../models/organization.ts'
import { taxes } from '../../models/tax.ts'
import type { Books } from '../books/books.ts'
import { openFinancialYear } from '../ledger/financial-years.ts'

/** Seeds the organisation whose books are open (decisions §2). */
export function seedOrganization(books: Books, organization: OrganizationRow, city: string | null): void {
  seedChart(books, organization.currency_code)
  for (const tax of GST_TAX_LIST) books.insert(taxes, { ...tax, id: books.newId(), ...times(books) })
  seedCurrencies(books, organization.currency_code)
  const branch = books.insert(branches, {
    id: books.newId(),
    code: 'HO',
    name: 'Head Office',
    gstin: organization.gstin,
    state: organization.state_code,
    city,
    address: null,
    dispatch_address: null,
    is_default: true,
    is_active: true,
    invoice_prefix: DOCUMENTS.INVOICE.prefix,
    bill_prefix: DOCUMENTS.BILL.prefix,
    ...times(books),
  })
  const today = dateInZone(books.now.toISOString(), organization.time_zone)
  for (const year of missingYears([], today, organization.fiscal_year_start_month))
    openFinancialYear(books, [branch], year)
}

function seedChart(books: Books, currency: string): void {
  const idOfCode = new Map(CHART_OF_ACCOUNTS.map(({ code }) => [code, books.newId()]))
  for (const { code, name, accountType, role, parentCode, description } of CHART_OF_ACCOUNTS) {
    books.insert(accounts, {
      id: idOfCode.get(code)!,
      code,
      name,
      account_type: accountType,
      role,
      parent_id: parentCode === null ? null : idOfCode.get(parentCode)!,
      description,
      currency_code: currency,
      is_active: true,
      is_system: role !== null,
      ...times(books),
    })
  }
}

function seedCurrencies(books: Books, base: string): void {
  const common = COMMON_CURRENCIES.some(({ code }) => code === base)
    ? COMMON_CURRENCIES
    : [findCurrency(base)!, ...COMMON_CURRENCIES]
  for (const { code, name, symbol, minorDigits } of common) {
    books.insert(currencies, { currency_code: code, name, symbol, minor_digits: minorDigits, is_enabled: true })
  }
}

const times = (books: Books) => ({ created_time: books.now, last_modified_time: books.now })
