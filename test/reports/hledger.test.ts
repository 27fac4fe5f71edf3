// The ledger as hledger reads it: every account comes to what the API says, whatever people have written into names.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { seedDemo } from '../../bin/seed.ts'
import { onPath } from '../../bin/services/process.ts'
import { BASE_PATH } from '../../api/server.ts'
import { toMinor } from '../../domain/money.ts'
import { readLocalRun } from '../../settings.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

const local = readLocalRun()
const hledger = onPath('hledger', local.path)
const run = promisify(execFile)

let service: Service
let odd: TestOrganization
let yen: TestOrganization
let demo: { orgId: string; token: string }

beforeAll(async () => {
  service = await startService()
  const seeded = await seedDemo({ databaseUrl: service.databaseUrl, baseUrl: service.origin + BASE_PATH })
  demo = { orgId: seeded.organization.org_id, token: seeded.token }
  odd = await openOrganization(service, { name: '(Odd);  * Traders: one' })
  await useOddNames(odd)
  yen = await openOrganization(service, { name: 'Kyoto Paper', currency_code: 'JPY' })
  await byHand(yen, 1180)
  await byHand(await openOrganization(service, { name: 'Kuwait Paper', currency_code: 'KWD' }), 0.125)
})
afterAll(() => service.close())

const byHand = ({ send, accounts }: TestOrganization, amount: number, changes: Record<string, unknown> = {}) => send('POST', '/journals', {
  date: '2026-05-01', lines: [{ account_id: accounts['Bank Account'], debit: amount }, { account_id: accounts.Sales, credit: amount }], ...changes,
})

// What a reader of the format could stumble over, where people write.
const ODD_NAMES: [name: string, becomes: string][] = [
  ['Cash; at hand', 'Cash, at hand'], ['two  spaces\u00a0 and more ', 'two spaces and more'], ['(virtual)', '(virtual)'], ['[balanced]', '[balanced]'],
  ['line\nbreak\r\nand\ttab', 'line break and tab'], ['parent:child::', 'parent-child--'], ['= 12  INR 5', '= 12 INR 5'], ['* cleared', '* cleared'],
  ['"quoted" | 50% of ₹', '"quoted" | 50% of ₹'], ['ക്ഷേത്രം \u200dനിധി', 'ക്ഷേത്രം \u200dനിധി'], ['', ''],
]
const ODD_MEMOS = [
  'x ; date:2020-99-99', '= 2020-01-01', '! * (code) note', 'a | b', 'first\n2026-01-01 second\n    assets:x  INR 5', ' ', '; comment', '[2020-13-01] [=1]',
  'P 2020-01-01 INR 5', 'include /etc/passwd', '{ "a": 1 } @ INR 5', 'end\u2028of line',
]

async function useOddNames(org: TestOrganization): Promise<void> {
  const accounts = (await org.get('/accounts?per_page=500')).accounts as Json[]
  const expenses = accounts.filter(({ account_type }) => account_type === 'EXPENSE')
  for (const [n, [name]] of ODD_NAMES.entries()) {
    await service.sql('UPDATE accounts SET name = $3 WHERE org_id = $1 AND id = $2', org.orgId, expenses[n].account_id, name)
    await byHand(org, 10 + n / 4, { lines: [{ account_id: expenses[n].account_id, debit: 10 + n / 4 }, { account_id: org.accounts.Sales, credit: 10 + n / 4 }] })
  }
  // Two that would be the same.
  const [one, other] = expenses.slice(ODD_NAMES.length)
  await service.sql(`UPDATE accounts SET code = 'a:b', name = 'c' WHERE org_id = $1 AND id = $2`, org.orgId, one.account_id)
  await service.sql(`UPDATE accounts SET code = 'a-b', name = 'c' WHERE org_id = $1 AND id = $2`, org.orgId, other.account_id)
  await byHand(org, 7, { lines: [{ account_id: one.account_id, debit: 7 }, { account_id: other.account_id, credit: 7 }] })
  for (const memo of ODD_MEMOS) await byHand(org, 3, { memo })
  const id = await addContact(org, { contact_name: 'A; B | (C)  date:2020-99-99' })
  const { invoice_id } = await org.invoice({ customer_id: id, line_items: [line({ rate: 1180.5 })], auto_approve: true })
  await org.send('POST', `/invoices/${invoice_id}/void`, {})
}

const command = (...args: string[]) => run(
  process.execPath, [fileURLToPath(new URL('../../bin/audit.ts', import.meta.url)), ...args],
  { env: { ...process.env, DATABASE_URL: service.databaseUrl }, maxBuffer: 2 ** 26 },
)
const journalOf = async (orgId: string) => (await command('--hledger', '--org', orgId)).stdout

/** What GET /accounts says of each account that has moved, as debits less credits in minor units, by its code. */
async function balancesOf(token: string): Promise<Record<string, bigint>> {
  const { accounts } = (await service.call('GET', '/accounts?per_page=500&include_inactive=true', { token })).body
  const debitNormal = /BANK|CASH|RECEIVABLE|STOCK|ASSET|COST|EXPENSE/
  return Object.fromEntries(accounts.map(({ code, account_type, current_balance, currency_code }: Json) => {
    const minor = toMinor(current_balance, currency_code)
    return [code, debitNormal.test(account_type) ? minor : -minor] as const
  }).filter(([, minor]: [string, bigint]) => minor !== 0n))
}

interface Entry {
  date: string
  code: string
  description: string
  postings: { account: string; commodity: string; amount: string }[]
}

/** A reader of the format of its own: entries of a first line, comments and postings, each explicit. */
function read(journal: string): Entry[] {
  const entries: Entry[] = []
  for (const text of journal.split('\n')) {
    const head = /^(\d{4}-\d\d-\d\d) \(([^)]*)\)(?: ([^;]*))?$/.exec(text)
    const posting = /^ {4}(?! )(\S+(?: \S+)*) {2}([A-Z]{3}) (-?\d+(?:\.\d+)?)(?: {2}; contact_id:[0-9a-f-]{36})?$/.exec(text)
    if (head) entries.push({ date: head[1]!, code: head[2]!, description: head[3] ?? '', postings: [] })
    else if (posting) entries.at(-1)!.postings.push({ account: posting[1]!, commodity: posting[2]!, amount: posting[3]! })
    else expect(text).toMatch(/^$|^ {4}; source:[A-Z_]+, journal_id:[0-9a-f-]{36}(, \w+:[0-9a-f-]{36})*$|^; |^decimal-mark \.$|^commodity [A-Z]{3} 1000\.\d*$|^account \S+( \S+)* {2}; type:[ALERXC]$/)
  }
  return entries
}

const codeOf = (account: string) => /(?:assets|liabilities|equity|revenues|expenses):(\S+)/.exec(account)![1]!

function sums(entries: Entry[]): Record<string, bigint> {
  const sum: Record<string, bigint> = {}
  for (const { postings } of entries) {
    expect(postings.reduce((total, { amount, commodity }) => total + toMinor(amount, commodity), 0n)).toBe(0n)
    for (const { account, amount, commodity } of postings) sum[codeOf(account)] = (sum[codeOf(account)] ?? 0n) + toMinor(amount, commodity)
  }
  return Object.fromEntries(Object.entries(sum).filter(([, minor]) => minor !== 0n))
}

describe('every account comes to its balance', () => {
  test('of the demonstration organisation', async () => {
    const entries = read(await journalOf(demo.orgId))
    const { journals } = (await service.call('GET', '/journals?per_page=200', { token: demo.token })).body
    expect(entries.map(({ code }) => code).sort()).toEqual(journals.map(({ journal_number }: Json) => journal_number).sort())
    expect(Object.keys(sums(entries)).length).toBeGreaterThan(5)
    expect(sums(entries)).toEqual(await balancesOf(demo.token))
  })

  test('with names and notes of all kinds', async () => {
    const journal = await journalOf(odd.orgId)
    const entries = read(journal)
    const { 'a:b': one, ...balances } = await balancesOf(odd.client.token)
    // Of two that look the same the codes are both a-b: 7.00 there, and 7.00 back.
    expect([one, balances['a-b']]).toEqual([700n, -700n])
    delete balances['a-b']
    expect(sums(entries)).toEqual(balances)
    const twins = new Set(entries.flatMap(({ postings }) => postings.map(({ account }) => account)).filter((account) => account.startsWith('expenses:a-b c')))
    expect(twins.size).toBe(2)
    for (const [, becomes] of ODD_NAMES) expect(journal).toContain(`${becomes}  ; type:X\n`)
  })

  test('of a currency without decimals, and of one with three', async () => {
    const journal = await journalOf(yen.orgId)
    expect(journal).toContain('commodity JPY 1000.\n')
    expect(read(journal).map(({ postings }) => postings)).toEqual([[
      { account: 'assets:1000 Bank Account', commodity: 'JPY', amount: '1180' }, { account: 'revenues:4000 Sales', commodity: 'JPY', amount: '-1180' },
    ]])
    expect((await command('--hledger')).stdout).toContain(':assets:1000 Bank Account  KWD 0.125\n')
  })
})

test('an entry has its number, its contact and its source', async () => {
  const [voiding] = (await odd.get('/journals?source=INVOICE&per_page=1')).journals
  expect(await journalOf(odd.orgId)).toContain([
    '', `${voiding.date.slice(0, 10)} (${voiding.journal_number}) A, B / (C) date:2020-99-99 | ${voiding.memo}`,
    `    ; source:INVOICE, journal_id:${voiding.journal_id}, source_id:${voiding.source_id}, reversal_of:${voiding.reversal_of}`,
    `    revenues:4000 Sales  INR 1180.50`, '',
  ].join('\n').replace(/\n {4}revenues.*\n$/, '\n'))
})

test('all organisations are exported at once, each beneath its own name', async () => {
  const entries = read((await command('--hledger')).stdout)
  const tops = new Set(entries.flatMap(({ postings }) => postings.map(({ account }) => account.split(':')[0])))
  expect(tops).toContain(`${odd.orgId} (Odd), * Traders- one`)
  expect(tops.size).toBe(4)
  expect(sums(entries.filter(({ postings }) => postings[0]!.account.startsWith(demo.orgId)))).toEqual(await balancesOf(demo.token))
})

test('what cannot be exported is reported', async () => {
  for (const org of ['nobody', '00000000-0000-7000-8000-000000000000']) {
    await expect(command('--hledger', '--org', org)).rejects.toMatchObject({ code: 1, stdout: '', stderr: 'There is no such organisation.\n' })
  }
  await expect(command('--org', demo.orgId)).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage') })
})

if (hledger || local.ci) describe('hledger itself', () => {
  const ask = (journal: string, ...args: string[]) => new Promise<string>((resolve, reject) => {
    // With CI=true a missing hledger is a failure, not a reason to pass.
    const child = execFile(hledger ?? 'hledger', ['--file=-', ...args], { env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => (error ? reject(new Error(stderr || error.message)) : resolve(stdout)))
    child.stdin!.end(journal)
  })
  /** Every account's own balance, as hledger adds it up, by its code. */
  async function balances(journal: string, currency: string): Promise<Record<string, bigint>> {
    const rows = JSON.parse(await ask(journal, 'balance', '--flat', '--no-elide', '--output-format=json'))[0] as [string, string, number, { aquantity: Json }[]][]
    return Object.fromEntries(rows.map(([account, , , amounts]) => {
      const { decimalMantissa, decimalPlaces } = amounts[0]?.aquantity ?? { decimalMantissa: 0, decimalPlaces: 0 }
      return [codeOf(account), toMinor(`${decimalMantissa}e-${decimalPlaces}`, currency)] as const
    }).filter(([, minor]) => minor !== 0n))
  }

  test('finds nothing wrong, and every account at the balance that GET /accounts answers', async () => {
    const journal = await journalOf(demo.orgId)
    expect(await ask(journal, 'check', '--strict')).toBe('')
    expect(await balances(journal, 'INR')).toEqual(await balancesOf(demo.token))
  })

  test('whatever names and notes say', async () => {
    const journal = await journalOf(odd.orgId)
    expect(await ask(journal, 'check', '--strict')).toBe('')
    const { 'a:b': _one, 'a-b': _other, ...told } = await balancesOf(odd.client.token)
    const { 'a-b': _both, ...found } = await balances(journal, 'INR')
    expect(found).toEqual(told)
    expect((await ask(journal, 'accounts', '--declared')).trim().split('\n')).toHaveLength((await odd.get('/accounts?per_page=500&include_inactive=true')).accounts.length)
  })

  test('of all organisations at once', async () => {
    const journal = (await command('--hledger')).stdout
    expect(await ask(journal, 'check', '--strict')).toBe('')
    // In three currencies all that there is comes to nothing.
    expect((await ask(journal, 'balance', '--depth=0')).trim().split(/\s+/).at(-1)).toBe('0')
    const rows = (await ask(journal, 'print', '--output-format=csv')).split('\n').map((row) => /^"(\d+)"/.exec(row)?.[1]).filter((number) => number !== undefined)
    expect(new Set(rows).size).toBe(read(journal).length)
  })
})
else console.warn('hledger is not installed: what it says of the ledger is NOT asked (apt-get install hledger).')
