// Cursors of the change feed whose next events are no longer there: what the reader missed is told, never left out in silence.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { createCursors, type CursorScope } from '../../api/http/cursors.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { useServiceWithoutAudit } from '../fixtures/use-service.ts'

const service = await useServiceWithoutAudit()
let ours: TestOrganization
beforeEach(async () => {
  ours = await openOrganization(service)
})

const FEED = '/webhooks/events'
const feed = (query = '') => ours.get(`${FEED}?${query}`)
const cursorAfter = async (query = ''): Promise<string> => (await feed(query)).page_context.next_cursor
const after = async (cursor: string, query = ''): Promise<Json[]> => (await feed(`${query}&cursor=${cursor}`)).events

const GONE = (reason: string) => ({ status: 410, body: { code: 'gone.cursor', field: 'cursor', details: { reason } } })

test('a cursor from before what was removed is gone, unless it has missed nothing', async () => {
  const start = await cursorAfter()
  for (let n = 0; n < 4; n += 1) await ours.invoice()
  const [first, second, third] = [
    await cursorAfter('per_page=1'), await cursorAfter('per_page=2'), await cursorAfter('per_page=3'),
  ]
  await service.sql('DELETE FROM webhook_events WHERE org_id = $1 AND position <= 2', ours.orgId)
  for (const cursor of [start, first]) expect(await ours.client.get(`${FEED}?cursor=${cursor}`)).toMatchObject(GONE('REMOVED'))
  for (const [cursor, left] of [[second, [3, 4]], [third, [4]]] as [string, number[]][]) {
    expect((await after(cursor)).map(({ position }) => position)).toEqual(left)
  }
  expect((await feed()).events.map(({ position }: Json) => position)).toEqual([3, 4])
})

test('the cursor of a rare event keeps up with the feed', async () => {
  const rare = await cursorAfter('event_type=BILL_CREATED')
  for (let n = 0; n < 3; n += 1) await ours.invoice()
  const later = await cursorAfter(`event_type=BILL_CREATED&cursor=${rare}`)
  await service.sql('DELETE FROM webhook_events WHERE org_id = $1 AND position <= 2', ours.orgId)
  await ours.bill()
  expect(await after(later, 'event_type=BILL_CREATED')).toMatchObject([{ event_type: 'BILL_CREATED', position: 4 }])
})

test('the cursor of an event that a restored backup does not have is gone, also once another has its position', async () => {
  await ours.invoice()
  await ours.invoice()
  const lost = await cursorAfter()
  const kept = await cursorAfter('per_page=1')
  // As a backup from between the two has it.
  await service.sql('DELETE FROM webhook_events WHERE org_id = $1 AND position = 2', ours.orgId)
  await service.sql('UPDATE event_counters SET next_position = 2 WHERE org_id = $1', ours.orgId)
  expect(await ours.client.get(`${FEED}?cursor=${lost}`)).toMatchObject(GONE('RESTORED'))
  await ours.bill()
  await ours.bill()
  expect(await ours.client.get(`${FEED}?cursor=${lost}`)).toMatchObject(GONE('RESTORED'))
  expect((await after(kept)).map(({ position, event_type }) => [position, event_type])).toEqual([[2, 'BILL_CREATED'], [3, 'BILL_CREATED']])
})

test('the cursor of a place that never was is gone', async () => {
  await ours.invoice()
  const scope: CursorScope = { list: FEED, owner: ours.orgId, ascending: true, filters: {} }
  const cursors = createCursors(service.env.ENCRYPTION_KEY!)
  const cursor = cursors.signPosition(scope, { position: 9_007_199_254_740_993n, id: randomUUID() })
  expect(await ours.client.get(`${FEED}?cursor=${cursor}`)).toMatchObject(GONE('RESTORED'))
})
