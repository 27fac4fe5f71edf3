// GET /health/ready says which queue nobody serves, and since when; and that clocks differ.
import { describe, expect, test } from '@jest/globals'
import { clockState } from '../../api/readiness.ts'
import { examineDatabase } from '../../bin/doctor/database.ts'
import { QUEUES, queueName, type Queue } from '../../domain/task-queues.ts'
import { recordEarlier, recordQueues } from '../../models/heartbeat.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const suffix = () => service.env.TEMPORAL_QUEUE_SUFFIX!

interface Readiness {
  parts: Record<string, string>
  queues: Record<string, { state: string; since?: string | null }>
  clock: unknown
}

async function ready(origin = service.origin) {
  let answer = await fetch(`${origin}/health/ready`)
  let told = (await answer.json()) as Readiness
  // A second that the database has for its answer may be too short on a busy machine; then nothing is known of the queues.
  while (told.parts.database === 'away') {
    answer = await fetch(`${origin}/health/ready`)
    told = (await answer.json()) as Readiness
  }
  const { parts, queues, clock } = told
  const away = Object.entries(queues).flatMap(([queue, { state }]) => (state === 'up' ? [] : [`${queue} ${state}`]))
  return { status: answer.status, worker: parts.worker, away, queues, clock }
}
const allAway = QUEUES.map((queue) => `${queue} away`)
const serve = (queues: readonly Queue[] = QUEUES, of = suffix()) => recordQueues(service.database, queues, of)
const silent = (queue: Queue, seconds: number) =>
  service.sql(`UPDATE process_heartbeats SET seen_at = now() - $2 * interval '1 second' WHERE name = $1`, `queue/${queueName(queue, suffix())}`, seconds)
const stuck = async () => (await examineDatabase(service.database, { encryptionKey: service.env.ENCRYPTION_KEY!, queueSuffix: suffix(), retainIdempotencyDays: 1 }, new Date()))
  .filter(({ check }) => check === 'worker' || check === 'queues').map(({ check, problem, mend }) => [check, problem, mend])

test('without any worker, every queue is away, and none was ever seen', async () => {
  expect(await ready()).toMatchObject({ status: 503, worker: 'away', away: allAway, queues: { core: { state: 'away', since: null } }, clock: { state: 'up' } })
  expect(await stuck()).toEqual([['worker', 'no worker has ever taken work from Temporal', expect.anything()]])
})

test('a queue that lost its worker is named, with the time; another process that serves it alone is enough', async () => {
  await serve()
  expect(await ready()).toMatchObject({ worker: 'up', away: [], queues: { webhooks: { state: 'up' } } })
  expect(await stuck()).toEqual([])
  // As long as a worker is replaced by another.
  await silent('webhooks', 15)
  expect((await ready()).away).toEqual([])
  await silent('webhooks', 40)
  const { status, worker, away, queues } = await ready()
  expect([status, worker, away]).toEqual([503, 'up', ['webhooks away']])
  expect(Date.now() - Date.parse(queues.webhooks!.since!)).toBeGreaterThan(39_000)
  expect(await stuck()).toEqual([['queues', expect.stringMatching(/^no worker has served the queue webhooks since 20.*Z$/), 'WORKER_QUEUES=webhooks npm run worker']])
  await serve(['webhooks'])
  expect((await ready()).away).toEqual([])
})

test('workers of another suffix serve other queues', async () => {
  const other = await service.another({ TEMPORAL_QUEUE_SUFFIX: `${suffix()}-b` })
  expect(await ready(other.origin)).toMatchObject({ status: 503, worker: 'up', away: allAway })
  await serve(QUEUES, `${suffix()}-b`)
  expect((await ready(other.origin)).away).toEqual([])
  await other.close()
  await service.sql(`DELETE FROM process_heartbeats WHERE name LIKE '%-b'`)
})

test('while workers of an earlier version are replaced, which say nothing of queues, theirs count as served', async () => {
  await service.sql(`UPDATE process_heartbeats SET seen_at = now() - interval '1 hour' WHERE name LIKE 'queue/%'`)
  expect((await ready()).away).toEqual([])
  await service.sql(`DELETE FROM process_heartbeats WHERE name LIKE 'queue/%'`)
  expect((await ready()).away).toEqual([])
  await serve(['core'])
  expect((await ready()).away).toEqual(allAway.slice(1))
})

test('while workers separated by queue are replaced, those of an earlier version count as served where they are seen at Temporal', async () => {
  await service.sql('DELETE FROM process_heartbeats')
  await serve(['core'])
  expect((await ready()).away).toEqual(allAway.slice(1))
  await recordEarlier(service.database, ['webhooks', 'bulk', 'recurring'], suffix())
  expect((await ready()).away).toEqual(['documents away'])
  expect(await stuck()).toEqual([['queues', 'no worker has ever served the queue documents', expect.anything()]])
  await serve(['core', 'documents'])
  expect(await ready()).toMatchObject({ status: 200, away: [] })
})

test('a worker of this version that is gone is not taken for one of an earlier version that is there', async () => {
  await service.sql('DELETE FROM process_heartbeats')
  await serve()
  await silent('webhooks', 600)
  const since = [29, 30.5, 32, 33.5]
  const seen = []
  for (const seconds of since) {
    // The rows of one worker are written at nearly the same time, and `worker` last.
    await service.sql(`UPDATE process_heartbeats SET seen_at = now() - $1 * interval '1 second' WHERE name <> $2`, seconds, `queue/${queueName('webhooks', suffix())}`)
    await service.sql(`UPDATE process_heartbeats SET seen_at = now() - $1 * interval '1 second' WHERE name = 'worker'`, seconds - 2)
    seen.push((await ready()).away.includes('webhooks away'))
  }
  expect(seen).toEqual(since.map(() => true))
})

test('however many processes serve a queue, its row is written every few seconds', async () => {
  await service.sql('DELETE FROM process_heartbeats')
  const rows = () => service.sql<{ xmin: string }>('SELECT xmin::text FROM process_heartbeats ORDER BY name')
  await serve()
  // As if it were a moment ago, however slow this test is.
  await service.sql(`UPDATE process_heartbeats SET seen_at = seen_at + interval '1 minute'`)
  const written = await rows()
  await Promise.all(Array.from({ length: 20 }, () => serve()))
  expect(await rows()).toEqual(written)
  await service.sql(`UPDATE process_heartbeats SET seen_at = seen_at - interval '2 minutes'`)
  await serve()
  expect((await ready()).away).toEqual([])
})

describe('clocks', () => {
  test('count as equal where they differ by less than the answer took, or by some seconds', () => {
    expect([clockState(1_000, 900, 1_100), clockState(9_000, 6_000, 6_100), clockState(0, 3_000, 60_000)]).toEqual(Array(3).fill({ state: 'up' }))
  })
  test('that differ by more are named', () => {
    expect(clockState(20_000, 6_000, 7_500)).toEqual({ state: 'skewed', database_ahead_seconds: 12.5 })
    expect(clockState(1_000, 6_000, 6_100)).toEqual({ state: 'skewed', database_ahead_seconds: -5 })
  })
})
