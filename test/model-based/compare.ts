// The end of a run: the whole model is compared with what the API answers.
import { expect } from '@jest/globals'
import type { Client, Json } from '../fixtures/client.ts'
import { amountOf, inBase, type Books } from './books.ts'
import { entryText, type Entry } from './ledger.ts'
import { Note } from './note.ts'
import { Payment } from './payment.ts'
import { compareThing, type Session } from './step.ts'

const CREDIT_NORMAL = new Set([
  'ACCOUNTS_PAYABLE', 'GST_LIABILITY', 'TDS_LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LONG_TERM_LIABILITY', 'EQUITY', 'RETAINED_EARNINGS',
  'SALES', 'INCOME', 'OTHER_INCOME',
])

export async function compareAll(books: Books, session: Session): Promise<void> {
  for (const thing of books.things) await compareThing(books, session, thing)
  await compareLists(books, session)
  await compareAccounts(books, session)
  await compareJournals(books, session)
  await compareContacts(books, session)
  await compareEvents(books, session)
  await compareActivity(books, session)
  // What an earlier run did wrong is no reason to make this one shorter.
  expect((await session.service.audit()).filter((line) => line.includes(session.client.orgId))).toEqual([])
  expect(session.service.unhandledErrors.slice(session.unhandledErrorsBefore)).toEqual([])
}

/** Every row of a cursor list. */
async function walk(client: Client, path: string, key: string): Promise<Json[]> {
  const rows: Json[] = []
  for (let cursor = ''; ;) {
    const { status, body, text } = await client.get(`${path}${path.includes('?') ? '&' : '?'}per_page=200${cursor}`)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`)
    rows.push(...body[key])
    if (!body.page_context.has_more_page) return rows
    cursor = `&cursor=${body.page_context.next_cursor}`
  }
}

// A list shows what was not deleted, and nothing else.
async function compareLists(books: Books, { client }: Session): Promise<void> {
  const listed = Map.groupBy(books.things.filter(({ key }) => key !== 'journal'), ({ path }) => path.split('/')[1]!)
  for (const [list, things] of listed) {
    const rows = await walk(client, `/${list}`, list)
    const id = `${things[0]!.key}_id`
    expect({ list, ids: rows.map((row) => row[id]).sort() }).toEqual({
      list, ids: things.filter(({ gone }) => !gone).map(({ path }) => path.split('/')[2]).sort(),
    })
  }
}

async function compareAccounts({ ledger }: Books, { client }: Session): Promise<void> {
  const accounts = (await client.get('/accounts?per_page=500&include_inactive=true')).body.accounts as Json[]
  const answered = accounts.map(({ name, current_balance }) => [name, current_balance])
  expect(answered).toEqual(accounts.map(({ name, account_type }) => {
    const balance = ledger.balance(name)
    return [name, amountOf(CREDIT_NORMAL.has(account_type) ? -balance : balance)]
  }))
  // As of a date in the midst of the entries: what is dated later does not count, whenever it was written.
  const asOf = ledger.entries.map(({ date }) => date).sort()[Math.floor(ledger.entries.length / 2)]
  for (const { account_id, name, account_type } of accounts.filter((account) => asOf !== undefined && ledger.moved(account.name)).slice(0, 4)) {
    const balance = ledger.balance(name, undefined, asOf)
    const { current_balance } = (await client.get(`/accounts/${account_id}?as_of=${asOf}`)).body.account
    expect([name, asOf, current_balance]).toEqual([name, asOf, amountOf(CREDIT_NORMAL.has(account_type) ? -balance : balance)])
  }
}

// The ledger holds the model's entries, each of them once, and no others.
async function compareJournals({ ledger }: Books, { client }: Session): Promise<void> {
  const journals = await walk(client, '/journals?include_reversed=true', 'journals')
  const answered = journals.map(({ source, source_id, date, contact_id: contact, lines }) => entryText({
    source, of: source_id, date: date.slice(0, 10), contact,
    lines: lines.map(({ account_name, contact_id, debit, credit }: Json) => ({
      account: account_name, contact: contact_id, debit: BigInt(Math.round(debit * 100)) - BigInt(Math.round(credit * 100)),
    })),
  }))
  expect(answered.sort()).toEqual(ledger.entries.map(entryText).sort())
  for (const [source, [journal]] of Map.groupBy(journals, (each) => each.source)) {
    if (source === 'MANUAL') continue
    const { status, body } = await client.delete(`/journals/${journal!.journal_id}`)
    expect([status, body.code, body.details]).toEqual([409, 'conflict.invalid_state', { status: null, allowed: [], source }])
  }
}

// What a contact owes, computed three ways: from its open documents, from the ledger, from the customer ledger.
async function compareContacts(books: Books, { client }: Session): Promise<void> {
  for (const { id, name, gone } of books.contacts) {
    for (const [kind, control, sign] of [['invoice', 'Accounts Receivable', 1n], ['bill', 'Accounts Payable', -1n]] as const) {
      expect({ name, control, owed: openOf(books, id, kind, control) }).toEqual({ name, control, owed: sign * books.ledger.balance(control, id) })
    }
    const { status, body, text } = await client.get(`/reports/customer_ledger?contact_id=${id}`)
    if (gone) {
      expect([name, status]).toEqual([name, 404])
      continue
    }
    if (status !== 200) throw new Error(`the ledger of ${name} was answered ${status}: ${text}`)
    expect([name, body.customer_ledger.closing_balance]).toEqual([name, amountOf(books.ledger.balance('Accounts Receivable', id))])
  }
}

function openOf(books: Books, contactId: string, kind: string, control: string): bigint {
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  const byHand = (entry: Entry) => sum(entry.lines.filter(({ account, contact }) => account === control && contact === contactId).map(({ debit }) => debit))
  const sign = control === 'Accounts Receivable' ? 1n : -1n
  const documents = books.documents.filter((one) => one.kind === kind && one.isPosted && one.terms.contact.id === contactId)
  return sum(documents.map(({ total, terms, offBase }) => inBase(total, terms.rate) - offBase))
    + sum(books.all(Payment).filter(({ terms }) => terms.contact.id === contactId).map((payment) => payment.openAt(control)))
    + sum(books.all(Note).filter(({ terms }) => terms.contact.id === contactId).map((note) => note.openAt(control)))
    + sign * sum(books.ledger.entries.filter(({ source }) => source === 'MANUAL').map(byHand))
}

// Every event is there once, in order; where each change of a document has one, their sequence has no gap.
async function compareEvents(books: Books, { service, client }: Session): Promise<void> {
  const rows = await service.sql<{ entity_id: string; event_type: string; sequence: number }>(
    `SELECT entity_id, event_type, (data ->> 'sequence')::integer AS sequence FROM webhook_events
     WHERE org_id = $1 ORDER BY entity_id, (data ->> 'sequence')::integer, id`, client.orgId,
  )
  const input = Map.groupBy(rows, ({ entity_id }) => entity_id)
  for (const { path, name, events, isWhollyGiven } of books.things) {
    if (!events) continue
    const answered = input.get(path.split('/')[2]!) ?? []
    expect({ name, events: answered.map(({ event_type }) => event_type) }).toEqual({ name, events })
    const sequence = answered.map((event) => event.sequence)
    const wanted = isWhollyGiven ? events.map((_event, place) => place + 1) : [...new Set(sequence)].sort((a, b) => a - b)
    expect({ name, sequence }).toEqual({ name, sequence: wanted })
  }
}

// The activity log has everything that was done to a thing, and nothing else.
async function compareActivity({ things }: Books, { client }: Session): Promise<void> {
  for (const { key, path, name, actions } of things) {
    if (!actions) continue
    const type = key.toUpperCase()
    const { status, body, text } = await client.get(`/activity?entity_type=${type}&entity_id=${path.split('/')[2]}&limit=500`)
    if (status !== 200) throw new Error(`the activity of ${name} was answered ${status}: ${text}`)
    const answered = body.activity.map(({ action }: Json) => action.slice(type.length + 1)).sort()
    expect({ name, actions: answered }).toEqual({ name, actions: actions.toSorted() })
  }
}
