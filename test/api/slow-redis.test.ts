// A Redis that is reachable, and answers late or never, holds no request up after its first failures.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** A way to Redis on which answers take as long as they are told to. */
async function openSlowWay(redisPort: number) {
  const ends = new Set<Socket>()
  const way = { port: 0, delayMs: 0, counts: 0, close: () => {} }
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
      way.counts += sent.toString().match(/bahi:limit:/g)?.length ?? 0
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
