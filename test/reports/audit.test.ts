// The audit is silent on books in order, and finds every kind of damage; each is done with the guards switched off, and undone.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Connection } from '../../models/connection.ts'
import { audit } from '../../audit/audit.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { created, openOrganizationWithItem, TODAY, type OrganizationWithItem } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let org: OrganizationWithItem

beforeAll(async () => {
  service = await startService()
  org = await openOrganizationWithItem(service)
  await fill(org)
  // A neighbour, so that a question that forgets the organisation shows.
  await fill(await openOrganizationWithItem(service))
})
afterAll(() => service.close())

/** Invoices in every state that calls can bring them to, a deleted draft, a foreign one, a legacy number. */
async function fill(on: OrganizationWithItem): Promise<void> {
  const { client } = on
  await created(client.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED', 'INVOICE_VOIDED'] }))
  const create = async (changes: Record<string, unknown> = {}) => (await created(client.post('/invoices', invoiceBody(on, { date: TODAY, ...changes })))).invoice.invoice_id as string
  await create({ auto_approve: true, reference_number: 'sent' })
  await create({ auto_approve: true, reference_number: 'foreign', currency_code: 'USD', exchange_rate: 84.2537, place_of_supply: 'IN-MH' })
  await create({ auto_approve: true, reference_number: 'next to nothing', currency_code: 'USD', exchange_rate: 0.000001, line_items: [{ name: 'x', rate: 1, quantity: 1 }] })
  await create({ auto_approve: true, reference_number: 'free', line_items: [{ name: 'Sample', rate: 0, quantity: 1 }] })
  await create({ reference_number: 'draft' })
  await create({ auto_approve: true, reference_number: 'legacy', date: '2019-05-05' })
  await create({ auto_approve: true, reference_number: 'by hand', invoice_number: 'H-1' })
  const deleted = await create({ reference_number: 'deleted' })
  expect((await client.delete(`/invoices/${deleted}`)).status).toBe(200)
  for (const changes of [{ auto_approve: true, reference_number: 'voided' }, { reference_number: 'voided draft' }]) {
    expect((await client.post(`/invoices/${await create(changes)}/void`, {})).status).toBe(200)
  }
  await create({ auto_approve: true, reference_number: 'last' })
}

class Undo extends Error {}

/** What the audit says of the books after these statements; they are undone. $1 in them is the organisation. */
async function wrongAfter(...statements: string[]): Promise<string[]> {
  let wrong: string[] = []
  await service.database.transaction(async (connection: Connection) => {
    const run = (text: string, values: unknown[] = []) => connection.run({ name: '', text }, values)
    await run('SET LOCAL session_replication_role = replica')
    for (const text of statements) await run(text, text.includes('$1') ? [org.client.orgId] : [])
    wrong = await audit(connection)
    throw new Undo()
  }).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error
  })
  return wrong
}

const INVOICE = (reference: string) => `(SELECT id FROM invoices WHERE org_id = $1 AND reference_number = '${reference}')`
const POSTING = (reference: string) => `(SELECT id FROM journals WHERE org_id = $1 AND source_id = ${INVOICE(reference)} AND reversal_of IS NULL)`
const POSITIONS = /organisation \S+ has \d+ events at positions/
/** As if the events up to this one had been removed because of their age. */
const REMOVED_TO = (event: string) => [
  `INSERT INTO removed_events (org_id, position, id, occurred_at)
   SELECT org_id, position, id, occurred_at FROM webhook_events WHERE org_id = $1 AND ${event}`,
  `DELETE FROM webhook_deliveries WHERE org_id = $1 AND event_id IN (SELECT e.id FROM webhook_events AS e JOIN removed_events AS r ON r.org_id = e.org_id AND e.position <= r.position)`,
  `DELETE FROM webhook_events AS e USING removed_events AS r WHERE e.org_id = $1 AND r.org_id = $1 AND e.position <= r.position`,
]
const CREATED = (reference: string) => `event_type = 'INVOICE_CREATED' AND entity_id = ${INVOICE(reference)}`
const ACCOUNT = (role: string) => `(SELECT id FROM accounts WHERE org_id = $1 AND role = '${role}')`

test('books in order are met with silence', async () => {
  expect(await service.audit()).toEqual([])
  expect(await wrongAfter()).toEqual([])
})

describe('damage to the ledger', () => {
  test.each([
    ['a line changed', [`UPDATE journal_lines SET debit = debit + 1 WHERE org_id = $1 AND journal_id = ${POSTING('sent')} AND debit > 0`],
      [/journal JV-\d+ .*debits 118001, credits 118000/, /account 1100 .*balance/, /receivable of contact/]],
    ['a line lost', [`DELETE FROM journal_lines WHERE org_id = $1 AND journal_id = ${POSTING('sent')} AND line_no = 2`], [/journal JV-\d+ .* of \d lines/, /account .*balance/]],
    ['both sides of an entry raised', [`UPDATE journal_lines SET debit = debit * 2, credit = credit * 2 WHERE org_id = $1 AND journal_id = ${POSTING('sent')}`],
      [/account \d+ .*balance/, /receivable of contact/]],
    ['a balance that drifted', [`UPDATE monthly_balances SET debit = debit + 1 WHERE org_id = $1 AND account_id = ${ACCOUNT('SALES')}`], [/account \S+ Sales .*balance/]],
    ['debits and credits that drifted together', [`UPDATE monthly_balances SET debit = debit + 1, credit = credit + 1 WHERE org_id = $1 AND account_id = ${ACCOUNT('SALES')}`],
      [/account \S+ Sales .*balance -\d+ in \d{4}-\d\d, debits \d*1 /]],
    ['a balance of another month', [`UPDATE monthly_balances SET month = '2019-06-01' WHERE org_id = $1 AND account_id = ${ACCOUNT('SALES')} AND month = '2019-05-01'`],
      [/account \S+ Sales .*balance 0 in 2019-05,/, /account \S+ Sales .*balance -\d+ in 2019-06, .* sum to 0/]],
    ['a balance of one month lost', [`DELETE FROM monthly_balances WHERE org_id = $1 AND month = '2019-05-01'`], [/account \S+ .*balance 0 in 2019-05/]],
    ['a line of another day', [`UPDATE journal_lines SET date = date - 1 WHERE org_id = $1 AND journal_id = ${POSTING('legacy')} AND line_no = 1`],
      [/journal JV-\d+ of \S+: line 1 is dated 2019-05-04, the journal 2019-05-05/]],
    ['a line of another month', [`UPDATE journal_lines SET date = '2019-06-05' WHERE org_id = $1 AND journal_id = ${POSTING('legacy')} AND line_no = 1`],
      [/journal JV-\d+ of \S+: line 1 is dated 2019-06-05/, /account 1100 .*balance \d+ in 2019-05, .* sum to 0/, /account 1100 .*balance 0 in 2019-06/]],
    ['a line without a date', [`UPDATE journal_lines SET date = NULL WHERE org_id = $1 AND journal_id = ${POSTING('legacy')} AND line_no = 1`],
      [/journal JV-\d+ of \S+: line 1 is dated never/, /account 1100 .*balance \d+ in 2019-05, .* sum to 0/, /account 1100 .*balance 0 in no month/]],
    ['a journal of another day', [`UPDATE journals SET date = date + 1 WHERE org_id = $1 AND id = ${POSTING('legacy')}`],
      [/journal JV-\d+ of \S+: line \d is dated 2019-05-05, the journal 2019-05-06/]],
    ['a line of no branch', [`UPDATE journal_lines SET branch_id = NULL WHERE org_id = $1 AND journal_id = ${POSTING('sent')} AND line_no = 1`],
      [/journal JV-\d+ of \S+: line 1 has branch none, its document has \S{36}/]],
    ["a line of a neighbour's branch", [`UPDATE journal_lines SET branch_id = (SELECT id FROM branches WHERE org_id <> $1 LIMIT 1) WHERE org_id = $1 AND journal_id = ${POSTING('sent')}`],
      [/journal JV-\d+ of \S+: line \d has branch \S{36}, its document has \S{36}/]],
    ['a balance lost', [`DELETE FROM monthly_balances WHERE org_id = $1 AND account_id = ${ACCOUNT('SALES')}`], [/account \S+ Sales .*balance 0/]],
    ['an entry lost with its lines', [`DELETE FROM journal_lines WHERE org_id = $1 AND journal_id = ${POSTING('sent')}`, `DELETE FROM journals WHERE org_id = $1 AND id = ${POSTING('sent')}`],
      [/invoice \S+ .*SENT with 0 postings/, /journal numbers/, /account \d+ .*balance/, /receivable of contact/]],
    ['a receivable on another customer', [`UPDATE journal_lines SET contact_id = gen_random_uuid() WHERE org_id = $1 AND journal_id = ${POSTING('sent')} AND account_id = ${ACCOUNT('ACCOUNTS_RECEIVABLE')}`],
      [/receivable of contact .* is 118000 .* sum to 0/, /receivable of contact/]],
    ['a reversal that is no mirror', [`UPDATE journal_lines SET account_id = ${ACCOUNT('OUTPUT_IGST')}
        WHERE org_id = $1 AND journal_id IN (SELECT id FROM journals WHERE org_id = $1 AND reversal_of = ${POSTING('voided')}) AND account_id = ${ACCOUNT('SALES')}`],
      [/does not mirror/, /account \d+ .*balance/]],
  ])('%s', async (_what, statements, told) => expectTold(await wrongAfter(...statements), told))
})

describe('damage to documents', () => {
  test.each([
    ['a total that is not its lines', [`UPDATE invoices SET sub_total = sub_total + 1, total = total + 1 WHERE org_id = $1 AND reference_number = 'sent'`],
      [/invoice \S+ .*sub_total 100001.* lines sum to 100000/, /receivable of contact/]],
    ['a total that is no sum', ['ALTER TABLE invoices DROP CONSTRAINT invoices_check', `UPDATE invoices SET round_off = 7 WHERE org_id = $1 AND reference_number = 'draft'`], [/invoice \S+ .*round_off 7/]],
    ['a tax moved from one kind to another', [`UPDATE invoices SET cgst = 0, igst = cgst WHERE org_id = $1 AND reference_number = 'draft'`], [/invoice \S+ .* sum to/]],
    ['a line lost', [`DELETE FROM invoice_lines WHERE org_id = $1 AND invoice_id = ${INVOICE('draft')}`], [/invoice \S+ .*its 0 lines/]],
    ['a draft that is said to be sent', [`UPDATE invoices SET status = 'SENT' WHERE org_id = $1 AND reference_number = 'draft'`],
      [/invoice \S+ .*SENT with 0 postings/, /no entry INVOICE_SENT/, /receivable of contact/]],
    ['a posted one that is said to be a draft', [`UPDATE invoices SET status = 'DRAFT' WHERE org_id = $1 AND reference_number = 'sent'`], [/invoice \S+ .*DRAFT with 1 postings/, /receivable of contact/]],
    ['a void that posted nothing', [`UPDATE invoices SET status = 'CANCELLED' WHERE org_id = $1 AND reference_number = 'sent'`],
      [/invoice \S+ .*CANCELLED with 1 postings and 0 reversals/, /no event INVOICE_VOIDED/, /no entry INVOICE_VOIDED/, /receivable of contact/]],
    ['a posting of a document that is gone', [`DELETE FROM invoice_lines WHERE org_id = $1 AND invoice_id = ${INVOICE('sent')}`, `DELETE FROM invoices WHERE org_id = $1 AND reference_number = 'sent'`],
      [/is gone with 1 postings/, /number INV-\S+ of series default .* was assigned but does not exist/, /receivable of contact/]],
    ['a payment that the ledger does not know', [`UPDATE invoices SET payment_made = 500, status = 'PARTIALLY_PAID' WHERE org_id = $1 AND reference_number = 'sent'`],
      [/500 paid .* its allocations sum to 0/]],
    ['a foreign document at another rate', [`UPDATE invoices SET exchange_rate = 84.26 WHERE org_id = $1 AND reference_number = 'foreign'`], [/receivable of contact/]],
  ])('%s', async (_what, statements, told) => expectTold(await wrongAfter(...statements), told))

  test('a foreign document whose ledger entry is of nothing', async () => {
    const others = `DELETE FROM invoices WHERE org_id = $1 AND currency_code = 'INR'`
    const wrong = await wrongAfter(others, 'DELETE FROM journal_lines WHERE org_id = $1', 'DELETE FROM monthly_balances WHERE org_id = $1')
    // 1,180.00 dollars at 84.2537.
    expect(wrong).toEqual(expect.arrayContaining([expect.stringMatching(/receivable of contact .* is 0 in the ledger, but its documents sum to 9941937/)]))
  })
})

describe('damage to numbers and traces', () => {
  test.each([
    ['a number given to two', ['ALTER TABLE invoices DROP CONSTRAINT invoices_org_id_branch_id_invoice_number_key',
        `UPDATE invoices SET invoice_number = 'H-1' WHERE org_id = $1 AND reference_number = 'last'`],
      [/number H-1 .* is on 2 invoices/, /number INV-\S+ of series default/]],
    ['a hole in a series', [`UPDATE number_counters SET next_number = next_number + 1 WHERE org_id = $1 AND sequence <> 'journal' AND sequence NOT LIKE 'invoice %'`],
      [/number INV-\S+ of series default .* was assigned but does not exist/]],
    ['a hole in the legacy numbers', [`UPDATE number_counters SET next_number = next_number + 1 WHERE org_id = $1 AND sequence LIKE 'invoice %'`], [/number INV-20190505-002 of series 2019-05-05/]],
    ['a hole in the journals', [`UPDATE number_counters SET next_number = next_number + 1 WHERE org_id = $1 AND sequence = 'journal'`], [/has assigned \d+ journal numbers/]],
    ['a gap taken out of the register', ['DELETE FROM number_gaps WHERE org_id = $1'], [/number INV-\S+ of series default .* was assigned but does not exist/]],
    ['an event lost', [`DELETE FROM webhook_events WHERE org_id = $1 AND entity_id = ${INVOICE('sent')}`], [/has no event INVOICE_CREATED/, /delivery .* an event of nobody/, POSITIONS]],
    ['a void without its event', [`DELETE FROM webhook_events WHERE org_id = $1 AND event_type = 'INVOICE_VOIDED' AND entity_id = ${INVOICE('voided')}`], [/has no event INVOICE_VOIDED/, /delivery/, POSITIONS]],
    ['an entry of the log lost', [`DELETE FROM activity WHERE org_id = $1 AND action = 'INVOICE_SENT' AND entity_id = ${INVOICE('sent')}`], [/has no entry INVOICE_SENT/]],
    ['a delivery to a neighbour', [`UPDATE webhook_deliveries SET endpoint_id = (SELECT id FROM webhook_endpoints WHERE org_id <> $1 LIMIT 1)
        WHERE org_id = $1 AND event_id IN (SELECT id FROM webhook_events WHERE entity_id = ${INVOICE('sent')})`], [/delivery .* an endpoint of/]],
    ["a delivery in a neighbour's name", [`UPDATE webhook_deliveries SET payload = jsonb_set(payload::jsonb, '{org_id}', '"x"')::text
        WHERE org_id = $1 AND event_id IN (SELECT id FROM webhook_events WHERE entity_id = ${INVOICE('sent')})`], [/delivery .* a payload of x/]],
    ['a delivery that arrived and is said to wait', [`INSERT INTO webhook_attempts (org_id, delivery_id, series, attempt, started_at, duration_ms, status_code)
        SELECT org_id, id, 0, 1, now(), 5, 200 FROM webhook_deliveries WHERE org_id = $1 ORDER BY id LIMIT 1`], [/delivery .* is PENDING after a successful attempt/]],
  ])('%s', async (_what, statements, told) => expectTold(await wrongAfter(...statements), told))
})

describe('damage to the order of events', () => {
  const LAST = 'position = (SELECT max(position) FROM webhook_events WHERE org_id = $1)'
  test.each([
    ['one in the middle lost', [`DELETE FROM webhook_events WHERE org_id = $1 AND event_type = 'INVOICE_DELETED'`], [POSITIONS]],
    ['the newest lost', [`DELETE FROM webhook_events WHERE org_id = $1 AND ${LAST}`], [POSITIONS, /invoice .* has no event INVOICE_CREATED/, /an event of nobody/]],
    ['the oldest lost', [`DELETE FROM webhook_events WHERE org_id = $1 AND position = 1`], [POSITIONS, /invoice .* has no event INVOICE_CREATED/, /an event of nobody/]],
    ['all lost', [`DELETE FROM webhook_deliveries WHERE org_id = $1`, `DELETE FROM webhook_events WHERE org_id = $1`], [POSITIONS, /has no event/]],
    ['one moved', [`UPDATE webhook_events SET position = position + 100 WHERE org_id = $1 AND event_type = 'INVOICE_DELETED'`], [POSITIONS]],
    ['the next position behind them', [`UPDATE event_counters SET next_position = next_position - 1 WHERE org_id = $1`], [POSITIONS]],
    ['the next position ahead', [`UPDATE event_counters SET next_position = next_position + 1 WHERE org_id = $1`], [POSITIONS]],
    ['the next position lost', [`DELETE FROM event_counters WHERE org_id = $1`], [POSITIONS]],
    ['the note of what was removed lost', [...REMOVED_TO('position = 4'), `DELETE FROM removed_events WHERE org_id = $1`], [POSITIONS, /has no event/]],
    ['more removed than is noted', [...REMOVED_TO('position = 4'), `UPDATE removed_events SET position = 3 WHERE org_id = $1`], [POSITIONS]],
    ['a creation lost that is later than what was removed', [...REMOVED_TO(CREATED('sent')), `DELETE FROM webhook_events WHERE org_id = $1 AND ${CREATED('last')}`],
      [POSITIONS, /invoice .* has no event INVOICE_CREATED/, /an event of nobody/]],
    ['a void lost whose creation was removed', [...REMOVED_TO(CREATED('voided')), `DELETE FROM webhook_events WHERE org_id = $1 AND event_type = 'INVOICE_VOIDED' AND entity_id = ${INVOICE('voided')}`],
      [POSITIONS, /has no event INVOICE_VOIDED/, /an event of nobody/]],
  ])('%s', async (_what, statements, told) => expectTold(await wrongAfter(...statements), told))

  test('what was removed for its age is no damage', async () => {
    expect(await wrongAfter(...REMOVED_TO(CREATED('voided')))).toEqual([])
    expect(await wrongAfter(...REMOVED_TO(LAST.replace('max(position)', 'max(position) - 1')))).toEqual([])
  })
})

// Every finding is one that is expected, and every one that is expected is there: each damage is reported once, where it is.
function expectTold(wrong: string[], told: RegExp[]): void {
  for (const wanted of told) expect(wrong).toEqual(expect.arrayContaining([expect.stringMatching(wanted)]))
  for (const line of wrong) expect([line, told.some((wanted) => wanted.test(line))]).toEqual([line, true])
}

describe('npm run audit', () => {
  const run = promisify(execFile)
  const command = () => run(process.execPath, [fileURLToPath(new URL('../../bin/audit.ts', import.meta.url))], { env: { ...process.env, DATABASE_URL: service.databaseUrl } })

  test('says in one line that the books are in order, and ends with 0', async () => {
    expect(await command()).toEqual({ stdout: 'The books are in order.\n', stderr: '' })
  })

  test('says what is wrong, and ends with 1', async () => {
    await service.sql('UPDATE monthly_balances SET debit = debit + 1 WHERE org_id = $1', org.client.orgId)
    await expect(command()).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^account .*\n(account .*\n)+$/) })
    await service.sql('UPDATE monthly_balances SET debit = debit - 1 WHERE org_id = $1', org.client.orgId)
  })
})
