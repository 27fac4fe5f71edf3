// Periods of a query end no earlier than they begin: every list that has both parameters, the activity log, the ledger.
import { expect, test } from '@jest/globals'
import { PERIODS } from '../../api/http/period.ts'
import { useService } from '../fixtures/use-service.ts'
import { callRoute, each, nameOf, opening } from './routes.ts'
import { openContractOrganization, pathFor, requiredQuery } from './samples.ts'

const service = await useService()
const org = await openContractOrganization(service)

const asked = each((route) => route.query !== undefined).flatMap(([name, route]) => PERIODS
  .filter(({ from, to }) => from in route.query!.properties && to in route.query!.properties)
  .map(({ from, to }) => [`${name} ${from}`, route, from, to] as const))

test('there are such lists, and none has half a period', () => {
  expect(asked.map(([name]) => name)).toEqual(expect.arrayContaining([
    'GET /invoices date_from', 'GET /journals date_from', 'GET /activity since', 'GET /webhooks/deliveries since', 'GET /reports/customer_ledger from_date',
  ]))
  const half = each((route) => PERIODS.some(({ from, to }) => (from in (route.query?.properties ?? {})) !== (to in (route.query?.properties ?? {}))))
  expect(half.map(([name]) => name)).toEqual([])
})

test.each(asked)('%s', async (_name, route, from, to) => {
  const call = async (first: string, last: string) => callRoute(
    service, route, `${await pathFor(route, org)}?${from}=${first}&${to}=${last}${await requiredQuery(route, org)}`, opening(route, org))
  const refused = await call('2026-11-11', '2026-11-10')
  expect([nameOf(route), refused.status, refused.body.code, refused.body.field]).toEqual([nameOf(route), 400, 'validation.invalid_value', from])
  // One day is a period, and so is a moment; across zones it is the calendar of India that counts.
  for (const [first, last] of [['2026-11-10', '2026-11-10'], ['2026-11-10T12:00:00Z', '2026-11-10T12:00:00Z'], ['2026-11-10', '2026-11-10T00:30:00Z']]) {
    expect([first, last, (await call(first!, last!)).status]).toEqual([first, last, 200])
  }
})
