// A writer that creates bills in bulk, one row of each refused, and finds a bill for every other row, once.
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { billBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { TODAY } from '../fixtures/organization.ts'
import type { LoadedOrganization } from './organization.ts'
import type { CheckedCaller, Writer } from './writers.ts'

interface Bulk {
  key: string
  body: Json
  answer: Json
}

const ROWS = 8

export function bulking({ vendorId }: LoadedOrganization, caller: CheckedCaller): Writer {
  const bulks: Bulk[] = []
  return {
    name: 'bulking',
    async round() {
      const rows = Array.from({ length: ROWS }, (_, row) =>
        billBody({ vendorId }, { date: TODAY, auto_approve: true, reference_number: `Bulk ${bulks.length}, row ${row}` }))
      const bills = [...rows, billBody({ vendorId }, { place_of_supply: 'Atlantis' })]
      const key = randomUUID()
      bulks.push({ key, body: { bills }, answer: await caller.post('/bulk/bills', { bills }, key) })
    },
    async check() {
      for (const { key, body, answer } of bulks) {
        const made = answer.results.filter(({ bill }: Json) => bill).map(({ bill }: Json) => bill.bill_id)
        expect([made.length, new Set(made).size, answer.results.length]).toEqual([ROWS, ROWS, ROWS + 1])
        for (const id of made) {
          expect((await caller.get(`/bills/${id}`)).bill.status).toBe('OPEN')
          expect(await caller.countActivity('BILL', id, 'CREATED')).toBe(1)
        }
        expect(await caller.post('/bulk/bills', body, key)).toEqual(answer)
      }
    },
  }
}
