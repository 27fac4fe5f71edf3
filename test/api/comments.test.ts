// Comments: written by users on documents that exist, changed by their authors alone, gone with their document.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { COMMENTS_OF_ONE } from '../../domain/comment.ts'
import { ENTITY_TYPES } from '../../domain/documents.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { estimateBody, expenseBody, journalBody, purchaseOrderBody, salesOrderBody } from '../fixtures/bodies.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
const { client } = org
const [{ id: ownerId }] = (await service.sql<{ id: string }>('SELECT id FROM users WHERE org_id = $1', client.orgId)) as [{ id: string }]

const exists = (await org.invoice()).invoice_id

async function addUser(): Promise<{ userId: string; token: string }> {
  const userId = randomUUID()
  await service.sql(`INSERT INTO users (org_id, id, email, role, created_time) SELECT org_id, $2, $3, role, now() FROM users WHERE id = $1`, ownerId, userId, `${userId}@traders.test`)
  return { userId, token: await service.token(client.orgId, { userId }) }
}
const write = async (more: Json = {}): Promise<Json> => (await created(client.post('/comments', { entity_type: 'INVOICE', ...more }))).comment
const comment = async (body: string, entity_id?: string) => write({ body, entity_id: entity_id ?? (await org.invoice()).invoice_id })
const refused = ({ status, body }: Answered) => [status, body.code, body.field]
const logOf = async (id: string): Promise<Json[]> => (await client.get(`/activity?entity_id=${id}`)).body.activity

const make = async (path: string, body: Json) => Object.values((await created(client.post(path, body))) as Json).find((one) => typeof one === 'object') as Json
const PARENTS: Record<(typeof ENTITY_TYPES)[number], () => Promise<[path: string, id: string]>> = {
  INVOICE: async () => ['/invoices', (await org.invoice()).invoice_id],
  BILL: async () => ['/bills', (await org.bill()).bill_id],
  ESTIMATE: async () => ['/estimates', (await make('/estimates', estimateBody(org))).estimate_id],
  CREDIT_NOTE: async () => ['/credit_notes', (await org.creditNote()).credit_note_id],
  DEBIT_NOTE: async () => ['/debit_notes', (await org.debitNote()).debit_note_id],
  SALES_ORDER: async () => ['/sales_orders', (await make('/sales_orders', salesOrderBody(org))).sales_order_id],
  PURCHASE_ORDER: async () => ['/purchase_orders', (await make('/purchase_orders', purchaseOrderBody(org))).purchase_order_id],
  PAYMENT: async () => ['/payments', (await org.payment(org.receiptBody())).payment_id],
  RECEIPT: async () => ['/payments', (await org.payment(org.receiptBody())).payment_id],
  EXPENSE: async () => ['/expenses', (await make('/expenses', expenseBody(org))).expense_id],
  JOURNAL: async () => ['/journals', (await make('/journals', journalBody(org))).journal_id],
}
const DELETED = ['INVOICE', 'BILL', 'ESTIMATE', 'PURCHASE_ORDER', 'PAYMENT', 'RECEIPT', 'EXPENSE', 'JOURNAL']

describe.each(ENTITY_TYPES.map((type) => [type] as const))('on %s', (entity_type) => {
  test('a comment is answered whole, logged, read, and goes with the document', async () => {
    const [path, entity_id] = await PARENTS[entity_type]()
    const written = await write({ entity_type, entity_id, body: 'Paid next week.' })
    expect(written).toEqual({
      comment_id: expect.any(String), entity_type, entity_id, body: 'Paid next week.', author_user_id: ownerId,
      created_time: expect.stringMatching(/Z$/), last_modified_time: written.created_time,
    })
    expect((await client.get(`/comments/${written.comment_id}`)).body.comment).toEqual(written)
    const [entry] = await logOf(entity_id)
    expect(entry).toMatchObject({ action: 'COMMENT_ADDED', entity_type, entity_ref: expect.stringMatching(/\d/), metadata: { comment_id: written.comment_id } })
    if (!DELETED.includes(entity_type)) return
    expect((await client.delete(`${path}/${entity_id}`)).status).toBe(200)
    expect((await client.get(`/comments/${written.comment_id}`)).status).toBe(404)
    const again = await client.post('/comments', { entity_type, entity_id, body: 'Too late' })
    expect(refused(again)).toEqual([404, 'not_found.resource', 'entity_id'])
  })
})

describe('a comment that is refused', () => {
  test.each<[string, Json, number, string, string | undefined]>([
    ['without a text', { body: '' }, 422, 'validation.required_field', 'body'],
    ['of blanks', { body: ' \n\t' }, 422, 'validation.required_field', 'body'],
    ['of an unknown type', { entity_type: 'CONTACT' }, 400, 'validation.invalid_value', 'entity_type'],
    ['on a document that does not exist', { entity_id: randomUUID() }, 404, 'not_found.resource', 'entity_id'],
    ['on an id that is none', { entity_id: 'nonsense' }, 404, 'not_found.resource', 'entity_id'],
    ['on a document of another kind', { entity_type: 'BILL' }, 404, 'not_found.resource', 'entity_id'],
    ['of 5,001 letters', { body: 'x'.repeat(5_001) }, 422, 'validation.failed', undefined],
    ['of 5,001 emoji', { body: '👍🏽'.repeat(5_001) }, 422, 'validation.failed', undefined],
    ['of marks upon one letter', { body: `a${'\u0301'.repeat(60_000)}` }, 422, 'validation.failed', undefined],
  ])('%s', async (_name, more, status, code, field) => {
    expect(refused(await client.post('/comments', { entity_type: 'INVOICE', entity_id: exists, body: 'Hello', ...more }))).toEqual([status, code, field])
  })

  test.each([['x', 5_000], ['👨‍👩‍👧‍👦', 5_000], ['नि', 5_000]])('%s counts as one character', async (character, count) => {
    const body = character.repeat(count)
    expect((await comment(body)).body).toBe(body)
  })

  test('by a token without a user', async () => {
    const token = await service.token(client.orgId)
    const answer = await service.call('POST', '/comments', { token, body: { entity_type: 'INVOICE', entity_id: exists, body: 'Hello' } })
    expect(refused(answer)).toEqual([403, 'auth.insufficient_scope', undefined])
  })

  test('beyond as many as one document has', async () => {
    const { invoice_id } = await org.invoice()
    await service.sql(
      `INSERT INTO comments SELECT $1, gen_random_uuid(), 'INVOICE', $2, 'x', $3, 1, now(), now() FROM generate_series(1, $4::integer)`,
      client.orgId, invoice_id, ownerId, COMMENTS_OF_ONE,
    )
    const full = await client.post('/comments', { entity_type: 'INVOICE', entity_id: invoice_id, body: 'One more' })
    expect([...refused(full), full.body.details]).toEqual([409, 'conflict.limit_reached', undefined, { limit: COMMENTS_OF_ONE }])
    expect((await client.delete(`/invoices/${invoice_id}`)).status).toBe(200)
    expect((await client.get(`/comments?entity_id=${invoice_id}`)).body.comments).toEqual([])
  })
})

describe('the author', () => {
  test('changes the text and nothing else, and deletes it, with its log and its events', async () => {
    const written = await comment('Frist')
    const changed = (await client.put(`/comments/${written.comment_id}`, { ...written, body: 'First' })).body.comment
    expect(changed).toEqual({ ...written, body: 'First', last_modified_time: expect.any(String) })
    expect(refused(await client.put(`/comments/${written.comment_id}`, { ...written, entity_id: randomUUID() }))).toEqual([400, 'validation.invalid_value', 'entity_id'])
    expect(refused(await client.put(`/comments/${written.comment_id}`, { body: ' ' }))).toEqual([422, 'validation.required_field', 'body'])
    expect((await client.delete(`/comments/${written.comment_id}`)).body).toEqual({ code: 0, message: 'Comment deleted.' })
    expect(refused(await client.delete(`/comments/${written.comment_id}`))).toEqual([404, 'not_found.resource', undefined])
    expect((await logOf(written.entity_id)).slice(0, 2).map(({ action }) => action)).toEqual(['COMMENT_DELETED', 'COMMENT_ADDED'])
    const events = await service.sql<{ event_type: string; data: Json }>(
      `SELECT event_type, data FROM webhook_events WHERE org_id = $1 AND entity_id = $2 ORDER BY position`, client.orgId, written.comment_id)
    const data = { id: written.comment_id, entity_type: 'INVOICE', entity_id: written.entity_id, author_user_id: ownerId }
    expect(events).toEqual(['created', 'updated', 'deleted'].map((what) => ({ event_type: `comment.${what}`, data })))
  })

  test('is the only one who may, whatever scopes another has', async () => {
    const written = await comment('Mine')
    const { token } = await addUser()
    for (const other of [token, await service.token(client.orgId)]) {
      for (const [method, body] of [['PUT', { body: 'Yours' }], ['DELETE', undefined]] as const) {
        expect(refused(await service.call(method, `/comments/${written.comment_id}`, { token: other, body }))).toEqual([403, 'auth.insufficient_scope', undefined])
      }
      expect((await service.call('GET', `/comments/${written.comment_id}`, { token: other })).status).toBe(200)
    }
  })
})

describe('a list', () => {
  test('is by document and by type, the oldest first, in pages', async () => {
    const [invoice, bill] = [(await org.invoice()).invoice_id, (await org.bill()).bill_id]
    const made = [await comment('1', invoice), await write({ entity_type: 'BILL', entity_id: bill, body: '2' }), await comment('3', invoice)]
    const list = async (query: string): Promise<Json> => (await client.get(`/comments?${query}`)).body
    expect((await list(`entity_type=INVOICE&entity_id=${invoice}`)).comments).toEqual([made[0], made[2]])
    expect((await list(`entity_id=${bill}`)).comments).toEqual([made[1]])
    expect((await list(`entity_type=BILL&entity_id=${invoice}`)).comments).toEqual([])
    expect((await list(`entity_id=${invoice}&per_page=1&page=2`))).toMatchObject({ comments: [made[2]], page_context: { page: 2, per_page: 1, has_more_page: false } })
    expect((await list('')).page_context).toMatchObject({ page: 1, per_page: 100 })
    expect((await list('per_page=500')).comments.length).toBeGreaterThan(3)
    for (const query of ['per_page=501', 'per_page=0', 'entity_type=CONTACT', 'page=1001']) {
      expect([query, ...refused(await client.get(`/comments?${query}`))].slice(0, 3)).toEqual([query, 400, 'validation.invalid_value'])
    }
  })
})

describe('a mention', () => {
  const mailsOn = (id: string) => service.sql<{ addresses: string[] }>(
    `SELECT array(SELECT r.address FROM email_recipients AS r WHERE r.org_id = e.org_id AND r.email_id = e.id ORDER BY 1) AS addresses
     FROM emails AS e WHERE e.org_id = $1 AND e.entity_id = $2 AND e.purpose = 'NOTICE' ORDER BY e.created_time`, client.orgId, id)

  test('queues a mail to users of the organisation, each once, and to nobody else', async () => {
    const [one, two] = [await addUser(), await addUser()]
    const { invoice_id } = await org.invoice()
    const written = await comment(`@${one.userId} and @${one.userId.toUpperCase()}, @${ownerId}, @${randomUUID()}, @nobody: look`, invoice_id)
    expect(await mailsOn(invoice_id)).toEqual([{ addresses: [`${one.userId}@traders.test`] }])
    const [{ body_html }] = (await service.sql<{ body_html: string }>('SELECT body_html FROM emails WHERE org_id = $1 AND entity_id = $2', client.orgId, invoice_id)) as [{ body_html: string }]
    expect(body_html).toMatch(/ wrote on invoice INV-/)
    // A name stands in place of the id, or the address of whoever has none.
    const [owner] = await service.sql<{ name: string | null; email: string }>('SELECT name, email FROM users WHERE org_id = $1 AND id = $2', client.orgId, ownerId)
    expect(body_html).toContain(`@${one.userId}@traders.test and @${one.userId}@traders.test, @${owner!.name ?? owner!.email}, @`)
    await client.put(`/comments/${written.comment_id}`, { body: `@${one.userId} @${two.userId}` })
    expect((await mailsOn(invoice_id))[1]).toEqual({ addresses: [`${two.userId}@traders.test`] })
    await comment('nobody', invoice_id)
    expect(await mailsOn(invoice_id)).toHaveLength(2)
  })
})

test('a comment and the deletion of its document at once: no comment is left of a document that is gone', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { invoice_id } = await org.invoice()
    const [written, deleted] = await Promise.all([
      client.post('/comments', { entity_type: 'INVOICE', entity_id: invoice_id, body: 'At once' }), client.delete(`/invoices/${invoice_id}`),
    ])
    expect([[201, 404], 200]).toEqual([expect.arrayContaining([written.status]), deleted.status])
    expect(await service.sql('SELECT id FROM comments WHERE org_id = $1 AND entity_id = $2', client.orgId, invoice_id)).toEqual([])
  }
})
