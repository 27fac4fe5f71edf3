// Balances as of a date, and profit and loss of a period, read months and at most half a month of lines, however long the ledger is.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import type { Connection } from '../../models/connection.ts'
import { findBalancesAsOf, sumsThrough, type Sums } from '../../models/monthly-balance.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: EmptyOrganization
let accounts: string[]

const MONTHS = 24
const DAYS = 28
/** Entries of every day, each of two lines. */
const A_DAY = 10

beforeAll(async () => {
  service = await startService()
  ours = await openEmptyOrganization(service)
  const chart = (await ours.get('/accounts?per_page=500')).accounts as Json[]
  accounts = ['BANK', 'SALES'].map((type) => chart.find(({ account_type }) => account_type === type)!.account_id)
  await service.sql(
    `WITH entry AS MATERIALIZED (
       SELECT uuidv7() AS id, (date '2025-01-01' + make_interval(months => m, days => d))::date AS date
       FROM generate_series(0, $3::integer - 1) AS m, generate_series(0, $4::integer - 1) AS d, generate_series(1, $5::integer)
     ), journal AS (
       INSERT INTO journals (org_id, id, journal_number, date, source, line_count, created_time) SELECT $1, id, id::text, date, 'MANUAL', 2, now() FROM entry
     )
     INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, date, account_id, debit, credit, created_time)
     SELECT $1, id, side.no, 2, date, ($2::uuid[])[side.no], side.debit, side.credit, now() FROM entry, (VALUES (1, 5, 0), (2, 0, 5)) AS side (no, debit, credit)`,
    ours.client.orgId, accounts, MONTHS, DAYS, A_DAY)
  await service.sql('ANALYZE journal_lines, monthly_balances, accounts')
})
afterAll(() => service.close())

interface Node { 'Relation Name'?: string; 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; 'Rows Removed by Filter'?: number; Plans?: Node[] }

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Asks, and answers with it how many statements were sent, and how many months and lines PostgreSQL read for them, lines that it left out included. */
async function watched<Answer>(ask: (connection: Connection) => Promise<Answer>) {
  const read = new Map<string, number>()
  let statements = 0
  const answer = await ask({
    async run<Row>(statement: { text: string }, values: readonly unknown[]): Promise<Row[]> {
      statements += 1
      const [explained] = await service.database.run<{ 'QUERY PLAN': { Plan: Node }[] }>({ name: '', text: `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}` }, values)
      for (const node of nodesOf(explained!['QUERY PLAN'][0]!.Plan)) {
        const { 'Relation Name': table, 'Node Type': type, 'Rows Removed by Filter': removed = 0 } = node
        if (table === undefined) continue
        // The few months of a small ledger may be read in a row; its lines never are.
        if (table === 'journal_lines') expect(type).toMatch(/^(Bitmap )?(Index|Heap)/)
        const rows = (node['Actual Rows'] + (table === 'journal_lines' ? removed : 0)) * node['Actual Loops']
        read.set(table, (read.get(table) ?? 0) + Math.round(rows))
      }
      return service.database.run<Row>({ name: '', text: statement.text }, values)
    },
    runBoth: () => Promise.reject(new Error('one statement is enough')),
    runAll: () => Promise.reject(new Error('one statement is enough')),
  })
  return { answer, statements, months: read.get('monthly_balances') ?? 0, lines: read.get('journal_lines') ?? 0 }
}

const scope = (connection: Connection) => ({ connection, orgId: ours.client.orgId })

describe('a balance as of a date reads', () => {
  // The 24th month, of which days are added up or taken off again; a day has ten lines of the account.
  test.each([
    ['2026-12-31', 24, 0], ['2026-11-30', 23, 0], ['2026-12-05', 23, 5 * A_DAY], ['2026-12-15', 23, 15 * A_DAY], ['2026-12-20', 24, (DAYS - 20) * A_DAY],
    ['2024-12-31', 0, 0], ['2025-01-03', 0, 3 * A_DAY],
  ])('%s: %i months, %i lines', async (date, months, lines) => {
    const { answer, ...read } = await watched((connection) => findBalancesAsOf(scope(connection), date, [accounts[0]!]))
    expect(read).toEqual({ statements: 1, months, lines })
    const [summed] = await service.sql<{ balance: bigint }>(
      'SELECT coalesce(sum(debit - credit), 0)::bigint AS balance FROM journal_lines WHERE org_id = $1 AND account_id = $2 AND date <= $3',
      ours.client.orgId, accounts[0], date)
    expect(answer.get(accounts[0]!)).toBe(summed!.balance)
  })
})

describe('profit and loss reads', () => {
  test.each([
    ['of whole months no line at all', '2025-04-01', '2026-03-31', 0, 5n * 28n * 10n * 12n],
    ['of days the lines of two parts of months, however many lie between', '2025-01-11', '2026-12-10', 2 * (10 + 10) * A_DAY, 5n * 10n * (28n * 23n + 10n - 10n)],
  ])('%s', async (_what, from, to, lines, profit) => {
    const { answer: [before, after], ...read } = await watched((connection) => sumsThrough(scope(connection), [addDays(from, -1), to]))
    expect(read).toEqual({ statements: 1, months: expect.any(Number), lines })
    expect(read.months).toBeLessThanOrEqual(2 * accounts.length * MONTHS)
    const sold = (sums: Sums[]) => sums.filter(({ account_type }) => account_type === 'SALES').reduce((sum, { debit, credit }) => sum + credit - debit, 0n)
    expect(sold(after!) - sold(before!)).toBe(profit)
  })
})
