// A service and an engine for tests of bulks, and what holds of every bulk that is done.
import type { ChildProcess } from 'node:child_process'
import { expect } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { startBulksLeft } from '../../worker/bulks.ts'
import { invoiceBody, type Body } from '../fixtures/bodies.ts'
import { callAt, clientOf, type Client, type Json } from '../fixtures/client.ts'
import { created, openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'
import { removeSchedules } from './schedules.ts'

export interface BulkSetup {
  service: Service
  engine: Engine
  /** Processes that are killed after each test. */
  children: ChildProcess[]
  /** An organisation whose postings have rows to be locked. */
  openPosting(): Promise<OrganizationWithItem>
  /** Starts a worker process that can be killed. */
  spawned(): Promise<ChildProcess>
  /** Sends rows with async=true; answers the id of the bulk. */
  accepted(org: OrganizationWithItem, body: unknown, path?: string): Promise<string>
  read(org: OrganizationWithItem, bulkId: string): Promise<Json>
  completed(org: OrganizationWithItem, bulkId: string): Promise<Json>
  /** Every row made one document, in the order of the rows, with one event each and one of the bulk. */
  expectEachOnce(org: OrganizationWithItem, bulkId: string, count: number): Promise<void>
  /** How many rows of the bulk are decided. */
  decided(bulkIds: string[]): Promise<number>
  /** Breaks the connections of the workers to the database. */
  cutWorkers(): Promise<unknown>
  progressOf(bulkId: string): Promise<Json>
  /** Starts the bulks that have no workflow, as the worker's own process does after a while. */
  startLeft(): Promise<void>
  afterEach(): Promise<void>
  close(): Promise<void>
}

export const rowsOf = (org: OrganizationWithItem, count: number, changes: Body = {}) =>
  ({ invoices: Array.from({ length: count }, (_, n) => invoiceBody(org, { notes: `row ${n}`, auto_approve: true, ...changes })) })

export const clientAt = (origin: string, { client }: OrganizationWithItem): Client =>
  clientOf(callAt(origin + BASE_PATH), client.orgId, client.token)

export async function openBulkSetup(): Promise<BulkSetup> {
  const service = await startService()
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey = '' } = service.env
  const engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey })
  const children: ChildProcess[] = []
  const setup: BulkSetup = {
    service, engine, children,
    async openPosting() {
      const org = await openOrganizationWithItem(service)
      await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))
      return org
    },
    async spawned() {
      const child = await spawnWorker(service.env)
      children.push(child)
      return child
    },
    async accepted(org, body, path = '/bulk/invoices') {
      const answer = await org.client.post(`${path}?async=true`, body)
      expect(answer.status).toBe(202)
      return answer.body.bulk_id
    },
    read: async (org, bulkId) => (await org.client.get(`/bulk/${bulkId}?per_page=200`)).body,
    async completed(org, bulkId) {
      let seen: Json
      await until(async () => (seen = await setup.read(org, bulkId)).bulk.status === 'COMPLETED', 120_000, () => JSON.stringify(seen.bulk))
      return seen
    },
    async expectEachOnce(org, bulkId, count) {
      const { summary, results } = await setup.completed(org, bulkId)
      expect(summary).toEqual({ total: count, succeeded: count, failed: 0 })
      expect(results.map(({ invoice }: Json) => invoice.notes)).toEqual(Array.from({ length: count }, (_, n) => `row ${n}`))
      const numbers = results.map(({ invoice }: Json) => invoice.invoice_number)
      expect(numbers).toEqual(numbers.toSorted(byNumber))
      const ids = results.map(({ invoice }: Json) => invoice.invoice_id)
      const [found] = await service.sql<Json>(
        `SELECT (SELECT count(*)::integer FROM webhook_events WHERE entity_id = ANY ($1) AND event_type = 'INVOICE_CREATED') AS told,
           (SELECT count(*)::integer FROM webhook_events WHERE entity_id = $2) AS aggregate,
           (SELECT count(*)::integer FROM journals WHERE source_id = ANY ($1)) AS journals`, ids, bulkId)
      expect(found).toEqual({ told: count, aggregate: 1, journals: count })
    },
    async decided(bulkIds) {
      const [row] = await service.sql<Json>(`SELECT count(*)::integer AS n FROM bulk_items WHERE status <> 'PENDING' AND bulk_id = ANY ($1)`, bulkIds)
      return row.n
    },
    cutWorkers: () => service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi worker'`),
    progressOf: (bulkId) => engine.client.workflow.getHandle(`bulk/${bulkId}`).query('progress'),
    startLeft: () => startBulksLeft({ connection: service.database, engine, clock: () => new Date(Date.now() + 60_000) }),
    async afterEach() {
      await service.stopWorker()
      await Promise.all(children.splice(0).map(kill))
    },
    async close() {
      await removeSchedules(service.database, address, queueSuffix)
      await engine.close()
      await service.close()
    },
  }
  return setup
}

// Numbers of one series grow longer after 999.
const byNumber = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1)
