// Balances of accounts, from the sums by month that the database keeps and the journal lines of a part of a month.
import type { AccountType } from '../domain/accounts.ts'
import { reachOf } from '../domain/month-reach.ts'
import type { Scope } from './find.ts'

/** The debits and credits of an account up to and including a date, in minor units of the organisation's currency. */
export interface Sums {
  account_id: string
  account_type: AccountType
  debit: bigint
  credit: bigint
}

/** The balances of the accounts, debit positive, of everything that is posted, whatever its date; an account without postings is left out. */
export async function findBalances({ connection, orgId }: Scope, accountIds: string[]): Promise<Map<string, bigint>> {
  const rows = await connection.run<{ account_id: string; balance: bigint }>(BALANCES, [orgId, accountIds])
  return new Map(rows.map(({ account_id, balance }) => [account_id, balance]))
}

/** The balances of the accounts, debit positive, at the end of the day. */
export async function findBalancesAsOf(scope: Scope, date: string, accountIds: string[]): Promise<Map<string, bigint>> {
  const [sums] = await sumsThrough(scope, [date], accountIds)
  return new Map(sums!.map(({ account_id, debit, credit }) => [account_id, debit - credit]))
}

/**
 * The sums of the accounts up to and including each of the dates, all from one snapshot; of every account of the organisation
 * where `accountIds` is null. It reads one row for each account and month, and the lines of at most half a month, however
 * many the ledger has.
 */
export async function sumsThrough(
  { connection, orgId }: Scope,
  dates: string[],
  accountIds: string[] | null = null,
): Promise<Sums[][]> {
  const reaches = dates.map(reachOf)
  const column = <Name extends keyof (typeof reaches)[number]>(name: Name) => reaches.map((reach) => reach[name])
  const rows = await connection.run<Sums & { place: bigint }>(SUMS, [
    orgId,
    accountIds,
    column('month'),
    column('whole'),
    column('first'),
    column('last'),
    column('sign'),
  ])
  const ofPlace = Map.groupBy(rows, ({ place }) => Number(place))
  return dates.map((_, index) => ofPlace.get(index + 1) ?? [])
}

const BALANCES = {
  name: 'balances of accounts',
  text: `SELECT account_id, sum(debit - credit)::bigint AS balance FROM monthly_balances
         WHERE org_id = $1 AND account_id = ANY ($2) GROUP BY account_id`,
}
// One account at a time, so that only the months and days of each account are read.
const SUMS = {
  name: 'sums of accounts through dates',
  text: `SELECT a.id AS account_id, a.account_type, at.place, (m.debit + at.sign * l.debit)::bigint AS debit,
           (m.credit + at.sign * l.credit)::bigint AS credit
         FROM accounts AS a
         CROSS JOIN unnest($3::date[], $4::boolean[], $5::date[], $6::date[], $7::integer[])
           WITH ORDINALITY AS at(month, whole, first, last, sign, place)
         CROSS JOIN LATERAL (
           SELECT coalesce(sum(debit), 0) AS debit, coalesce(sum(credit), 0) AS credit FROM monthly_balances
           WHERE org_id = $1 AND account_id = a.id AND month <= at.month AND (at.whole OR month < at.month)) AS m
         CROSS JOIN LATERAL (
           SELECT coalesce(sum(debit), 0) AS debit, coalesce(sum(credit), 0) AS credit FROM journal_lines
           WHERE org_id = $1 AND account_id = a.id AND date BETWEEN at.first AND at.last) AS l
         WHERE a.org_id = $1 AND ($2::uuid[] IS NULL OR a.id = ANY ($2))`,
}
