// Fifty at once on one series: every number once, none left out, whichever calls fail in between.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { branches } from '../../models/branch.ts'
import type { Json } from '../fixtures/client.ts'
import { TODAY, type TestOrganization } from '../fixtures/organization.ts'
import {
  allInvoices, atOnce, bodyOf, firstNumbers, invoicesOf, numberOf, openTwoServers, outcomeOf, post, postingsOf, tally, whileLocked, type TwoServers,
} from './two-servers.ts'

let servers: TwoServers
beforeAll(async () => (servers = await openTwoServers()))
afterAll(() => servers.close())

const numbersOf = (invoices: Json[]): string[] => invoices.map(({ invoice_number }) => invoice_number).sort()
const nextNumber = async ({ get }: TestOrganization) => (await get('/invoices/series/next-number')).next_number

test('fifty invoices at once take fifty numbers in a row', async () => {
  const { org, callers } = await servers.org()
  const answers = await atOnce(50, (place) => post(callers, place, '/invoices', bodyOf(org, { auto_approve: place % 2 === 0 })))
  expect(tally(answers)).toEqual({ 201: 50 })
  expect(numbersOf(invoicesOf(answers))).toEqual(firstNumbers('INV-', 50))
  expect(numbersOf(await allInvoices(org))).toEqual(firstNumbers('INV-', 50))
  expect(await nextNumber(org)).toBe(numberOf('INV-', 51))
})

test('those that fail in between take no number with them', async () => {
  const { org, callers } = await servers.org()
  const wrong = [
    { line_items: [] }, { place_of_supply: 'IN-IN' }, { customer_id: randomUUID() }, { due_date: '2001-01-01' },
    { branch_id: randomUUID() }, { exchange_rate: 84.5 },
  ]
  const answers = await atOnce(60, (place) => post(callers, place, '/invoices', bodyOf(org, place % 2 === 0 ? {} : wrong[Math.floor(place / 2) % 6])))
  expect(tally(answers)).toEqual({
    201: 30, '422 validation.failed': 5, '422 validation.invalid_value': 5, '404 not_found.resource': 10, '400 validation.invalid_value': 10,
  })
  expect(numbersOf(await allInvoices(org))).toEqual(firstNumbers('INV-', 30))
})

test('numbers given by hand that come next: the series steps over them, and nobody is refused for a number that was not sent', async () => {
  const { org, callers } = await servers.org()
  const byHand: boolean[] = []
  for (let round = 0; round < 5; round += 1) {
    const from = Number((await nextNumber(org)).split('-').at(-1))
    const answers = await atOnce(40, (place) => {
      const custom = place % 4 === 3 ? { invoice_number: numberOf('INV-', from + (place + round) % 30) } : {}
      return post(callers, place, '/invoices', bodyOf(org, custom))
    })
    expect(tally(answers.filter((_, place) => place % 4 !== 3))).toEqual({ 201: 30 })
    for (const answer of answers.filter((_, place) => place % 4 === 3)) {
      expect(['201', '400 validation.invalid_value']).toContain(outcomeOf(answer))
      if (answer.status === 400) expect(answer.body.field).toBe('invoice_number')
      byHand.push(answer.status === 201)
    }
  }
  const numbers = numbersOf(await allInvoices(org))
  expect(numbers).toHaveLength(150 + byHand.filter(Boolean).length)
  expect(new Set(numbers).size).toBe(numbers.length)
  const next = await nextNumber(org)
  const given = numbers.filter((number) => number.length === next.length && number < next)
  expect(given).toEqual(firstNumbers('INV-', Number(next.split('-').at(-1)) - 1))
})

test('a number given by hand, not committed yet: whoever the series gives it to meanwhile gets the one after', async () => {
  const { org, callers } = await servers.org()
  await org.invoice({ date: TODAY, auto_approve: true })
  const taken = numberOf('INV-', 2)
  const [byHand, next] = await whileLocked(servers.service.database, postingsOf(org), async (waiting) => {
    const first = post(callers, 0, '/invoices', bodyOf(org, { invoice_number: taken, auto_approve: true }))
    await waiting(1)
    const second = post(callers, 1, '/invoices', bodyOf(org))
    await waiting(2)
    return [first, second]
  })
  expect([outcomeOf(byHand!), byHand!.body.invoice?.invoice_number]).toEqual(['201', taken])
  expect([outcomeOf(next!), next!.body.invoice?.invoice_number]).toEqual(['201', numberOf('INV-', 3)])
})

test('one number by hand, sent fifty times at once, makes one invoice', async () => {
  const { org, callers } = await servers.org()
  const answers = await atOnce(50, (place) => post(callers, place, '/invoices', bodyOf(org, { invoice_number: 'B/7' })))
  expect(tally(answers)).toEqual({ 201: 1, '400 validation.invalid_value': 49 })
  expect(numbersOf(await allInvoices(org))).toEqual(['B/7'])
})

test('every branch and every series counts by itself, also side by side', async () => {
  const { org, callers } = await servers.org()
  const now = new Date()
  let mysuru = ''
  await org.write((books) => {
    mysuru = books.insert(branches, {
      id: books.newId(), code: 'MYS', name: 'Mysuru', gstin: null, state: 'IN-KA', city: 'Mysuru', address: null, dispatch_address: null, is_default: false, is_active: true,
      invoice_prefix: 'MYS-', bill_prefix: 'MYS-BILL-', created_time: now, last_modified_time: now,
    }).id
  })
  const mains: Record<string, unknown>[] = [{}]
  for (const [series_name, prefix, branch_id] of [['exports', 'EXP-', null], ['default', 'MYS-', mysuru], ['exports', 'MEX-', mysuru]] as const) {
    await org.send('POST', '/invoices/series', { series_name, prefix, branch_id })
    mains.push({ series_name, branch_id })
  }
  const kinds = [...mains, { invoice_number: 'by hand' }]
  const answers = await atOnce(100, (place) => {
    const kind = kinds[place % 5]!
    return post(callers, place, '/invoices', bodyOf(org, kind.invoice_number ? { invoice_number: `H-${place}` } : kind))
  })
  expect(tally(answers)).toEqual({ 201: 100 })
  const byHand = Array.from({ length: 20 }, (_, each) => `H-${each * 5 + 4}`)
  const expected = [...['INV-', 'EXP-', 'MYS-', 'MEX-'].flatMap((prefix) => firstNumbers(prefix, 20)), ...byHand].sort()
  expect(numbersOf(await allInvoices(org))).toEqual(expected)
})

test('drafts deleted while others are created leave their numbers in the register of gaps', async () => {
  const { org, callers } = await servers.org()
  const drafts = invoicesOf(await atOnce(20, (place) => post(callers, place, '/invoices', bodyOf(org))))
  const answers = await atOnce(40, (place) => {
    const draft = drafts[place % 20]
    return place < 20 ? post(callers, place, '/invoices', bodyOf(org)) : callers[place % 2]!.delete(`/invoices/${draft.invoice_id}`)
  })
  expect(tally(answers)).toEqual({ 200: 20, 201: 20 })
  const gaps: Json[] = await org.listAll('/invoices/series/gaps', 'gaps', 200)
  expect(gaps.map(({ number }) => number).sort()).toEqual(numbersOf(drafts))
  expect([...gaps.map(({ number }) => number), ...numbersOf(await allInvoices(org))].sort()).toEqual(firstNumbers('INV-', 40))
})
