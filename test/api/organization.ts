// An organisation to test with: calls that must succeed or be refused, and its books opened for what no call makes.
import { expect } from '@jest/globals'
import type { Books } from '../../commands/books/books.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import type { Answered, Client, Json } from './client.ts'
import type { Service } from './service.ts'

export type { Json } from './client.ts'

export interface Organization {
  client: Client
  /** The answer to a GET; throws what was answered instead of it. */
  get(path: string): Promise<Json>
  /** The answer to a call that changes something; throws what was answered instead of it. */
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Json>
  /** How a call is refused: status, code, and whatever of field, details and errors there is. */
  refusal(method: string, path: string, body?: unknown): Promise<Json>
  /** Every row of a cursor list, walked in pages of so many. */
  walk(path: string, key: string, perPage: number): Promise<Json[]>
  write(work: (books: Books) => void): Promise<void>
}

export async function openOrganization(service: Service, told: Record<string, unknown> = {}): Promise<Organization> {
  const client = await service.organization(told)

  async function call(method: string, path: string, body?: unknown): Promise<Answered> {
    if (method === 'POST') return client.post(path, body)
    return client.call(method, path, body === undefined ? {} : { body })
  }

  async function answer(method: string, path: string, body?: unknown): Promise<Json> {
    const { status, body: answered, text } = await call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return answered
  }

  return {
    client,
    get: (path) => answer('GET', path),
    send: answer,
    async refusal(method, path, body) {
      const { status, body: { message: _message, request_id: _id, ...refused } } = await call(method, path, body)
      return { status, ...refused }
    },
    async walk(path, key, perPage) {
      const rows: Json[] = []
      for (let cursor = ''; ;) {
        const page = await answer('GET', `${path}?per_page=${perPage}${cursor}`)
        rows.push(...page[key])
        if (!page.page_context.has_more_page) return rows
        expect(page[key]).toHaveLength(perPage)
        cursor = `&cursor=${page.page_context.next_cursor}`
      }
    },
    write: (work) => openBooks({ database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }, OPERATOR, async (books) => {
      books.enter(client.orgId)
      work(books)
    }),
  }
}

const OPERATOR: Caller = {
  subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization: null,
  origin: { request_id: null, ip: null, user_agent: null, source: 'PUBLIC_API' },
}
