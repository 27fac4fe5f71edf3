// The statements at the end of the month: the trial balance, and what each customer owes.
import { isDebitNormal } from '../../domain/accounts.ts'
import { sum, toAmount, toMinor, type Minor } from '../../domain/money.ts'
import { rupees, type Trader } from './trader.ts'

const CURRENCY = 'INR'

export interface TrialBalance {
  rows: { code: string; name: string; debit: Minor; credit: Minor }[]
  debit: Minor
  credit: Minor
}

/** All accounts with a balance other than zero, on the side of their balance. */
export async function trialBalance(trader: Trader): Promise<TrialBalance> {
  const { accounts } = await trader.bahi.get('/accounts', { query: { per_page: 500, include_inactive: true } })
  const rows = accounts.map(({ code, name, account_type, current_balance }) => {
    const balance = toMinor(current_balance, CURRENCY)
    const debit = isDebitNormal(account_type) ? balance : -balance
    return { code, name, debit: debit > 0n ? debit : 0n, credit: debit < 0n ? -debit : 0n }
  }).filter(({ debit, credit }) => debit !== credit).sort((one, other) => one.code.localeCompare(other.code))
  return { rows, debit: sum(rows.map(({ debit }) => debit)), credit: sum(rows.map(({ credit }) => credit)) }
}

/** What each customer owes according to the customer ledger; negative for an advance. */
export async function customersDues(trader: Trader): Promise<{ name: string; owed: Minor }[]> {
  const dues: { name: string; owed: Minor }[] = []
  const customers = trader.bahi.pages('/contacts', { query: { contact_type: 'CUSTOMER', sort: 'created_time' } })
  for await (const { contact_id, contact_name } of customers) {
    const { customer_ledger } = await trader.bahi.get('/reports/customer_ledger', { query: { contact_id } })
    dues.push({ name: contact_name, owed: toMinor(customer_ledger.closing_balance, CURRENCY) })
  }
  return dues
}

export function printTrialBalance({ print, name }: Trader, { rows, debit, credit }: TrialBalance): void {
  print(`\nTrial balance of ${name}, ${CURRENCY}`)
  const line = (account: string, ...sides: Minor[]) => print(`  ${account.padEnd(34)}${sides.map((side) => shown(side).padStart(18)).join('')}`)
  for (const row of rows) line(`${row.code}  ${row.name}`, row.debit, row.credit)
  print(`  ${'-'.repeat(34 + 18 * 2)}`)
  line('', debit, credit)
}

export function printDues({ print }: Trader, dues: { name: string; owed: Minor }[]): void {
  print(`\nWhat each customer owes, ${CURRENCY}`)
  for (const { name, owed } of dues) print(`  ${name.padEnd(34)}${rupees(toAmount(owed, CURRENCY)).padStart(18)}`)
}

const shown = (amount: Minor) => (amount === 0n ? '' : rupees(toAmount(amount, CURRENCY)))
