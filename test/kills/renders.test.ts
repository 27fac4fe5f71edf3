// The worker, its LibreOffice and the blob store are killed in the middle of renders: every PDF that was asked for comes, or says that it does not.
import { createHash } from 'node:crypto'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, jest, test } from '@jest/globals'
import { startAzurite } from '../../bin/services/azurite.ts'
import { freePort } from '../../bin/services/port.ts'
import { renderedPrefix } from '../../domain/render-run.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { createFileRetention } from '../../worker/files/rendered.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { childrenOf } from './processes.ts'

// With KILLS_SCALE=8 there are 200.
const SCALE = Number(process.env.KILLS_SCALE ?? 1)
const DOCUMENTS = SCALE === 1 ? 9 : 25 * SCALE
const AT_ONCE = 3
const BETWEEN_KILLS = SCALE === 1 ? 3 : 9
const PATIENCE_MS = 240_000
jest.setTimeout(300_000 * SCALE)

const folder = mkdtempSync(join(tmpdir(), 'bahi-renders-'))
const azuritePort = await freePort(undefined)
const startStore = () => startAzurite({ dataDir: join(folder, 'azurite'), durable: true, port: azuritePort, log: join(folder, 'azurite.log'), inherited: process.env })
let store = await startStore()
const service = await startService({ AZURE_STORAGE_CONNECTION_STRING: store.url, AZURE_STORAGE_CONTAINER: 'kills', ROW_MEMORY_MB: '0' })
let worker: ChildProcess = await spawnWorker(service.env)

afterAll(async () => {
  await kill(worker)
  await service.close()
  await store.stop()
  rmSync(folder, { recursive: true, force: true })
})

const KILLS = {
  async worker() {
    await kill(worker)
    worker = await spawnWorker(service.env)
  },
  async LibreOffice() {
    for (const pid of childrenOf(worker.pid!)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended with its parent.
      }
    }
  },
  async store() {
    process.kill(store.process.pid, 'SIGKILL')
    await store.process.ended
    store = await startStore()
  },
}

test('every PDF comes or says so, callers of one document have the same file, and no file is of anything else', async () => {
  const { client, orgId, sentInvoice } = await openOrganization(service)
  const ids: string[] = []
  for (let made = 0; made < DOCUMENTS; made += 1) ids.push((await sentInvoice()).invoice_id)
  let failures = 0
  let settled = 0
  /** The hash of the file; null where the answer is that it cannot be rendered. */
  const ask = async (id: string): Promise<string | null> => {
    const until = Date.now() + PATIENCE_MS
    while (Date.now() < until) {
      try {
        const answer = await fetch(`${service.origin}/api/public/v1/invoices/${id}/pdf`, { headers: { authorization: `Bearer ${client.token}` } })
        const bytes = Buffer.from(await answer.arrayBuffer())
        if (answer.status === 200) return createHash('sha256').update(bytes).digest('hex')
        const { code } = JSON.parse(bytes.toString()) as { code: string }
        if (code === 'pdf.render_failed') return null
        expect([answer.status, code, answer.headers.has('retry-after')]).toEqual([503, 'service.unavailable', true])
      } catch (error) {
        // A file whose store is killed while it is sent: the error of fetch is of another realm than those of the test.
        if ((error as Error).name !== 'TypeError') throw error
      }
      failures += 1
      await delay(200)
    }
    throw new Error(`no answer of ${id}`)
  }
  const files = new Map<string, string | null>()
  const left = [...ids]
  const asking = Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const [one, other] = await Promise.all([ask(id), ask(id)])
      expect([id, other]).toEqual([id, one])
      files.set(id, one)
      settled += 1
    }
  }))
  let isOver = false
  void asking.finally(() => { isOver = true }).catch(() => undefined)
  let kills = 0
  for (const names = Object.keys(KILLS) as (keyof typeof KILLS)[]; ; kills += 1) {
    const at = settled + (kills === 0 ? 1 : BETWEEN_KILLS)
    while (!isOver && settled < at) await delay(20)
    if (isOver || left.length === 0) break
    await KILLS[names[kills % names.length]!]()
  }
  await asking

  expect(files.size).toBe(DOCUMENTS)
  const blobs = openBlobStore({ connectionString: store.url, container: 'kills', publicUrl: null })
  const kept = new Map<string, string>()
  // The API also keeps its security log there.
  const keys = async () => (await Array.fromAsync(blobs.list(''))).map(({ key }) => key).filter((key) => !key.startsWith('security-log/'))
  for (const key of await keys()) {
    const content = await Array.fromAsync((await blobs.read(key))!.body as AsyncIterable<Buffer>)
    expect(key.startsWith(`${renderedPrefix(orgId)}INVOICE/`)).toBe(true)
    const id = key.split('/')[3]!
    expect(kept.has(id)).toBe(false)
    kept.set(id, createHash('sha256').update(Buffer.concat(content)).digest('hex'))
  }
  const came = [...files].filter(([, hash]) => hash !== null)
  expect([...kept].sort()).toEqual(came.sort())
  await createFileRetention({ blobs, retainPdfDays: 30, isStopping: () => false, clock: () => new Date(Date.now() + 31 * 86_400_000) })()
  expect(await keys()).toEqual([])
  if (SCALE > 1) console.log(`${DOCUMENTS} documents, ${kills} kills, ${failures} answers that told to ask again, ${DOCUMENTS - came.length} that could not be rendered`)
})
