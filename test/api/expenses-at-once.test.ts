// Expenses when many callers change and delete one at the same time, and the round trips of each write.
import { expect, test } from '@jest/globals'
import { addContact, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const body = (changes: Record<string, unknown> = {}) => ({
  date: '2026-11-10', account_id: ours.accounts.Rent, paid_through_account_id: ours.accounts['Bank Account'], amount: 100, ...changes,
})

test('changes at once are made one after the other, and one entry stands', async () => {
  const { expense } = await ours.send('POST', '/expenses', body())
  const path = `/expenses/${expense.expense_id}`
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ours.client.put(path, { amount: 101 + n, line_items: null })))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const { journals } = await ours.get('/journals?source=EXPENSE&per_page=200')
  expect(journals).toHaveLength(25)
  const unreversed = journals.filter(({ reversal_of, reversed_by }: { reversal_of: unknown; reversed_by: unknown }) => reversal_of === null && reversed_by === null)
  expect(unreversed.map(({ lines }: { lines: { debit: number }[] }) => lines[0]!.debit)).toEqual([(await ours.get(path)).expense.total])
})

test('changed and deleted at once: it is gone once, and nothing of it stands', async () => {
  const { expense } = await ours.send('POST', '/expenses', body({ amount: 9 }))
  const path = `/expenses/${expense.expense_id}`
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => (
    n % 3 === 1 ? ours.client.delete(path) : ours.client.put(path, { amount: 10 + n })
  )))
  expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true)
  expect(answers.filter(({ status }, n) => status === 200 && n % 3 === 1)).toHaveLength(1)
  const [row] = await service.sql<{ rest: bigint }>(
    `SELECT coalesce(sum(l.debit - l.credit), 0)::bigint AS rest FROM journal_lines AS l JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id
     WHERE j.source_id = $1 AND l.account_id = $2`, expense.expense_id, ours.accounts.Rent,
  )
  expect(row!.rest).toBe(0n)
})

test('no write waits for the database more than eight times', async () => {
  const vendor_id = await addContact(ours, { contact_type: 'VENDOR', place_of_contact: 'IN-KA' })
  const trips = async () => Number(/^bahi_database_round_trips_total (\d+)/m.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1])
  const cost = async (write: () => Promise<unknown>) => {
    const before = await trips()
    await write()
    return (await trips()) - before
  }
  const lines = Array.from({ length: 40 }, (_, n) => ({ amount: 1 + n, tax_id: ours.taxes['GST 18%'] }))
  let id = ''
  const costs = [
    await cost(async () => { id = (await ours.send('POST', '/expenses', body({ vendor_id, line_items: lines }))).expense.expense_id }),
    await cost(() => ours.send('PUT', `/expenses/${id}`, { line_items: lines.slice(1) })),
    await cost(() => ours.send('DELETE', `/expenses/${id}`)),
    await cost(async () => {
      const wanted = { date: '2026-11-10', lines: [{ account_id: ours.accounts.Rent, debit: 1 }, { account_id: ours.accounts.Sales, credit: 1 }] }
      id = (await ours.send('POST', '/journals', wanted)).journal.journal_id
    }),
    await cost(() => ours.send('DELETE', `/journals/${id}`)),
  ]
  for (const count of costs) expect(count).toBeGreaterThan(1)
  for (const count of costs) expect(count).toBeLessThanOrEqual(8)
})
