// Postings to the same accounts and months at once, each in an order of its own: none waits for another in a circle, and no amount is lost.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import type { Json } from '../fixtures/client.ts'
import type { TestOrganization } from '../fixtures/organization.ts'
import { atOnce, openTwoServers, post, tally, type TwoServers } from './two-servers.ts'

let servers: TwoServers
beforeAll(async () => (servers = await openTwoServers()))
afterAll(() => servers.close())

const MONTHS = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06']

async function accountsOf({ get }: TestOrganization): Promise<string[]> {
  return (await get('/accounts?per_page=500')).accounts.slice(0, 12).map(({ account_id }: Json) => account_id)
}

/** The list begun at another place for each round, and read backwards in every other. */
function turned<T>(list: readonly T[], round: number): T[] {
  const begun = [...list.slice(round % list.length), ...list.slice(0, round % list.length)]
  return round % 2 === 0 ? begun : begun.reverse()
}

/** What the months of each account come to, and what its lines do. */
const BOTH = `SELECT a.id, coalesce(m.debit, 0) AS debit, coalesce(m.credit, 0) AS credit, coalesce(l.debit, 0) AS lines_debit, coalesce(l.credit, 0) AS lines_credit
  FROM accounts AS a
  LEFT JOIN (SELECT account_id, sum(debit)::bigint AS debit, sum(credit)::bigint AS credit FROM monthly_balances WHERE org_id = $1 GROUP BY 1) AS m ON m.account_id = a.id
  LEFT JOIN (SELECT account_id, sum(debit)::bigint AS debit, sum(credit)::bigint AS credit FROM journal_lines WHERE org_id = $1 GROUP BY 1) AS l ON l.account_id = a.id
  WHERE a.org_id = $1`

test('manual journals of all months and accounts, their lines in every order', async () => {
  const { org, callers } = await servers.org()
  const accounts = await accountsOf(org)
  const answers = await atOnce(60, (place) => post(callers, place, '/journals', {
    date: `${MONTHS[place % MONTHS.length]}-1${place % 10}`,
    lines: turned(accounts, place).map((account_id, side) => (side % 2 === 0 ? { account_id, debit: 1 + place } : { account_id, credit: 1 + place })),
  }))
  expect(tally(answers)).toEqual({ 201: 60 })
  for (const { debit, credit, lines_debit, lines_credit } of await servers.service.sql<Json>(BOTH, org.orgId)) {
    expect([debit, credit]).toEqual([lines_debit, lines_credit])
  }
})

// The numbers of journals make postings of one organisation take turns before they come to the months: here they have none to wait for.
test('whole units of work of several months, without anything before them to take turns at', async () => {
  const { org } = await servers.org()
  const accounts = await accountsOf(org)
  const unit = (place: number, round: number) => turned(MONTHS, place + round).map((month, at) => ({
    id: uuidv7(), date: `${month}-0${1 + (round % 9)}`, accounts: turned(accounts, place * 5 + round + at),
  }))
  await atOnce(8, async (place) => {
    for (let round = 0; round < 25; round += 1) {
      const entries = unit(place, round)
      // A deadlock would be this statement's error.
      await servers.service.sql(
        `WITH entry AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($2) AS e(id uuid, date date, accounts uuid[])), journal AS (
           INSERT INTO journals (org_id, id, journal_number, date, source, line_count, created_time)
           SELECT $1, id, id::text, date, 'MANUAL', cardinality(accounts), now() FROM entry
         )
         INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, date, account_id, debit, credit, created_time)
         SELECT $1, id, line.no, cardinality(accounts), date, line.account, 7 * (line.no % 2), 7 * (1 - line.no % 2), now()
         FROM entry, unnest(accounts) WITH ORDINALITY AS line(account, no)`,
        org.orgId, JSON.stringify(entries))
    }
  })
  const both = await servers.service.sql<Json>(BOTH, org.orgId)
  const posted = both.filter(({ debit, credit }) => debit + credit !== 0n)
  expect(posted).toHaveLength(accounts.length)
  for (const { debit, credit, lines_debit, lines_credit } of both) expect([debit, credit]).toEqual([lines_debit, lines_credit])
  expect(both.reduce((sum, { debit }) => sum + debit, 0n)).toBe(BigInt(8 * 25 * MONTHS.length * (accounts.length / 2) * 7))
})
