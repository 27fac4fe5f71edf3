// Every call in every state that forbids it: 409 conflict.invalid_state always gives the status, and those that are allowed.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MOVES, STATUSES, type StatedKind } from '../../domain/lifecycle.ts'
import { receiptBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { ROUTES } from './routes.ts'
import { openContractOrganization, pathFor, type ContractOrganization } from './samples.ts'

let service: Service
let org: ContractOrganization

beforeAll(async () => {
  service = await startService()
  org = await openContractOrganization(service)
  // Documents are put into states by hand, without what would have brought them there.
  for (const [table, check] of [['estimates', 'check3'], ['credit_notes', 'check4'], ['credit_notes', 'check5']]) {
    await service.sql(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_${check}`)
  }
})
afterAll(() => service.discard())

type Call = [method: string, path: string, body?: (org: ContractOrganization, id: string) => Json]
const edit: Call = ['PUT', '', () => ({ notes: 'x' })]
const remove: Call = ['DELETE', '']
const action = (name: string): Call => ['POST', `/${name}`]
const applied = (kind: 'invoice' | 'bill'): Call => ['POST', `/apply-to-${kind}`, (at) => ({ [`${kind}_id`]: kind === 'invoice' ? at.sentInvoiceId : at.openBillId, amount: 1 })]

const CALLS: { [K in Exclude<StatedKind, 'RECURRING'>]: { path: string; id: string; calls: Partial<Record<keyof (typeof MOVES)[K], Call>> } } = {
  INVOICE: {
    path: '/invoices', id: 'invoice_id',
    calls: {
      approve: action('approve'), edit, delete: remove, dispute: ['POST', '/dispute', () => ({ reason: 'Torn' })], remind: ['POST', '/remind', () => ({})],
    },
  },
  BILL: { path: '/bills', id: 'bill_id', calls: { approve: action('approve'), edit, delete: remove } },
  ESTIMATE: {
    path: '/estimates', id: 'estimate_id',
    calls: {
      edit, delete: remove, accept: action('accept'), convert: action('convert'), send: ['PUT', '', () => ({ status: 'SENT' })],
      decline: ['PUT', '', () => ({ status: 'DECLINED' })], cancel: ['PUT', '', () => ({ status: 'CANCELLED' })],
    },
  },
  SALES_ORDER: { path: '/sales_orders', id: 'sales_order_id', calls: { edit, open: action('open'), close: action('close'), cancel: action('cancel'), convert: action('convert') } },
  PURCHASE_ORDER: { path: '/purchase_orders', id: 'purchase_order_id', calls: { edit, open: action('open'), cancel: action('cancel'), convert: action('convert'), delete: remove } },
  CREDIT_NOTE: { path: '/credit_notes', id: 'credit_note_id', calls: { issue: action('issue'), edit, apply: applied('invoice') } },
  // A used-up note is refused by its limit of 0: APPLIED is a matter of amounts.
  DEBIT_NOTE: { path: '/debit_notes', id: 'debit_note_id', calls: { issue: action('issue'), edit } },
}

// What a state forbids with a code of its own.
const OTHERWISE: Record<string, string> = {
  'ESTIMATE convert CONVERTED': 'conflict.already_converted',
  'SALES_ORDER convert INVOICED': 'conflict.already_converted',
  'PURCHASE_ORDER convert BILLED': 'conflict.already_converted',
}

const forbidden = Object.entries(CALLS).flatMap(([kind, { path, id, calls }]) => Object.entries(calls).flatMap(([verb, call]) => {
  const { from } = (MOVES as unknown as Record<string, Record<string, { from: readonly string[] }>>)[kind]![verb]!
  const told = verb === 'apply' ? ['APPLIED'] : []
  // A change to the status which the document has changes nothing.
  const itself = call![0] === 'PUT' ? (call![2]!(undefined as never, '').status as string | undefined) : undefined
  return STATUSES[kind as StatedKind].filter((status) => !from.includes(status) && status !== itself && !told.includes(status))
    .map((status) => [`${kind} ${verb} ${status}`, { path, id, call: call!, status, from }] as const)
}))

const kindOf = (name: string) => name.split(' ')[0]

test.each(forbidden)('%s', async (name, { path, id, call: [method, suffix, body], status, from }) => {
  const route = ROUTES.find((each) => each.method === 'GET' && each.path === `${path}/{${id}}`)!
  const record = await pathFor(route, org)
  const documentId = record.split('/').at(-1)!
  await service.sql(`UPDATE ${path.slice(1)} SET status = $2 WHERE id = $1`, documentId, status)
  const answered = await org.client.call(method, record + suffix, { body: body?.(org, documentId), key: method === 'POST' ? documentId : undefined })
  if (OTHERWISE[name]) return void expect(answered.body.code).toBe(OTHERWISE[name])
  const { allowed, ...told } = answered.body.details ?? {}
  expect([answered.status, answered.body.code, told]).toEqual([409, 'conflict.invalid_state', { status }])
  // An estimate that may not be changed at all is not changed in its status either.
  const statuses = kindOf(name) === 'ESTIMATE' && status === 'CONVERTED' && method === 'PUT' ? MOVES.ESTIMATE.edit.from : from
  expect([...allowed].sort()).toEqual([...statuses].sort())
})

test.each(['DRAFT', 'CANCELLED'])('a payment or a note on a document that is %s', async (status) => {
  const path = await pathFor(ROUTES.find((each) => each.path === '/invoices/{invoice_id}')!, org)
  const invoice_id = path.split('/').at(-1)!
  await service.sql('UPDATE invoices SET status = $2 WHERE id = $1', invoice_id, status)
  const line_items = [{ name: 'Torn', quantity: 1, rate: 5 }]
  for (const [target, body] of [
    ['/payments', receiptBody(org, { amount: 5, allocations: [{ invoice_id, amount: 5 }] })],
    ['/credit_notes', { customer_id: org.customerId, invoice_id, date: '2026-11-10', line_items }],
  ] as const) {
    const { body: refused } = await org.client.post(target, body)
    expect([refused.code, refused.details]).toEqual(['conflict.invalid_state', { status, allowed: expect.arrayContaining(['SENT', 'PARTIALLY_PAID', 'OVERDUE']) }])
  }
})
