// An error that nobody caught: its own request is answered 500, the process goes on; without a request it ends in order, and says why.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { ROOT } from '../fixtures/root.ts'

let child: ChildProcess
let origin: string
let log = ''
beforeAll(async () => {
  const port = await freePort(undefined)
  origin = `http://127.0.0.1:${port}`
  child = spawn(process.execPath, ['test/api/throwing-api.ts', String(port)], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout!.on('data', (chunk) => { log += chunk })
  while (!(await fetch(origin).then((answer) => answer.ok, () => false))) await delay(50)
})
afterAll(() => void child.kill('SIGKILL'))

test.each(['/tick', '/immediate', '/timer', '/rejection', '/sync'])('%s', async (path) => {
  const answer = await fetch(origin + path)
  expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ code: 'internal.error', request_id: answer.headers.get('x-request-id') })])
  expect(await (await fetch(origin)).text()).toBe(String(child.pid))
  for (let tries = 0; tries < 500 && !log.includes(answer.headers.get('x-request-id')!); tries += 1) await delay(20)
  expect(log).toContain(`"request_id":"${answer.headers.get('x-request-id')}","err":{"type":"Error","message":"nobody catches this"`)
})

test('outside of a request', async () => {
  child.kill('SIGUSR2')
  // Unlike its exit, the close comes behind the last of its output.
  expect((await once(child, 'close'))[0]).toBe(1)
  expect(log).toContain('unhandled error; the process exits')
})
