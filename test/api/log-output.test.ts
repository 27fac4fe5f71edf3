// A log that takes nothing: the API goes on answering, counts what it drops, and stops on SIGTERM.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { MAX_WAITING_BYTES } from '../../gateways/log-output.ts'
import { startApiProcess, type ApiProcess } from '../fixtures/api-process.ts'
import type { Client } from '../fixtures/client.ts'

let api: ApiProcess
let caller: Client
const closeLater: number[] = []
afterEach(async () => {
  await api.discard()
  for (const fd of closeLater.splice(0)) closeSync(fd)
})

async function startApi(stdout: number | 'pipe'): Promise<void> {
  api = await startApiProcess({}, ['ignore', stdout, 'inherit'])
  caller = await api.organization()
}

const AT_ONCE = 50

/** So many calls of the caller, fifty on a connection, sent at once; each is answered. */
async function callMany(times: number): Promise<void> {
  const call = `GET ${BASE_PATH}/whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${caller.token}\r\n`
  await Promise.all(Array.from({ length: times / AT_ONCE }, async () => {
    const socket = connect(api.port, '127.0.0.1')
    socket.write(`${call}\r\n`.repeat(AT_ONCE - 1) + `${call}Connection: close\r\n\r\n`)
    const text = Buffer.concat(await socket.toArray()).toString()
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(AT_ONCE)
  }))
}

async function dropped(): Promise<number> {
  const text = await (await fetch(`${api.origin}/metrics`)).text()
  return Number(/^bahi_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
}

// What a container's or a service's log may be: a child of Node's has a socket where a shell's has a pipe.
const KINDS = ['pipe', 'socket'] as const

function openUnread(kind: (typeof KINDS)[number]): number | 'pipe' {
  if (kind === 'socket') return 'pipe'
  const path = join(mkdtempSync(join(tmpdir(), 'bahi-log-')), 'pipe')
  execFileSync('mkfifo', [path])
  // Open on both sides, so that it has a reader who never reads.
  return openSync(path, constants.O_RDWR)
}

describe('a log that nobody reads', () => {
  test.each(KINDS)('a %s holds up neither calls nor the stop; lines that find no room are counted', async (kind) => {
    const unread = openUnread(kind)
    await startApi(unread)
    api.child.stdout?.pause()
    if (typeof unread === 'number') closeLater.push(unread)
    // A line of the access log has more than 150 bytes.
    const lines = Math.ceil(MAX_WAITING_BYTES / 150)
    for (let sent = 0; sent < 3 * lines && (await dropped()) === 0; sent += 2000) await callMany(2000)
    expect(await dropped()).toBeGreaterThan(0)
    await callMany(200)
    expect(await api.stop()).toBe(0)
  }, 240_000)

  test('and is read again has the rest, the last line included', async () => {
    await startApi('pipe')
    await callMany(1000)
    let text = ''
    api.child.stdout!.on('data', (chunk) => { text += chunk })
    const drained = once(api.child.stdout!, 'end')
    // An API that stops gives up a reader that takes nothing for two seconds, which may happen on a busy machine.
    while ((text.match(/"request"/g) ?? []).length < 1000) await delay(20)
    expect(await api.stop()).toBe(0)
    await drained
    expect(text).toContain('"stopping"')
  })

  test('whose reader is gone', async () => {
    await startApi('pipe')
    api.child.stdout!.destroy()
    await callMany(500)
    for (let tries = 0; tries < 100 && (await dropped()) === 0; tries += 1) {
      await delay(50)
      await callMany(AT_ONCE)
    }
    expect(await dropped()).toBeGreaterThan(0)
    expect(await api.stop()).toBe(0)
  })
})

test('a volume that is full', async () => {
  const full = openSync('/dev/full', 'w')
  await startApi(full)
  closeSync(full)
  await callMany(1000)
  expect(await api.stop()).toBe(0)
})
