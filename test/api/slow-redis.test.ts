// A Redis that is reachable, and answers late or never or refuses to count, holds no request up after its first failures.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLimiter } from '../../api/http/rate-limit.ts'
import { freePort } from '../../bin/services/port.ts'
import { onPath } from '../../bin/services/process.ts'
import { startRedis } from '../../bin/services/redis.ts'
import { readLocalRun } from '../../settings.ts'
import { until } from '../start/local-run.ts'

const local = readLocalRun()
const redisServer = onPath('redis-server', local.path)
const withRedis = redisServer || local.ci ? test : test.skip

let folder: string
let port: number
let redis: Awaited<ReturnType<typeof startRedis>> | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bahi-redis-'))
  port = await freePort(undefined)
  if (redisServer) redis = await startRedis({ binary: redisServer, dataDir: folder, port, log: join(folder, 'log'), inherited: local.inherited })
})
afterAll(async () => {
  await redis?.stop()
  rmSync(folder, { recursive: true, force: true })
})

withRedis.each([
  ['never answers', Number.POSITIVE_INFINITY],
  ['answers late', 150],
])('one that %s after a while is asked three times, then it only proves that it answers again', async (_how, delayMs) => {
  const way = await openSlowWay(port)
  const said: string[] = []
  const log = pino({}, { write: (line: string) => void said.push((JSON.parse(line) as { msg: string }).msg) })
  const limiter = createLimiter({ DEFAULT: 1_000, PARTNER: 1_000 }, `redis://127.0.0.1:${way.port}`, log)
  const count = () => limiter.count({ of: 'DEFAULT', key: `slow ${delayMs}` }, new Date())
  await until(() => limiter.state() === 'up', 30_000, () => 'Redis is not used')
  expect((await count()).remaining).toBe(999)

  way.delayMs = delayMs
  way.counts = 0
  // Many at once fail for one reason.
  for (let n = 0; n < 5; n += 1) await Promise.all(Array.from({ length: 4 }, count))
  expect(limiter.state()).toBe('away')
  expect(way.counts).toBe(12)
  const alone = (await count()).remaining
  expect(Array.from(await Promise.all([count(), count()]), ({ remaining }) => remaining)).toEqual([alone - 1, alone - 2])
  expect([way.counts, said]).toEqual([12, ['Redis is away or does not answer in time; each process counts rate limits for itself']])

  way.delayMs = 0
  await until(() => limiter.state() === 'up', 30_000, () => 'Redis is not used')
  await count()
  expect([way.counts, said[1]]).toEqual([13, 'Redis answers; the processes count rate limits together again'])
  limiter.close()
  way.close()
  expect(said).toHaveLength(2)
})

const REFUSALS: [how: string, begin: string[], end: string[], refusal: RegExp][] = [
  ['is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0'], /OOM/],
  ['is a read-only replica', ['REPLICAOF', '127.0.0.1', '9'], ['REPLICAOF', 'NO', 'ONE'], /READONLY/],
]
withRedis.each(REFUSALS)('one that %s refuses one count, and is used again when it counts', async (how, begin, end, refusal) => {
  const way = await openSlowWay(port)
  const operator = new Redis(port)
  const lines: { msg: string; refusal?: string }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const limiter = createLimiter({ DEFAULT: 1_000, PARTNER: 1_000 }, `redis://127.0.0.1:${way.port}`, log)
  const count = () => limiter.count({ of: 'DEFAULT', key: how }, new Date())
  await until(() => limiter.state() === 'up', 30_000, () => 'Redis is not used')
  await count()

  await operator.call(begin[0]!, begin.slice(1))
  way.counts = 0
  expect((await count()).remaining).toBe(999)
  expect(limiter.state()).toBe('away')
  expect(Array.from(await Promise.all([count(), count()]), ({ remaining, allowed }) => [remaining, allowed])).toEqual([[998, true], [997, true]])
  expect(way.counts).toBe(1)
  expect(lines).toEqual([expect.objectContaining({ msg: 'Redis refuses to count; each process counts rate limits for itself', refusal: expect.stringMatching(refusal) })])
  // It answers what only reads, and stays unused.
  expect(await operator.ping()).toBe('PONG')
  const { probes } = way
  await until(() => way.probes >= probes + 3, 30_000, () => 'Redis is not asked')
  expect([limiter.state(), way.counts, lines.length]).toEqual(['away', 1, 1])

  await operator.call(end[0]!, end.slice(1))
  await until(() => limiter.state() === 'up', 30_000, () => 'Redis is not used')
  expect((await count()).remaining).toBe(998)
  expect(lines.map(({ msg }) => msg).slice(1)).toEqual(['Redis answers; the processes count rate limits together again'])
  limiter.close()
  operator.disconnect()
  way.close()
})

/** A way to Redis on which answers take as long as they are told to. */
async function openSlowWay(redisPort: number) {
  const ends = new Set<Socket>()
  const way = { port: 0, delayMs: 0, counts: 0, probes: 0, close: () => {} }
  const server = createServer((socket) => {
    const beyond = connect(redisPort, '127.0.0.1')
    for (const end of [socket, beyond]) {
      ends.add(end)
      end.on('error', () => undefined).on('close', () => {
        socket.destroy()
        beyond.destroy()
      })
    }
    socket.on('data', (sent: Buffer) => {
      way.counts += sent.toString().match(/bahi:limit:(?!probe)/g)?.length ?? 0
      way.probes += sent.toString().match(/bahi:limit:probe/g)?.length ?? 0
      beyond.write(sent)
    })
    beyond.on('data', (answer: Buffer) => {
      if (way.delayMs === 0) socket.write(answer)
      else if (way.delayMs !== Number.POSITIVE_INFINITY) setTimeout(() => socket.write(answer), way.delayMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  way.port = (server.address() as { port: number }).port
  way.close = () => {
    server.close()
    for (const end of ends) end.destroy()
  }
  return way
}
