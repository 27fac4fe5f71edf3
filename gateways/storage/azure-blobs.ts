// The blob store in a container of Azure Blob Storage, or of Azurite, which speaks the same protocol.
import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ContainerClient } from '@azure/storage-blob'
import { contentDisposition } from '../../domain/content-disposition.ts'
import { type BlobStore, type ListedBlob, NoStore, type PresignedFile, StorageUnavailable, TooLarge } from './blobs.ts'

export interface StorageSettings {
  /** Null where no store is configured: every call throws StorageUnavailable. */
  connectionString: string | null
  /** Made by the first write. */
  container: string
  /** The origin of presigned URLs, where callers reach the store under another address than the service does. */
  publicUrl: string | null
}

/** The time limit of a call to the store, its retries included, in ms. */
export const CALL_MS = 10_000
/** The time limit of reading a blob to its end, in ms. */
export const READ_MS = 60_000
const REACHABLE_MS = 900

/** What is held in memory of a blob that is written. */
const BLOCK_BYTES = 2 ** 20

/** The client is loaded and connected by the first call. */
export function openBlobStore(settings: StorageSettings): BlobStore {
  let opened: Promise<ContainerClient> | null = null
  const container = () => (opened ??= openContainer(settings))
  return {
    write: async (key, body, about) => write(await container(), key, body, about),
    async read(key) {
      const blob = (await container()).getBlobClient(key)
      const found = await orNone(READ_MS, (abortSignal) =>
        blob.download(0, undefined, { abortSignal, maxRetryRequests: 2 }),
      )
      if (!found) return null
      return {
        body: found.readableStreamBody as Readable,
        bytes: found.contentLength ?? 0,
        contentType: found.contentType ?? 'application/octet-stream',
        writtenAt: found.lastModified ?? new Date(0),
      }
    },
    presign: async (key, about) => presign(await container(), key, about, settings.publicUrl),
    async remove(key) {
      const blob = (await container()).getBlobClient(key)
      await orNone(CALL_MS, (abortSignal) => blob.deleteIfExists({ deleteSnapshots: 'include', abortSignal }))
    },
    async *list(prefix, after = '') {
      yield* list(await container(), prefix, after)
    },
    async isReachable() {
      try {
        const client = await container()
        await client.exists({ abortSignal: AbortSignal.timeout(REACHABLE_MS) })
        return true
      } catch {
        return false
      }
    },
  }
}

// Loaded here, because most processes of the tests and of the operator's commands never ask the store.
async function openContainer({ connectionString, container }: StorageSettings): Promise<ContainerClient> {
  if (connectionString === null) throw new NoStore()
  const { BlobServiceClient } = await import('@azure/storage-blob')
  const retryOptions = { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 1_000, tryTimeoutInMs: CALL_MS / 2 }
  try {
    return BlobServiceClient.fromConnectionString(connectionString, { retryOptions }).getContainerClient(container)
  } catch (cause) {
    throw new StorageUnavailable('AZURE_STORAGE_CONNECTION_STRING cannot be used', { cause })
  }
}

async function write(
  container: ContainerClient,
  key: string,
  body: Readable | Buffer,
  { contentType, maxBytes = Number.POSITIVE_INFINITY }: { contentType: string; maxBytes?: number },
): Promise<{ bytes: number; sha256: string }> {
  const blob = container.getBlockBlobClient(key)
  const blobHTTPHeaders = { blobContentType: contentType }
  const hash = createHash('sha256')
  // Two writers of one key must not give their blocks the same names.
  const writer = randomUUID()
  const blocks: string[] = []
  let held: Buffer[] = []
  let heldBytes = 0
  let bytes = 0
  const stage = async () => {
    const block = Buffer.concat(held)
    const id = Buffer.from(`${writer}-${String(blocks.length).padStart(6, '0')}`).toString('base64')
    await inContainer(container, (abortSignal) => blob.stageBlock(id, block, block.length, { abortSignal }))
    blocks.push(id)
    held = []
    heldBytes = 0
  }
  for await (const chunk of body instanceof Readable ? (body as AsyncIterable<Buffer>) : [body]) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new TooLarge(maxBytes, bytes)
    hash.update(chunk)
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes >= BLOCK_BYTES) await stage()
  }
  if (blocks.length === 0) {
    const whole = Buffer.concat(held)
    await inContainer(container, (abortSignal) => blob.upload(whole, bytes, { blobHTTPHeaders, abortSignal }))
  } else {
    if (heldBytes > 0) await stage()
    // Until here there is no blob: blocks that were not committed are removed by the store.
    await inContainer(container, (abortSignal) => blob.commitBlockList(blocks, { blobHTTPHeaders, abortSignal }))
  }
  return { bytes, sha256: hash.digest('hex') }
}

async function presign(
  container: ContainerClient,
  key: string,
  { seconds, filename, contentType, disposition }: PresignedFile,
  publicUrl: string | null,
): Promise<string> {
  const { BlobSASPermissions } = await import('@azure/storage-blob')
  const url = await container.getBlobClient(key).generateSasUrl({
    permissions: BlobSASPermissions.parse('r'),
    expiresOn: new Date(Date.now() + seconds * 1_000),
    contentType,
    contentDisposition: contentDisposition(disposition, filename),
    cacheControl: 'private, no-store',
  })
  if (publicUrl === null) return url
  const { origin } = new URL(url)
  return publicUrl.replace(/\/$/, '') + url.slice(origin.length)
}

async function* list(container: ContainerClient, prefix: string, after: string): AsyncIterable<ListedBlob> {
  let continuationToken: string | undefined
  do {
    const options = { continuationToken, maxPageSize: 1_000 }
    const page = await orNone(CALL_MS, async (abortSignal) => {
      const { value } = await container.listBlobsFlat({ prefix, abortSignal }).byPage(options).next()
      return value
    })
    for (const { name, properties } of page?.segment.blobItems ?? []) {
      if (name <= after) continue
      yield { key: name, bytes: properties.contentLength ?? 0, writtenAt: properties.lastModified }
    }
    continuationToken = page?.continuationToken || undefined
  } while (continuationToken)
}

// The container is made by the first call that misses it, so that the service starts while the store is away.
async function inContainer<T>(container: ContainerClient, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await within(CALL_MS, call)
  } catch (error) {
    if (failureOf(error) !== 'ContainerNotFound') throw error
    await within(CALL_MS, (abortSignal) => container.createIfNotExists({ abortSignal }))
    return within(CALL_MS, call)
  }
}

// Null where there is no such blob, or no container yet.
async function orNone<T>(ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  try {
    return await within(ms, call)
  } catch (error) {
    if (failureOf(error) === 'ContainerNotFound' || failureOf(error) === 'BlobNotFound') return null
    throw error
  }
}

async function within<T>(ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await call(AbortSignal.timeout(ms))
  } catch (cause) {
    // The message of the cause may hold the URL of the store, with what signs it.
    throw new StorageUnavailable(`the blob store failed: ${codeOf(cause)}`, { cause })
  }
}

// What the store has answered to the call that failed.
const failureOf = (error: unknown) => codeOf(((error as Error).cause as Error | undefined)?.cause)

const codeOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: string; name?: string }
  return code ?? name ?? 'unknown'
}
