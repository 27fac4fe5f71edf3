// The blob store against a real Azurite: what is written is read back, and what fails leaves nothing.
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from '@jest/globals'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { type BlobStore, StorageUnavailable, TooLarge } from '../../gateways/storage/blobs.ts'

const connectionString = process.env.TEST_AZURE_STORAGE_CONNECTION_STRING ?? ''
const storeAt = (where: string | null, publicUrl: string | null = null) => openBlobStore({ connectionString: where, container: `t-${randomUUID()}`, publicUrl })
const store = storeAt(connectionString)

const chunks = (count: number, size: number) => Readable.from(Array.from({ length: count }, (_, index) => Buffer.alloc(size, index % 251)))
const keysOf = async (some: BlobStore, prefix: string, after?: string) => {
  const keys: string[] = []
  for await (const { key } of some.list(prefix, after)) keys.push(key)
  return keys
}

afterAll(async () => {
  for (const key of await keysOf(store, '')) await store.remove(key)
})

describe('a blob', () => {
  test('is read as it was written, with its type, its size and its hash', async () => {
    const content = Buffer.from('one page')
    const written = await store.write('a/small', content, { contentType: 'text/plain' })
    expect(written).toEqual({ bytes: 8, sha256: createHash('sha256').update(content).digest('hex') })
    const read = await store.read('a/small')
    expect(read).toMatchObject({ bytes: 8, contentType: 'text/plain', writtenAt: expect.any(Date) })
    expect(await buffer(read!.body)).toEqual(content)
  })

  test('of many chunks is one blob, in their order', async () => {
    const written = await store.write('a/large', chunks(60, 65_536), { contentType: 'application/pdf' })
    const all = await buffer(chunks(60, 65_536))
    expect(written).toEqual({ bytes: all.length, sha256: createHash('sha256').update(all).digest('hex') })
    expect((await buffer((await store.read('a/large'))!.body)).equals(all)).toBe(true)
  })

  test('may be empty, and is replaced by a later one', async () => {
    expect(await store.write('a/again', Readable.from([]), { contentType: 'text/plain' })).toMatchObject({ bytes: 0 })
    await store.write('a/again', chunks(20, 65_536), { contentType: 'text/csv' })
    await store.write('a/again', Buffer.from('last'), { contentType: 'text/html' })
    const read = await store.read('a/again')
    expect([read!.contentType, (await buffer(read!.body)).toString()]).toEqual(['text/html', 'last'])
  })

  test('written by two at once is the one of either, whole', async () => {
    const results = await Promise.allSettled([1, 2].map((n) => store.write('a/race', chunks(n * 40, 65_536), { contentType: 'text/plain' })))
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
    const { length } = await buffer((await store.read('a/race'))!.body)
    expect([40 * 65_536, 80 * 65_536]).toContain(length)
  })

  test('is gone when it is removed, and may be removed again', async () => {
    await store.write('a/gone', Buffer.from('x'), { contentType: 'text/plain' })
    await store.remove('a/gone')
    await store.remove('a/gone')
    expect(await store.read('a/gone')).toBeNull()
  })
})

describe('a blob that cannot be written whole is not there', () => {
  test.each([[1, 101], [30, 65_536]])('%i chunks of %i bytes are too many', async (count, size) => {
    const maxBytes = count * size - 1
    const failed = await store.write('b/large', chunks(count, size), { contentType: 'text/plain', maxBytes }).catch((error) => error)
    expect(failed).toBeInstanceOf(TooLarge)
    expect(failed).toMatchObject({ maxBytes, receivedBytes: maxBytes + 1 })
    expect(await store.read('b/large')).toBeNull()
  })

  test('as many bytes as allowed are not too many', async () => {
    expect(await store.write('b/just', chunks(30, 65_536), { contentType: 'text/plain', maxBytes: 30 * 65_536 })).toMatchObject({ bytes: 30 * 65_536 })
  })

  test('a body that ends with an error fails with that error', async () => {
    const broken = Readable.from((function* () {
      for (let index = 0; index < 40; index += 1) yield Buffer.alloc(65_536)
      throw new Error('the caller left')
    })())
    await expect(store.write('b/broken', broken, { contentType: 'text/plain' })).rejects.toThrow('the caller left')
    expect(await keysOf(store, 'b/broken')).toEqual([])
  })
})

describe('a list', () => {
  test('is in order, of its prefix, and goes on after a key', async () => {
    for (const key of ['c/2', 'c/10', 'c/1', 'd/1']) await store.write(key, Buffer.from(key), { contentType: 'text/plain' })
    expect(await keysOf(store, 'c/')).toEqual(['c/1', 'c/10', 'c/2'])
    expect(await keysOf(store, 'c/', 'c/1')).toEqual(['c/10', 'c/2'])
    expect(await keysOf(storeAt(connectionString), '')).toEqual([])
  })
})

describe('a presigned URL', () => {
  const presign = (some: BlobStore, seconds = 60) =>
    some.presign('e/file', { seconds, filename: 'बिल "7".pdf', contentType: 'application/pdf', disposition: 'attachment' })

  test('gives the file to anybody, to be saved under its name', async () => {
    await store.write('e/file', Buffer.from('%PDF-'), { contentType: 'text/html' })
    const answer = await fetch(await presign(store))
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([200, '%PDF-', 'application/pdf'])
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="___ _7_.pdf"; filename*=UTF-8''%E0%A4%AC%E0%A4%BF%E0%A4%B2%20%227%22.pdf`)
    expect(answer.headers.get('cache-control')).toContain('no-store')
  })

  test('gives nothing after its time, for another file, or to write', async () => {
    const url = await presign(store)
    expect((await fetch(await presign(store, -60))).status).toBe(403)
    expect((await fetch(url.replace('/e/file', '/a/small'))).status).toBe(403)
    expect((await fetch(url, { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } })).status).toBe(403)
  })

  test('leads to the origin of the settings', async () => {
    expect(await presign(storeAt(connectionString, 'https://files.example.com/'))).toMatch(/^https:\/\/files\.example\.com\/\w/)
  })
})

describe('a store that is away', () => {
  const everyCall = (some: BlobStore): [string, () => Promise<unknown>][] => [
    ['write', () => some.write('a', Buffer.from('x'), { contentType: 'text/plain' })],
    ['read', () => some.read('a')],
    ['remove', () => some.remove('a')],
    ['list', () => keysOf(some, '')],
  ]

  test.each(everyCall(storeAt(null)))('not configured: %s', async (_, call) => {
    await expect(call()).rejects.toThrow(StorageUnavailable)
  })

  test.each(everyCall(storeAt(connectionString.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))))('no server: %s', async (_, call) => {
    await expect(call()).rejects.toThrow(StorageUnavailable)
  })

  test.each(everyCall(storeAt(connectionString.replace(/AccountKey=[^;]+/, 'AccountKey=YmFoaQ=='))))('another key: %s', async (_, call) => {
    await expect(call()).rejects.toThrow(StorageUnavailable)
  })

  test('is not reachable, also if it takes connections and says nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const states = [null, '127.0.0.1:1', `127.0.0.1:${port}`].map((where) =>
      storeAt(where && connectionString.replace(/127\.0\.0\.1:\d+/, where)).isReachable())
    expect(await Promise.all(states)).toEqual([false, false, false])
    expect(await store.isReachable()).toBe(true)
    silent.close()
  })
})
