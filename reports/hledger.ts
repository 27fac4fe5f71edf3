// Exports the ledger in the journal format of hledger, so that an independent program can check it and add it up.
import type { AccountType } from '../domain/accounts.ts'
import { minorPerUnit, toDecimalText } from '../domain/money.ts'
import type { Connection } from '../models/connection.ts'

/** The top-level account names that hledger knows, and hledger's letter for the type of account. */
const HEADINGS: Record<AccountType, readonly [heading: string, type: string]> = {
  BANK: ['assets', 'C'],
  CASH: ['assets', 'C'],
  ACCOUNTS_RECEIVABLE: ['assets', 'A'],
  STOCK: ['assets', 'A'],
  GST_ASSET: ['assets', 'A'],
  TDS_ASSET: ['assets', 'A'],
  OTHER_CURRENT_ASSET: ['assets', 'A'],
  FIXED_ASSET: ['assets', 'A'],
  ACCOUNTS_PAYABLE: ['liabilities', 'L'],
  GST_LIABILITY: ['liabilities', 'L'],
  TDS_LIABILITY: ['liabilities', 'L'],
  OTHER_CURRENT_LIABILITY: ['liabilities', 'L'],
  LONG_TERM_LIABILITY: ['liabilities', 'L'],
  EQUITY: ['equity', 'E'],
  RETAINED_EARNINGS: ['equity', 'E'],
  SALES: ['revenues', 'R'],
  INCOME: ['revenues', 'R'],
  OTHER_INCOME: ['revenues', 'R'],
  COST_OF_GOODS_SOLD: ['expenses', 'X'],
  EXPENSE: ['expenses', 'X'],
  OTHER_EXPENSE: ['expenses', 'X'],
}

// The most lines that are held in memory, however long the ledger is.
const LINES_AT_ONCE = 2_000

interface Organization {
  id: string
  name: string
  currency_code: string
}

interface Account {
  id: string
  code: string
  name: string
  account_type: AccountType
}

interface Line {
  journal_id: string
  journal_number: string
  date: string
  source: string
  source_id: string | null
  memo: string | null
  reversal_of: string | null
  contact_name: string | null
  line_no: number
  account_id: string
  contact_id: string | null
  debit: bigint
  credit: bigint
}

/** The organisations whose ledgers are exported: the one with this id, or all of them, oldest first. Empty where there is none with the id. */
export function organizationsOf(connection: Connection, orgId: string | null): Promise<Organization[]> {
  return connection.run<Organization>(ORGANIZATIONS, [orgId])
}

/**
 * The organisation's accounts and its whole ledger as text, in pieces. `connection` is a transaction with one snapshot, so
 * that the pieces belong together. `beneath` is a prefix of every account, for several organisations in one journal.
 */
export async function* hledgerJournal(
  connection: Connection,
  { id, name, currency_code: currency }: Organization,
  beneath: string,
): AsyncGenerator<string, void> {
  const accounts = namesOf(await connection.run<Account>(ACCOUNTS, [id]), beneath)
  yield `; ${plain(name)}\ndecimal-mark .\ncommodity ${currency} ${sample(currency)}\n`
  for (const [, { name: account, type }] of accounts) yield `account ${account}  ; type:${type}\n`
  await connection.run(OPEN, [id])
  for (let lines: Line[]; (lines = await connection.run<Line>(NEXT, [])).length > 0; ) {
    yield lines
      .map((line) => {
        const posting = `    ${accounts.get(line.account_id)!.name}  ${currency} ${toDecimalText(line.debit - line.credit, currency)}`
        const of = line.contact_id === null ? '' : `  ; contact_id:${line.contact_id}`
        return `${line.line_no === 1 ? heading(line) : ''}${posting}${of}\n`
      })
      .join('')
  }
  await connection.run(CLOSE, [])
  yield '\n'
}

/** The prefix of an organisation's accounts, where a journal has several organisations. */
export function heightOf({ id, name }: Organization): string {
  return `${id} ${inName(name)}:`
}

// An account is named `assets:1100 Accounts Receivable`. Codes are unique, but may become equal when characters are replaced.
function namesOf(accounts: Account[], beneath: string): Map<string, { name: string; type: string }> {
  const taken = new Set<string>()
  return new Map(
    accounts.map(({ id, code, name: called, account_type }) => {
      const [group, type] = HEADINGS[account_type]
      const path = `${beneath}${group}:${inName(`${code} ${called}`)}`
      const name = taken.has(path) ? `${path} ${id}` : path
      taken.add(name)
      return [id, { name, type }]
    }),
  )
}

// Tags have only the words and ids of the service: hledger could read text of users in a tag as a date of the entry.
function heading({
  date,
  journal_number,
  contact_name,
  memo,
  source,
  journal_id,
  source_id,
  reversal_of,
}: Line): string {
  const description = [contact_name, memo]
    .filter((part) => part !== null)
    .map((part) => plain(part).replaceAll('|', '/'))
    .join(' | ')
  const tags = Object.entries({ source, journal_id, source_id, reversal_of })
    .filter(([, value]) => value !== null)
    .map(([tag, value]) => `${tag}:${value}`)
  return `\n${date} (${plain(journal_number).replaceAll(')', ']')})${description === '' ? '' : ` ${description}`}\n    ; ${tags.join(', ')}\n`
}

// A semicolon begins a comment, two spaces end a name, and a line break ends the entry: all white space becomes one space.
function plain(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\s\p{Z}]+/gu, ' ')
    .trim()
    .replaceAll(';', ',')
}

// A colon separates an account from its subaccount.
function inName(text: string): string {
  return plain(text).replaceAll(':', '-')
}

// The sample amount that shows hledger the digits of a currency: INR 1000.00, JPY 1000.
function sample(currency: string): string {
  const text = toDecimalText(1000n * minorPerUnit(currency), currency)
  return text.includes('.') ? text : `${text}.`
}

const ORGANIZATIONS = {
  name: 'organizations for hledger',
  text: 'SELECT id, name, currency_code FROM organizations WHERE $1::uuid IS NULL OR id = $1::uuid ORDER BY created_time, id',
}
const ACCOUNTS = {
  name: 'accounts for hledger',
  text: 'SELECT id, code, name, account_type FROM accounts WHERE org_id = $1 ORDER BY code, id',
}
const OPEN = {
  name: '',
  text: `DECLARE ledger NO SCROLL CURSOR FOR
    SELECT j.id AS journal_id, j.journal_number, j.date, j.source, j.source_id, j.memo, j.reversal_of, c.contact_name,
      l.line_no, l.account_id, l.contact_id, l.debit, l.credit
    FROM journals AS j
    JOIN journal_lines AS l ON l.org_id = j.org_id AND l.journal_id = j.id
    LEFT JOIN contacts AS c ON c.org_id = j.org_id AND c.id = j.contact_id
    WHERE j.org_id = $1::uuid ORDER BY j.date, j.created_time, j.id, l.line_no`,
}
const NEXT = { name: '', text: `FETCH ${LINES_AT_ONCE} FROM ledger` }
const CLOSE = { name: '', text: 'CLOSE ledger' }
