// Conversions carried out in open books by the test itself, as the engine's worker does it.
import { randomUUID } from 'node:crypto'
import type { Books } from '../../commands/books/books.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { convertNext, requestConversion, type ConversionRequest } from '../../commands/conversions/conversions.ts'
import { Fault } from '../../domain/faults.ts'
import type { ConversionRow } from '../../models/conversion.ts'
import { findOrganization } from '../../models/organization.ts'
import { openOrderBook, type OrderBook } from './order-book.ts'
import type { Json } from './organization.ts'
import type { Service } from './service.ts'

export interface ConversionDesk extends OrderBook {
  /** An estimate of one line of 100.00 that the customer has accepted, as it is answered. */
  accepted(changes?: Record<string, unknown>): Promise<Json>
  request(wanted: ConversionRequest, id?: string): Promise<ConversionRow>
  /** Makes the next document; answers whether it was the last. */
  next(conversionId: string): Promise<boolean>
  /** Requests and makes everything; answers the conversion's id. */
  convert(wanted: ConversionRequest, id?: string): Promise<string>
  /** As a caller is told of what the work is refused with. */
  refusedWith(work: Promise<unknown>): Promise<Json>
  row(conversionId: string): Promise<Json>
}

export const ofEstimate = ({ estimate_id: sourceId }: Json) => ({ source: 'ESTIMATE', sourceId } as const)
export const ofSales = ({ sales_order_id: sourceId }: Json) => ({ source: 'SALES_ORDER', sourceId } as const)
export const ofPurchases = ({ purchase_order_id: sourceId }: Json) => ({ source: 'PURCHASE_ORDER', sourceId } as const)

/** So much of each of the first lines of an order, as a caller asks for it. */
export const parts = (order: Json, ...quantities: number[]) =>
  quantities.map((quantity, n) => ({ line_item_id: String(order.line_items[n].line_item_id), quantity }))

export async function openConversionDesk(service: Service, told: Record<string, unknown> = {}): Promise<ConversionDesk> {
  const book = await openOrderBook(service, told)
  const write = async <T>(work: (books: Books) => Promise<T>): Promise<T> =>
    openBooks({ database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }, await callerOf(service, book.orgId), work)
  const next = async (id: string) => (await write((books) => convertNext(books, id))).finished
  const request = (wanted: ConversionRequest, id: string = randomUUID()) => write((books) => requestConversion(books, id, wanted))
  return {
    ...book,
    async accepted(changes) {
      const { estimate } = await book.send('POST', '/estimates', { customer_id: book.customerId, line_items: [{ name: 'Slates', quantity: 1, rate: 100 }], ...changes })
      return (await book.send('POST', `/estimates/${estimate.estimate_id}/accept`)).estimate
    },
    request,
    next,
    async convert(wanted, id) {
      const conversion = await request(wanted, id)
      while (!await next(conversion.id));
      return conversion.id
    },
    async refusedWith(work) {
      const answer = await work.then(() => 'it was done', (error: unknown) => error)
      if (!(answer instanceof Fault)) throw answer instanceof Error ? answer : new Error(String(answer))
      const { status, code, field, details } = answer
      return { status, code, ...(field && { field }), ...(details && { details }) }
    },
    row: async (id) => (await service.sql<Record<string, unknown>>('SELECT * FROM conversions WHERE org_id = $1 AND id = $2', book.orgId, id))[0],
  }
}

async function callerOf(service: Service, orgId: string): Promise<Caller> {
  return {
    subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization: await findOrganization(service.database, orgId),
    origin: { request_id: null, ip: null, user_agent: null, source: 'PUBLIC_API' },
  }
}
