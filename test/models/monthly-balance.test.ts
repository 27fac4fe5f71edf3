// Balances as of any date, and the profit of any period, equal what adding up every entry gives.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addDays, monthEnd, monthStart } from '../../domain/dates.ts'
import { credit, debit, reversalOf, type PostingLine } from '../../domain/posting/posting.ts'
import { findBalances, findBalancesAsOf, sumsThrough } from '../../models/monthly-balance.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: EmptyOrganization
let theirs: EmptyOrganization
/** By their codes. */
let accounts: Map<string, Json>

interface Entry { date: string; lines: PostingLine[] }
const entries: Entry[] = []

const CODES = ['1000', '1100', '2000', '3100', '4000', '4200', '5000', '6030', '6320']
const SEED = 20_260_401

/** Dates of a few years, ends of months more often, and those at which the calendar ends. */
const dates = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 1_200 }).map((days) => addDays('2025-01-15', days)) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 1_200 }).map((days) => monthEnd(addDays('2025-01-15', days))) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 1_200 }).map((days) => monthStart(addDays('2025-01-15', days))) },
  { weight: 1, arbitrary: fc.constantFrom('0001-01-01', '0001-01-02', '9999-12-01', '9999-12-31', '2028-02-29') },
)
const drawnEntry = fc.record({
  date: dates, from: fc.constantFrom(...CODES), to: fc.constantFrom(...CODES), also: fc.constantFrom(...CODES),
  amount: fc.bigInt({ min: 1n, max: 10_000_000n }), more: fc.bigInt({ min: 1n, max: 500n }), undone: fc.boolean(),
})

beforeAll(async () => {
  service = await startService()
  ours = await openEmptyOrganization(service)
  theirs = await openEmptyOrganization(service)
  accounts = new Map((await ours.get('/accounts?per_page=500')).accounts.map((account: Json) => [account.code, account]))
  const idOf = (code: string) => accounts.get(code)!.account_id as string
  for (const { date, from, to, also, amount, more, undone } of fc.sample(drawnEntry, { numRuns: 300, seed: SEED })) {
    const lines = [debit(idOf(to), amount), debit(idOf(also), more), credit(idOf(from), amount + more)]
    entries.push({ date, lines }, ...(undone ? [{ date: date < '9999-01-01' ? addDays(date, 40) : date, lines: reversalOf(lines) }] : []))
  }
  // Many in one unit of work, of many months at once.
  for (let place = 0; place < entries.length; place += 60) {
    await ours.write((books) => {
      for (const entry of entries.slice(place, place + 60)) {
        books.post({ ...entry, source: 'MANUAL', sourceId: null, memo: null, contactId: null, branchId: null })
      }
    })
  }
  // A neighbour, so that a question that forgets the organisation shows.
  const chart = (await theirs.get('/accounts?per_page=500')).accounts as Json[]
  const [first, second] = chart.map(({ account_id }) => account_id)
  await theirs.write((books) => books.post({
    date: '2026-04-10', lines: [debit(first, 77n), credit(second, 77n)], source: 'MANUAL', sourceId: null, memo: null, contactId: null, branchId: null,
  }))
})
afterAll(() => service.close())

const scope = () => ({ connection: service.database, orgId: ours.client.orgId })

/** What the lines of an account come to whose dates pass, [debits, credits]. */
function addedUp(accountId: string, passes: (date: string) => boolean): [bigint, bigint] {
  const lines = entries.filter(({ date }) => passes(date)).flatMap((entry) => entry.lines).filter((line) => line.accountId === accountId)
  return [lines.reduce((sum, line) => sum + line.debit, 0n), lines.reduce((sum, line) => sum + line.credit, 0n)]
}

const NOMINAL = new Set(['SALES', 'OTHER_INCOME', 'COST_OF_GOODS_SOLD', 'EXPENSE', 'OTHER_EXPENSE'])
const nominal = () => [...accounts.values()].filter(({ account_type }) => NOMINAL.has(account_type)).map(({ account_id }) => account_id as string)
const ids = () => [...accounts.values()].map(({ account_id }) => account_id as string)
const balanceOf = ([debits, credits]: [bigint, bigint]) => debits - credits

test('a balance without a date is of every entry', async () => {
  const balances = await findBalances(scope(), ids())
  for (const id of ids()) expect([id, balances.get(id) ?? 0n]).toEqual([id, balanceOf(addedUp(id, () => true))])
})

test('a balance as of any date equals its entries through that date', async () => {
  const asOf = fc.oneof(dates, fc.constantFrom(...entries.map(({ date }) => date)))
  await fc.assert(fc.asyncProperty(asOf, async (date) => {
    const balances = await findBalancesAsOf(scope(), date, ids())
    expect(balances.size).toBe(accounts.size)
    for (const [id, balance] of balances) expect([date, id, balance]).toEqual([date, id, balanceOf(addedUp(id, (each) => each <= date))])
  }), { numRuns: 120 })
})

test('what moved in any period, and its profit, equal the entries of the period', async () => {
  await fc.assert(fc.asyncProperty(dates, dates, async (one, other) => {
    const [from, to] = one < other ? [one, other] : [other, one]
    // The calendar has no day before its first.
    fc.pre(from > '0001-01-01')
    const [before, after] = await sumsThrough(scope(), [addDays(from, -1), to])
    expect([before!.length, after!.length]).toEqual([accounts.size, accounts.size])
    const opened = new Map(before!.map((sums) => [sums.account_id, sums]))
    const moved = after!.map(({ account_id, account_type, debit: debits, credit: credits }) => {
      const opening = opened.get(account_id)!
      return { account_id, account_type, sides: [debits - opening.debit, credits - opening.credit] as [bigint, bigint] }
    })
    const within = (id: string) => addedUp(id, (date) => from <= date && date <= to)
    for (const { account_id, sides } of moved) expect([from, to, account_id, sides]).toEqual([from, to, account_id, within(account_id)])
    const profit = moved.filter(({ account_type }) => NOMINAL.has(account_type)).reduce((sum, { sides }) => sum - balanceOf(sides), 0n)
    expect([from, to, profit]).toEqual([from, to, nominal().reduce((sum, id) => sum - balanceOf(within(id)), 0n)])
  }), { numRuns: 60 })
})

test('accounts of another organisation are not answered', async () => {
  const [account] = (await theirs.get('/accounts?account_type=SALES')).accounts
  expect(await findBalancesAsOf(scope(), '2026-04-30', [account.account_id])).toEqual(new Map())
})

describe('GET /accounts/{id}?as_of', () => {
  test('answers the balance at the end of the day, positive on the normal side', async () => {
    for (const [code, sign] of [['1000', 1n], ['4000', -1n]] as const) {
      const { account_id: id } = accounts.get(code)!
      for (const { date } of entries.slice(0, 25)) {
        const { account } = await ours.get(`/accounts/${id}?as_of=${date}`)
        expect([date, account.current_balance]).toEqual([date, Number(sign * balanceOf(addedUp(id, (each) => each <= date))) / 100])
      }
    }
  })
})
