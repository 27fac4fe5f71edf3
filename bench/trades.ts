// Prepares the books of an organisation for the measured writes: accounts, and an invoice large enough for all payments; and makes the calls.
import type { Call } from './children/load.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { itemLines, type Party, post, today } from './parties.ts'
import type { Stage } from './stage.ts'

export interface Trade extends Party {
  expenseAccountId: string
  bankAccountId: string
  openInvoiceId: string
}

export const PATH = '/api/public/v1'
// Far more than all payments of a bench.
const LARGE = 1e12

export async function openTrades(stage: Stage, parties: Party[]): Promise<Trade[]> {
  const trades: Trade[] = []
  for (const party of parties) {
    stage.stopping.throwIfAborted()
    trades.push(await openTrade(stage, party))
  }
  return trades
}

async function openTrade({ baseUrl }: Stage, party: Party): Promise<Trade> {
  const headers = { Authorization: `Bearer ${party.token}` }
  const listed = await fetch(`${baseUrl}/accounts?per_page=500`, { headers })
  const { accounts } = await listed.json() as { accounts: { name: string; account_id: string }[] }
  const account = (called: string) => accounts.find(({ name }) => name === called)!.account_id
  const { invoice } = await post<{ invoice: { invoice_id: string } }>(`${baseUrl}/invoices`, headers, {
    customer_id: party.customerId, date: today(), place_of_supply: 'IN-KA', auto_approve: true,
    line_items: [{ name: 'A year of books', quantity: 1, rate: LARGE }],
  })
  return {
    ...party, expenseAccountId: account('Printing and Stationery'), bankAccountId: account('Bank Account'), openInvoiceId: invoice.invoice_id,
  }
}

/** POST /payments, allocated to one invoice; each of another amount, so that none is a possible duplicate. */
export const payment = ({ token, customerId, openInvoiceId }: Trade): Call => ({
  method: 'POST', path: `${PATH}/payments`, token,
  body: {
    flow: 'INCOMING', contact_id: customerId, date: today(), amount: '<number>', reference_number: '<key>',
    allocations: [{ invoice_id: openInvoiceId, amount: '<number>' }],
  },
})

/** POST /bills, approved, of three item lines; each with a reference of its own, so that none is a possible duplicate. */
export const bill = ({ token, vendorId, itemIds }: Trade): Call => ({
  method: 'POST', path: `${PATH}/bills`, token,
  body: {
    vendor_id: vendorId, date: today(), place_of_supply: 'IN-KA', reference_number: '<key>', auto_approve: true,
    line_items: itemLines(itemIds),
  },
})

/** POST /expenses with its tax in the amount. */
export const expense = ({ token, expenseAccountId, bankAccountId, vendorId, taxId }: Trade): Call => ({
  method: 'POST', path: `${PATH}/expenses`, token,
  body: {
    date: today(), account_id: expenseAccountId, paid_through_account_id: bankAccountId, vendor_id: vendorId, amount: 1180, tax_id: taxId,
    is_inclusive_tax: true, reference_number: '<key>',
  },
})

const creditNote = ({ token, customerId, itemIds }: Party): Call => ({
  method: 'POST', path: `${PATH}/credit_notes`, token,
  body: { customer_id: customerId, date: today(), place_of_supply: 'IN-KA', line_items: itemLines(itemIds) },
})

export const salesOrder = ({ token, customerId, itemIds }: Party): Call => ({
  method: 'POST', path: `${PATH}/sales_orders`, token,
  body: { customer_id: customerId, date: today(), place_of_supply: 'IN-KA', line_items: itemLines(itemIds) },
})

/** POST /credit_notes/{credit_note_id}/apply-to-invoice: each applies the whole of another credit note. */
export async function applications(stage: Stage, trades: Trade[], count: number): Promise<Call[]> {
  const opened = await openMany<{ balance_amount: string }, Trade>(stage, trades, count, creditNote, 'credit_notes')
  return opened.map(({ id, balance_amount, party: { token, openInvoiceId } }) => ({
    method: 'POST', path: `${PATH}/credit_notes/${id}/apply-to-invoice`, token,
    body: { invoice_id: openInvoiceId, amount: Number(balance_amount) / 100 },
  }))
}

/** POST /sales_orders/{sales_order_id}/convert: each converts the whole of another order and approves the invoice. */
export async function conversions(stage: Stage, parties: Party[], count: number): Promise<Call[]> {
  const opened = await openMany<object, Party>(stage, parties, count, salesOrder, 'sales_orders')
  return opened.map(({ id, party: { token } }) => ({
    method: 'POST', path: `${PATH}/sales_orders/${id}/convert`, token, body: { auto_approve: true },
  }))
}

// Creates `count` documents, in the organisations in turn; returns their rows.
async function openMany<Row, One extends Party>(
  stage: Stage, parties: One[], count: number, create: (party: One) => Call, table: string,
): Promise<(Row & { id: string; party: One })[]> {
  const calls = parties.map(create)
  await runChild('load.ts', { port: stage.port, calls, pace: { clients: 8, count } }, stage.stopping)
  const { rows } = await connected(stage.databaseUrl, (client) => client.query<Row & { id: string; org_id: string }>(
    `SELECT * FROM ${table} ORDER BY id DESC LIMIT $1`, [count]))
  const partyOf = new Map(parties.map((party) => [party.orgId, party]))
  return rows.map((row) => ({ ...row, party: partyOf.get(row.org_id)! }))
}
