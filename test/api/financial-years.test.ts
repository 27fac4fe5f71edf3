// This financial year and the next exist at any time: opened at the turn of the year, after a long sleep, by two at once.
import { describe, expect, test } from '@jest/globals'
import { openMissingYears } from '../../commands/ledger/financial-years.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { housekeeper } from '../../commands/documents/overdue.ts'
import { dateInZone } from '../../domain/dates.ts'
import { lockFinancialYears, organizationsWithoutNextYear } from '../../models/financial-years.ts'
import type { Client, Json } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

/** What the nightly housekeeping does of a zone, at an instant; answers how many years it opened. */
async function night(now: string, zone = 'Asia/Kolkata'): Promise<number> {
  const context = { database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date(now) }
  const found = await organizationsWithoutNextYear(service.database, zone, dateInZone(now, zone), null)
  let opened = 0
  for (const organization of found) opened += await openBooks(context, housekeeper(organization), openMissingYears)
  return opened
}

/** An organisation as it was on a day: with this year and the next of then. */
async function organizationOf(years: [start: string, end: string][], wanted: Record<string, unknown>): Promise<Client> {
  const client = await service.organization(wanted)
  const rows = await service.sql<{ id: string }>('SELECT id FROM accounting_periods WHERE org_id = $1 ORDER BY start_date', client.orgId)
  for (const [place, { id }] of [...rows.entries()].toReversed()) {
    const [start, end] = years[place]!
    await service.sql('UPDATE accounting_periods SET start_date = $2, end_date = $3, name = $4 WHERE id = $1', id, start, end, `from ${start}`)
  }
  return client
}
const starts = async ({ orgId }: Client) =>
  (await service.sql<{ start: string }>('SELECT start_date::text AS start FROM accounting_periods WHERE org_id = $1 ORDER BY start_date', orgId)).map(({ start }) => start)

test('nothing is opened until the last second of 31 March in India, and the next year after it', async () => {
  const client = await organizationOf([['2030-04-01', '2031-03-31'], ['2031-04-01', '2032-03-31']], { time_zone: 'Asia/Kolkata' })
  expect(await night('2031-03-31T18:29:59.999Z')).toBe(0)
  expect(await night('2031-03-31T18:30:00.000Z')).toBe(1)
  expect(await night('2031-03-31T18:30:00.000Z')).toBe(0)
  expect(await starts(client)).toEqual(['2030-04-01', '2031-04-01', '2032-04-01'])
  const { series } = (await client.get('/invoices/series?transactionDate=2033-03-31')).body
  expect(series).toEqual([expect.objectContaining({ seriesName: 'default', periodId: expect.any(String), isDefault: true })])
  expect((await client.get('/invoices/series/next-number?transactionDate=2032-04-01')).body.next_number).toBe('INV-2032-33-001')
  // Before the first period numbers go by date, as ever.
  expect((await client.get('/invoices/series/next-number?transactionDate=2030-03-31')).body.next_number).toBe('INV-20300331-001')
  expect(await service.sql(`SELECT entity_ref, metadata ->> 'source' AS source FROM activity WHERE org_id = $1 AND action = 'ACCOUNTING_PERIOD_CREATED'`, client.orgId))
    .toEqual([{ entity_ref: 'FY 2032-33', source: 'HOUSEKEEPING' }])
  await service.sql(`UPDATE organizations SET time_zone = 'Etc/GMT+1' WHERE id = $1`, client.orgId)
})

test.each([
  [1, 'Pacific/Kiritimati', [['2030-01-01', '2030-12-31'], ['2031-01-01', '2031-12-31']], '2030-12-31T10:00:00.000Z', '2032-01-01'],
  [7, 'America/New_York', [['2030-07-01', '2031-06-30'], ['2031-07-01', '2032-06-30']], '2031-07-01T04:00:00.000Z', '2032-07-01'],
  [12, 'Asia/Dubai', [['2029-12-01', '2030-11-30'], ['2030-12-01', '2031-11-30']], '2030-11-30T20:00:00.000Z', '2031-12-01'],
] as [number, string, [string, string][], string, string][])('a year that starts in month %d, in %s', async (month, time_zone, years, turn, next) => {
  const client = await organizationOf(years, { fiscal_year_start_month: month, time_zone })
  expect(await night(new Date(Date.parse(turn) - 1).toISOString(), time_zone)).toBe(0)
  expect(await night(turn, time_zone)).toBe(1)
  expect((await starts(client)).at(-1)).toBe(next)
})

describe('after a long sleep', () => {
  test('all years since are opened, for every branch by its own prefix', async () => {
    const client = await organizationOf([['2030-04-01', '2031-03-31'], ['2031-04-01', '2032-03-31']], { time_zone: 'Asia/Colombo' })
    await service.sql(
      `INSERT INTO branches (org_id, id, code, name, state, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
       VALUES ($1, gen_random_uuid(), 'PN', 'Pune', 'IN-MH', false, true, 'PUN-', 'PB-', now(), now())`, client.orgId)
    expect(await night('2033-07-01T00:00:00.000Z', 'Asia/Colombo')).toBe(3)
    expect(await starts(client)).toEqual(['2030-04-01', '2031-04-01', '2032-04-01', '2033-04-01', '2034-04-01'])
    const branches = (await client.get('/branches')).body.branches
    const prefixes = await Promise.all(branches.map(async ({ branch_id }: Json) =>
      (await client.get(`/invoices/series?transactionDate=2033-07-01&branchId=${branch_id}`)).body.series.map(({ prefix }: Json) => prefix)))
    expect(prefixes).toEqual([['INV-'], ['PUN-']])
  })

  test('five at once open each year once', async () => {
    const client = await organizationOf([['2030-04-01', '2031-03-31'], ['2031-04-01', '2032-03-31']], { time_zone: 'Asia/Thimphu' })
    const opened = await Promise.all([1, 2, 3, 4, 5].map(() => night('2032-06-01T00:00:00.000Z', 'Asia/Thimphu')))
    expect(opened.toSorted()).toEqual([0, 0, 0, 0, 2])
    expect(await starts(client)).toEqual(['2030-04-01', '2031-04-01', '2032-04-01', '2033-04-01'])
    expect(await service.sql('SELECT FROM number_series WHERE org_id = $1', client.orgId)).toHaveLength(4)
  })

  test('a suspended organisation finds its years when it comes back', async () => {
    const client = await organizationOf([['2030-04-01', '2031-03-31'], ['2031-04-01', '2032-03-31']], { time_zone: 'Asia/Kabul' })
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, client.orgId)
    expect(await night('2031-06-01T00:00:00.000Z', 'Asia/Kabul')).toBe(1)
    expect(await starts(client)).toHaveLength(3)
  })
})

test('documents are written while years are opened', async () => {
  const client = await service.organization({ time_zone: 'Asia/Tashkent' })
  await service.database.transaction(async (connection) => {
    await lockFinancialYears({ connection, orgId: client.orgId })
    expect((await client.post('/contacts', { contact_name: 'Meena Sarees' })).status).toBe(201)
    await connection.runLast({ name: '', text: 'SELECT 1' }, [])
  })
})
