// The audit sees what is wrong with expenses: each damage, done by SQL, is found.
import { expect, test } from '@jest/globals'
import { openOrganization } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

const service = await useServiceWithoutAudit()
const ours = await openOrganization(service)

// It counts the events of an organisation, so it is another one with every event.
const notOfPositions = (finding: string) => !/events at positions/.test(finding)

test.each<[string, string, RegExp[]]>([
  ['a line that was made dearer', "UPDATE expense_lines SET amount = amount + 1, item_total = item_total + 1 WHERE expense_id = $1", [/amount 50000.* sum to 50001/]],
  ['a total that was not paid', 'UPDATE expenses SET sub_total = 2, tax_total = 0, total = 2 WHERE id = $1', [/sub_total 2/, /has the total 2, but its journal pays 50000/]],
  ['another day than the journal says', "UPDATE expenses SET date = '2026-11-11' WHERE id = $1", [/has the total 50000, but its journal pays 50000 on 2026-11-10/]],
  ['another account than paid', "UPDATE expenses SET paid_through_account_id = account_id WHERE id = $1", [/its journal pays -50000/]],
  ['an expense that vanished', 'DELETE FROM expenses WHERE id = $1', [/has 1 unreversed entries/]],
  ['an event that vanished', 'DELETE FROM webhook_events WHERE entity_id = $1', [/has no creation event/, /has \d+ events at positions/]],
])('%s', async (_name, damage, told) => {
  const before = await service.audit()
  const { expense } = await ours.send('POST', '/expenses', {
    date: '2026-11-10', account_id: ours.accounts.Rent, paid_through_account_id: ours.accounts['Bank Account'], amount: 500,
  })
  // The audit's findings come in no order.
  expect((await service.audit()).filter(notOfPositions).sort()).toEqual(before.filter(notOfPositions).sort())
  await service.sql(damage, expense.expense_id)
  const wrong = (await service.audit()).filter((one) => !before.includes(one))
  expect(wrong).toEqual(told.map((pattern) => expect.stringMatching(pattern)))
})
