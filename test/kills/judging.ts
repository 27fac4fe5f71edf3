// Compares the invoices and the deliveries of an organisation with what its callers have acknowledged.
import { expect } from '@jest/globals'
import type { Database } from '../../models/database.ts'
import { until } from '../start/local-run.ts'
import type { Acknowledged } from './load.ts'
import { numbersInARow, type LoadedOrganization } from './organization.ts'
import { patientCallerAt } from './patient-caller.ts'

/** Every invoice is an acknowledged one, with the number and the body that were acknowledged, and none is missing. */
export async function expectEachOnce(org: LoadedOrganization, acknowledged: Acknowledged[]): Promise<void> {
  const found = await org.invoices()
  const expected = acknowledged.map(({ answer }) => answer.body.invoice)
  const byId = (one: { invoice_id: string }, other: { invoice_id: string }) => (one.invoice_id < other.invoice_id ? -1 : 1)
  expect(found.toSorted(byId)).toEqual(expected.toSorted(byId))
  expect(new Set(found.map(({ reference_number }) => reference_number))).toEqual(new Set(acknowledged.map(({ key }) => key)))
  expect(found.map(({ invoice_number }) => invoice_number).sort()).toEqual(numbersInARow(found.length))
}

/** A caller that lost its acknowledgement repeats the call and gets the same answer. */
export async function expectSameAgain(org: LoadedOrganization, acknowledged: Acknowledged[], addresses: string | readonly string[]): Promise<void> {
  const caller = patientCallerAt(addresses, org.token)
  for (const { key, body, answer } of acknowledged) {
    const again = await caller.once('POST', '/invoices', { key, body })
    expect(again).toMatchObject({ status: 201, text: answer.text, headers: { 'idempotency-replay': 'true' } })
  }
  expect(await org.invoices()).toHaveLength(acknowledged.length)
}

const LIMIT_MS = 300_000

/** At least one genuine INVOICE_CREATED an invoice; where there are more, they are one delivery, byte for byte. `output` is shown where they do not come. */
export async function expectAllAreTold(org: LoadedOrganization, acknowledged: Acknowledged[], database: Database, output: () => string): Promise<void> {
  const count = acknowledged.length
  let rows: unknown[] = []
  const delivered = async () => {
    const found = await database.run<{ status: string; held_by: string; count: number }>(DELIVERIES, [org.orgId])
    rows = found
    return found.every(({ status }) => status === 'DELIVERED') && found.reduce((sum, row) => sum + row.count, 0) === count
  }
  await until(delivered, LIMIT_MS, () => `${org.customer.arrivals.length} arrivals for ${count} invoices, ${JSON.stringify(rows)}:\n${output()}`)
  const { arrivals } = org.customer
  expect(arrivals.filter(({ genuine }) => !genuine)).toEqual([])
  const bodiesByDelivery = org.bodiesByDelivery()
  for (const { deliveryId, body } of arrivals) expect(body.toString()).toBe(bodiesByDelivery.get(deliveryId))
  const events = [...bodiesByDelivery].map(([deliveryId, text]) => ({ deliveryId, ...JSON.parse(text) }))
  expect(events.every((event) => event.delivery_id === event.deliveryId && event.event_type === 'INVOICE_CREATED' && event.org_id === org.orgId)).toBe(true)
  const expected = acknowledged.map(({ answer: { body: { invoice } } }) => `${invoice.invoice_id} ${invoice.invoice_number} ${invoice.total}`)
  expect(events.map(({ data }) => `${data.id} ${data.number} ${data.total}`).sort()).toEqual(expected.sort())
}

const DELIVERIES = {
  name: 'deliveries by status',
  text: 'SELECT status, held_by, attempts_made, next_attempt_at, count(*)::integer AS count FROM webhook_deliveries WHERE org_id = $1 GROUP BY 1, 2, 3, 4',
}
