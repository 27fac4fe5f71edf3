// The API and the blob store are killed in the middle of uploads: what was acknowledged is there whole, and nothing else stays.
import { createHash, randomUUID } from 'node:crypto'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, jest, test } from '@jest/globals'
import { startAzurite } from '../../bin/services/azurite.ts'
import { freePort } from '../../bin/services/port.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { attachmentKey } from '../../domain/attachment.ts'
import { sweepAttachments } from '../../worker/files/attachments.ts'
import { clientOf, type Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { startService } from '../fixtures/service.ts'
import { uploadForm } from '../fixtures/uploads.ts'

const SCALE = Number(process.env.KILLS_SCALE ?? 1)
const UPLOADS = 25 * SCALE
const AT_ONCE = 6
jest.setTimeout(300_000 * SCALE)

const folder = mkdtempSync(join(tmpdir(), 'bahi-uploads-'))
const azuritePort = await freePort(undefined)
const startStore = () => startAzurite({ dataDir: join(folder, 'azurite'), durable: true, port: azuritePort, log: join(folder, 'azurite.log'), inherited: process.env })
let store = await startStore()
const service = await startService({ AZURE_STORAGE_CONNECTION_STRING: store.url, AZURE_STORAGE_CONTAINER: 'kills' })
const port = await freePort(undefined)
let api = startApi()

function startApi(): ChildProcess {
  return spawn(process.execPath, ['api/server.ts'], { cwd: ROOT, env: { ...process.env, ...service.env, PORT: String(port) }, stdio: 'ignore' })
}
async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

afterAll(async () => {
  await kill(api)
  await service.close()
  await store.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('no acknowledged attachment is lost, none is there twice, and after the sweep no file is without a row', async () => {
  const { client } = await openOrganization(service)
  const { token, orgId } = clientOf(service.call, client.orgId, client.token)
  let left = UPLOADS
  let failures = 0
  const acknowledged: { id: string; hash: string }[] = []
  const uploadOne = async (number: number) => {
    const content = Buffer.alloc(1_500_000, `${number} ${randomUUID()} `)
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `upload-${number}` }
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/api/public/v1/attachments`, { method: 'POST', headers, body: uploadForm({ content, filename: `${number}.bin` }) })
        const body = (await answer.json()) as Json
        if (answer.status === 201) return void acknowledged.push({ id: body.attachment.attachment_id, hash: createHash('sha256').update(content).digest('hex') })
        expect([409, 502, 503]).toContain(answer.status)
      } catch (error) {
        // The error of fetch is of another realm than those of the test.
        if ((error as Error).name !== 'TypeError') throw error
      }
      failures += 1
      await delay(200)
    }
  }
  let isOver = false
  const writers = Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left > 0) await uploadOne((left -= 1))
  })).finally(() => { isOver = true })
  for (let round = 1; acknowledged.length < UPLOADS; round += 1) {
    const at = acknowledged.length + 3
    while (!isOver && acknowledged.length < Math.min(at, UPLOADS)) await delay(20)
    if (isOver || acknowledged.length >= UPLOADS - AT_ONCE) break
    if (round % 2 === 0) {
      await kill(api)
      // As if the minute had passed for which a crash leaves the claims of keys.
      await service.sql('UPDATE idempotent_answers SET claimed_until = now() WHERE claimed_until IS NOT NULL')
      api = startApi()
    } else {
      process.kill(store.process.pid, 'SIGKILL')
      await store.process.ended
      store = await startStore()
    }
  }
  await writers
  expect([acknowledged.length, new Set(acknowledged.map(({ id }) => id)).size]).toEqual([UPLOADS, UPLOADS])

  const blobs = openBlobStore({ connectionString: store.url, container: 'kills', publicUrl: null })
  const keys = async () => (await Array.fromAsync(blobs.list(''))).map(({ key }) => key)
  const before = await keys()
  await sweepAttachments({ connection: service.database, blobs, clock: () => new Date(), isStopping: () => false }, new Date(Date.now() + 3_600_000))
  const rows = await service.sql<{ id: string; hash: string; missing_since: Date | null }>(`SELECT id, encode(sha256, 'hex') AS hash, missing_since FROM attachments ORDER BY id`)
  expect(rows).toEqual(acknowledged.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => ({ ...one, missing_since: null })))
  expect((await keys()).sort()).toEqual(rows.map(({ id }) => attachmentKey(orgId, id)).sort())
  for (const { id, hash } of rows) {
    const read = await blobs.read(attachmentKey(orgId, id))
    const found = createHash('sha256')
    for await (const chunk of read!.body) found.update(chunk as Buffer)
    expect(found.digest('hex')).toBe(hash)
  }
  if (SCALE > 1) console.log(`${UPLOADS} uploads, ${failures} failed tries, ${before.length - rows.length} files without a row were swept`)
})
