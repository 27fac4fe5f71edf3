// The statements at the end of the month: the trial balance, and what each customer owes.
import { isDebitNormal, type AccountType } from '../../domain/accounts.ts'
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
  const { accounts } = await trader.get<{
    accounts: { code: string; name: string; account_type: AccountType; current_balance: number }[]
  }>('/accounts?per_page=500&include_inactive=true')
  const rows = accounts.map(({ code, name, account_type, current_balance }) => {
    const balance = toMinor(current_balance, CURRENCY)
    const debit = isDebitNormal(account_type) ? balance : -balance
    return { code, name, debit: debit > 0n ? debit : 0n, credit: debit < 0n ? -debit : 0n }
  }).filter(({ debit, credit }) => debit !== credit).sort((one, other) => one.code.localeCompare(other.code))
  return { rows, debit: sum(rows.map(({ debit }) => debit)), credit: sum(rows.map(({ credit }) => credit)) }
}

/** What each customer owes according to the customer ledger; negative for an advance. */
export async function customersDues(trader: Trader): Promise<{ name: string; owed: Minor }[]> {
  const { contacts } = await trader.get<{ contacts: { contact_id: string; contact_name: string }[] }>(
    '/contacts?contact_type=CUSTOMER&per_page=200&sort=created_time')
  const dues: { name: string; owed: Minor }[] = []
  for (const { contact_id, contact_name } of contacts) {
    const { customer_ledger } = await trader.get<{ customer_ledger: { closing_balance: number } }>(
      `/reports/customer_ledger?contact_id=${contact_id}`)
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
