// The chart of accounts: what postings need is there, once, on its side.
import { describe, expect, test } from '@jest/globals'
import {
  ACCOUNT_TYPES, CHART_OF_ACCOUNTS, isDebitNormal, type AccountRole, type AccountType,
} from '../../domain/accounts.ts'

describe('the chart of accounts', () => {
  test.each<[AccountRole, string, AccountType]>([
    ['BANK', 'Bank Account', 'BANK'],
    ['CASH', 'Cash in Hand', 'CASH'],
    ['ACCOUNTS_RECEIVABLE', 'Accounts Receivable', 'ACCOUNTS_RECEIVABLE'],
    ['ACCOUNTS_PAYABLE', 'Accounts Payable', 'ACCOUNTS_PAYABLE'],
    ['STOCK', 'Stock in Hand', 'STOCK'],
    ['SALES', 'Sales', 'SALES'],
    ['PURCHASES', 'Purchases', 'COST_OF_GOODS_SOLD'],
    ['GENERAL_EXPENSE', 'General Expenses', 'EXPENSE'],
    ['ROUND_OFF', 'Round Off', 'OTHER_EXPENSE'],
    ['BANK_CHARGES', 'Bank Charges', 'EXPENSE'],
    ['EXCHANGE_GAIN_LOSS', 'Exchange Gain or Loss', 'OTHER_EXPENSE'],
    ['TDS_RECEIVABLE', 'TDS Receivable', 'TDS_ASSET'],
    ['TDS_PAYABLE', 'TDS Payable', 'TDS_LIABILITY'],
    ['INPUT_CGST', 'Input CGST', 'GST_ASSET'],
    ['INPUT_SGST', 'Input SGST', 'GST_ASSET'],
    ['INPUT_IGST', 'Input IGST', 'GST_ASSET'],
    ['INPUT_CESS', 'Input Cess', 'GST_ASSET'],
    ['OUTPUT_CGST', 'Output CGST', 'GST_LIABILITY'],
    ['OUTPUT_SGST', 'Output SGST', 'GST_LIABILITY'],
    ['OUTPUT_IGST', 'Output IGST', 'GST_LIABILITY'],
    ['OUTPUT_CESS', 'Output Cess', 'GST_LIABILITY'],
    ['RCM_OUTPUT_CGST', 'Output CGST (RCM)', 'GST_LIABILITY'],
    ['RCM_OUTPUT_SGST', 'Output SGST (RCM)', 'GST_LIABILITY'],
    ['RCM_OUTPUT_IGST', 'Output IGST (RCM)', 'GST_LIABILITY'],
    ['RCM_OUTPUT_CESS', 'Output Cess (RCM)', 'GST_LIABILITY'],
    ['GST_PAYABLE', 'GST Payable', 'GST_LIABILITY'],
    ['CAPITAL', 'Capital Account', 'EQUITY'],
    ['RETAINED_EARNINGS', 'Retained Earnings', 'RETAINED_EARNINGS'],
    ['OPENING_BALANCE', 'Opening Balance Equity', 'EQUITY'],
  ])('has %s as %s', (role, name, accountType) => {
    expect(CHART_OF_ACCOUNTS.filter(account => account.role === role)).toMatchObject([{ name, accountType }])
  })

  test('gives every code and name once, parents before children of their own type', () => {
    const seen = new Map<string, AccountType>()
    for (const { code, accountType, parentCode } of CHART_OF_ACCOUNTS) {
      expect(code).toMatch(/^[1-6]\d{3}$/)
      expect(seen.has(code)).toBe(false)
      if (parentCode !== null) expect(seen.get(parentCode)).toBe(accountType)
      seen.set(code, accountType)
    }
    expect(new Set(CHART_OF_ACCOUNTS.map(account => account.name)).size).toBe(CHART_OF_ACCOUNTS.length)
  })

  test('numbers debit accounts 1, 5 and 6, credit accounts 2, 3 and 4', () => {
    for (const { code, accountType } of CHART_OF_ACCOUNTS) {
      expect([code, isDebitNormal(accountType)]).toEqual([code, ['1', '5', '6'].includes(code.charAt(0))])
    }
  })

  test('uses every type that there is', () => {
    const used = new Set(CHART_OF_ACCOUNTS.map(account => account.accountType))
    expect(ACCOUNT_TYPES.filter(type => !used.has(type))).toEqual([])
  })
})
