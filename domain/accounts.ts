// The types and roles of accounts, and the chart of accounts that a new organisation gets.

/** The account types of the specification, whose list is open-ended, and the further ones that an Indian chart needs. */
export const ACCOUNT_TYPES = [
  'BANK',
  'CASH',
  'ACCOUNTS_RECEIVABLE',
  'STOCK',
  'GST_ASSET',
  'TDS_ASSET',
  'OTHER_CURRENT_ASSET',
  'FIXED_ASSET',
  'ACCOUNTS_PAYABLE',
  'GST_LIABILITY',
  'TDS_LIABILITY',
  'OTHER_CURRENT_LIABILITY',
  'LONG_TERM_LIABILITY',
  'EQUITY',
  'RETAINED_EARNINGS',
  'SALES',
  'INCOME',
  'OTHER_INCOME',
  'COST_OF_GOODS_SOLD',
  'EXPENSE',
  'OTHER_EXPENSE',
] as const

export type AccountType = (typeof ACCOUNT_TYPES)[number]

const DEBIT_NORMAL: ReadonlySet<AccountType> = new Set<AccountType>([
  'BANK',
  'CASH',
  'ACCOUNTS_RECEIVABLE',
  'STOCK',
  'GST_ASSET',
  'TDS_ASSET',
  'OTHER_CURRENT_ASSET',
  'FIXED_ASSET',
  'COST_OF_GOODS_SOLD',
  'EXPENSE',
  'OTHER_EXPENSE',
])

/** True for assets and expenses, whose balances are positive on the debit side (decisions §10, Documents). */
export function isDebitNormal(accountType: AccountType): boolean {
  return DEBIT_NORMAL.has(accountType)
}

const REVENUE: ReadonlySet<AccountType> = new Set<AccountType>(['SALES', 'INCOME', 'OTHER_INCOME'])

/** True for the accounts that a sale may be credited to. */
export function isRevenue(accountType: AccountType): boolean {
  return REVENUE.has(accountType)
}

const SPENDING: ReadonlySet<AccountType> = new Set<AccountType>([
  'EXPENSE',
  'COST_OF_GOODS_SOLD',
  'OTHER_EXPENSE',
  'STOCK',
  'FIXED_ASSET',
  'OTHER_CURRENT_ASSET',
])

/** True for the accounts that a purchase or an expense may be debited to: costs, and the assets that money is spent on. */
export function isSpending(accountType: AccountType): boolean {
  return SPENDING.has(accountType)
}

/** The role by which postings find an account. An account that is renamed keeps its role. */
export type AccountRole =
  | 'BANK'
  | 'CASH'
  | 'ACCOUNTS_RECEIVABLE'
  | 'ACCOUNTS_PAYABLE'
  | 'STOCK'
  | 'INPUT_CGST'
  | 'INPUT_SGST'
  | 'INPUT_IGST'
  | 'INPUT_CESS'
  | 'OUTPUT_CGST'
  | 'OUTPUT_SGST'
  | 'OUTPUT_IGST'
  | 'OUTPUT_CESS'
  | 'RCM_OUTPUT_CGST'
  | 'RCM_OUTPUT_SGST'
  | 'RCM_OUTPUT_IGST'
  | 'RCM_OUTPUT_CESS'
  | 'GST_PAYABLE'
  | 'TDS_RECEIVABLE'
  | 'TDS_PAYABLE'
  | 'SALES'
  | 'PURCHASES'
  | 'GENERAL_EXPENSE'
  | 'BANK_CHARGES'
  | 'EXCHANGE_GAIN_LOSS'
  | 'ROUND_OFF'
  | 'CAPITAL'
  | 'RETAINED_EARNINGS'
  | 'OPENING_BALANCE'

export interface ChartAccount {
  code: string
  name: string
  accountType: AccountType
  role: AccountRole | null
  parentCode: string | null
  description: string | null
}

type Row = readonly [
  code: string,
  name: string,
  accountType: AccountType,
  role: AccountRole | null,
  parentCode: string | null,
  description: string,
]

// The first digit of a code is the section of the balance sheet or of the profit and loss account: 1 assets, 2 liabilities,
// 3 capital, 4 income, 5 cost of sales, 6 expenses. A parent account is a
// heading; no posting uses one by default.
const ROWS: readonly Row[] = [
  ['1000', 'Bank Account', 'BANK', 'BANK', null, 'The current account that receipts and payments go through.'],
  ['1010', 'Cash in Hand', 'CASH', 'CASH', null, 'Notes and coins in the till.'],
  ['1020', 'Petty Cash', 'CASH', null, null, 'Cash kept for small expenses.'],
  ['1100', 'Accounts Receivable', 'ACCOUNTS_RECEIVABLE', 'ACCOUNTS_RECEIVABLE', null, 'What customers owe.'],
  ['1200', 'Stock in Hand', 'STOCK', 'STOCK', null, 'Goods bought and not yet sold.'],
  ['1300', 'GST Input Credit', 'GST_ASSET', null, null, 'Input tax credit, by tax.'],
  ['1310', 'Input CGST', 'GST_ASSET', 'INPUT_CGST', '1300', 'Central tax paid on purchases.'],
  ['1320', 'Input SGST', 'GST_ASSET', 'INPUT_SGST', '1300', 'State tax paid on purchases.'],
  ['1330', 'Input IGST', 'GST_ASSET', 'INPUT_IGST', '1300', 'Integrated tax paid on purchases.'],
  ['1340', 'Input Cess', 'GST_ASSET', 'INPUT_CESS', '1300', 'Compensation cess paid on purchases.'],
  ['1400', 'TDS Receivable', 'TDS_ASSET', 'TDS_RECEIVABLE', null, 'Tax that customers deducted at source.'],
  ['1410', 'Advance Income Tax', 'TDS_ASSET', null, null, 'Income tax paid in advance.'],
  ['1500', 'Prepaid Expenses', 'OTHER_CURRENT_ASSET', null, null, 'Expenses paid for later periods.'],
  ['1510', 'Security Deposits', 'OTHER_CURRENT_ASSET', null, null, 'Deposits with landlords and suppliers.'],
  ['1520', 'Staff Advances', 'OTHER_CURRENT_ASSET', null, null, 'Advances to employees.'],
  ['1600', 'Fixed Assets', 'FIXED_ASSET', null, null, 'What the business uses for years.'],
  ['1610', 'Land and Building', 'FIXED_ASSET', null, '1600', 'Premises owned.'],
  ['1620', 'Plant and Machinery', 'FIXED_ASSET', null, '1600', 'Machines and tools.'],
  ['1630', 'Furniture and Fixtures', 'FIXED_ASSET', null, '1600', 'Furniture and fittings.'],
  ['1640', 'Computers', 'FIXED_ASSET', null, '1600', 'Computers and software.'],
  ['1650', 'Vehicles', 'FIXED_ASSET', null, '1600', 'Cars, vans and trucks.'],
  ['1690', 'Accumulated Depreciation', 'FIXED_ASSET', null, '1600', 'Depreciation written off so far.'],
  ['2000', 'Accounts Payable', 'ACCOUNTS_PAYABLE', 'ACCOUNTS_PAYABLE', null, 'What is owed to vendors.'],
  ['2100', 'GST Output Tax', 'GST_LIABILITY', null, null, 'Tax charged on sales, by tax.'],
  ['2110', 'Output CGST', 'GST_LIABILITY', 'OUTPUT_CGST', '2100', 'Central tax charged on sales.'],
  ['2120', 'Output SGST', 'GST_LIABILITY', 'OUTPUT_SGST', '2100', 'State tax charged on sales.'],
  ['2130', 'Output IGST', 'GST_LIABILITY', 'OUTPUT_IGST', '2100', 'Integrated tax charged on sales.'],
  ['2140', 'Output Cess', 'GST_LIABILITY', 'OUTPUT_CESS', '2100', 'Compensation cess charged on sales.'],
  ['2150', 'GST Reverse Charge', 'GST_LIABILITY', null, null, 'Self-assessed tax, by tax.'],
  ['2160', 'Output CGST (RCM)', 'GST_LIABILITY', 'RCM_OUTPUT_CGST', '2150', 'Central tax under reverse charge.'],
  ['2170', 'Output SGST (RCM)', 'GST_LIABILITY', 'RCM_OUTPUT_SGST', '2150', 'State tax under reverse charge.'],
  ['2180', 'Output IGST (RCM)', 'GST_LIABILITY', 'RCM_OUTPUT_IGST', '2150', 'Integrated tax under reverse charge.'],
  ['2185', 'Output Cess (RCM)', 'GST_LIABILITY', 'RCM_OUTPUT_CESS', '2150', 'Compensation cess under reverse charge.'],
  ['2190', 'GST Payable', 'GST_LIABILITY', 'GST_PAYABLE', null, 'Net tax of a filed return, until it is paid.'],
  ['2200', 'TDS Payable', 'TDS_LIABILITY', 'TDS_PAYABLE', null, 'Tax deducted at source, to be deposited.'],
  ['2300', 'Salaries Payable', 'OTHER_CURRENT_LIABILITY', null, null, 'Salaries due and not yet paid.'],
  ['2310', 'Provident Fund and ESI Payable', 'OTHER_CURRENT_LIABILITY', null, null, 'Contributions to be deposited.'],
  ['2320', 'Professional Tax Payable', 'OTHER_CURRENT_LIABILITY', null, null, 'Professional tax to be deposited.'],
  ['2330', 'Expenses Payable', 'OTHER_CURRENT_LIABILITY', null, null, 'Expenses due and not yet billed.'],
  ['2340', 'Customer Deposits', 'OTHER_CURRENT_LIABILITY', null, null, 'Deposits held for customers.'],
  ['2350', 'Provision for Income Tax', 'OTHER_CURRENT_LIABILITY', null, null, 'Income tax not yet assessed.'],
  ['2500', 'Secured Loans', 'LONG_TERM_LIABILITY', null, null, 'Loans against security.'],
  ['2510', 'Unsecured Loans', 'LONG_TERM_LIABILITY', null, null, 'Loans without security.'],
  ['3000', 'Capital Account', 'EQUITY', 'CAPITAL', null, 'What the owners put in.'],
  ['3010', 'Drawings', 'EQUITY', null, null, 'What the owners took out.'],
  ['3100', 'Retained Earnings', 'RETAINED_EARNINGS', 'RETAINED_EARNINGS', null, 'Profits of earlier years.'],
  ['3200', 'Opening Balance Equity', 'EQUITY', 'OPENING_BALANCE', null, 'The other side of opening balances.'],
  ['4000', 'Sales', 'SALES', 'SALES', null, 'Goods and services sold.'],
  ['4010', 'Service Income', 'SALES', null, null, 'Services sold, where kept apart from goods.'],
  ['4020', 'Export Sales', 'SALES', null, null, 'Sales to customers outside India.'],
  ['4100', 'Shipping Charges', 'INCOME', null, null, 'Freight charged to customers.'],
  ['4200', 'Interest Income', 'OTHER_INCOME', null, null, 'Interest of deposits and of late customers.'],
  ['4210', 'Discount Received', 'OTHER_INCOME', null, null, 'Discounts that vendors gave.'],
  ['4290', 'Other Income', 'OTHER_INCOME', null, null, 'Income outside the trade.'],
  ['5000', 'Purchases', 'COST_OF_GOODS_SOLD', 'PURCHASES', null, 'Goods bought to be sold.'],
  ['5010', 'Cost of Goods Sold', 'COST_OF_GOODS_SOLD', null, null, 'Cost of the goods that were sold.'],
  ['5020', 'Freight Inward', 'COST_OF_GOODS_SOLD', null, null, 'Carriage of goods bought.'],
  ['5030', 'Job Work Charges', 'COST_OF_GOODS_SOLD', null, null, 'Work done on goods by others.'],
  ['6000', 'General Expenses', 'EXPENSE', 'GENERAL_EXPENSE', null, 'Expenses without an account of their own.'],
  ['6010', 'Salaries and Wages', 'EXPENSE', null, null, 'Pay of employees.'],
  ['6020', 'Staff Welfare', 'EXPENSE', null, null, 'Meals, training, well-being of employees.'],
  ['6030', 'Rent', 'EXPENSE', null, null, 'Rent of premises and equipment.'],
  ['6040', 'Electricity and Water', 'EXPENSE', null, null, 'Power, fuel and water.'],
  ['6050', 'Telephone and Internet', 'EXPENSE', null, null, 'Telephone, internet, hosting.'],
  ['6060', 'Printing and Stationery', 'EXPENSE', null, null, 'Paper, printing, office needs.'],
  ['6070', 'Postage and Courier', 'EXPENSE', null, null, 'Letters and parcels.'],
  ['6080', 'Travelling and Conveyance', 'EXPENSE', null, null, 'Journeys on business.'],
  ['6090', 'Repairs and Maintenance', 'EXPENSE', null, null, 'Keeping premises and machines in order.'],
  ['6100', 'Legal and Professional Fees', 'EXPENSE', null, null, 'Lawyers, accountants, consultants.'],
  ['6110', 'Audit Fees', 'EXPENSE', null, null, 'Fees of the auditor.'],
  ['6120', 'Advertisement and Promotion', 'EXPENSE', null, null, 'Advertising and sales promotion.'],
  ['6130', 'Commission and Brokerage', 'EXPENSE', null, null, 'Commission to agents.'],
  ['6140', 'Insurance', 'EXPENSE', null, null, 'Premiums.'],
  ['6150', 'Rates and Taxes', 'EXPENSE', null, null, 'Licences, municipal and other taxes.'],
  ['6160', 'Freight Outward', 'EXPENSE', null, null, 'Carriage of goods sold.'],
  ['6170', 'Software Subscriptions', 'EXPENSE', null, null, 'Software paid by the month or year.'],
  ['6180', 'Discount Allowed', 'EXPENSE', null, null, 'Discounts given after the sale.'],
  ['6190', 'Bad Debts', 'EXPENSE', null, null, 'What customers will not pay any more.'],
  ['6200', 'Bank Charges', 'EXPENSE', 'BANK_CHARGES', null, 'Fees that banks withhold.'],
  ['6210', 'Depreciation', 'EXPENSE', null, null, 'The year’s wear of fixed assets.'],
  ['6300', 'Interest Expense', 'OTHER_EXPENSE', null, null, 'Interest on loans and overdrafts.'],
  ['6310', 'Exchange Gain or Loss', 'OTHER_EXPENSE', 'EXCHANGE_GAIN_LOSS', null, 'Differences between exchange rates.'],
  ['6320', 'Round Off', 'OTHER_EXPENSE', 'ROUND_OFF', null, 'What rounding of totals added or took away.'],
  ['6330', 'GST Late Fees and Interest', 'OTHER_EXPENSE', null, null, 'Fees and interest on late returns.'],
  ['6340', 'Income Tax', 'OTHER_EXPENSE', null, null, 'Income tax of the year.'],
]

/** The accounts of a new organisation (decisions §2), parents before their children. */
export const CHART_OF_ACCOUNTS: readonly ChartAccount[] = ROWS.map(
  ([code, name, accountType, role, parentCode, description]) => ({
    code,
    name,
    accountType,
    role,
    parentCode,
    description,
  }),
)
