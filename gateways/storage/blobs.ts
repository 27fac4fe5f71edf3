// The blob store that holds files and rendered documents: what it can do, and how it fails.
import type { Readable } from 'node:stream'
import { Fault } from '../../domain/faults.ts'

export interface BlobStore {
  /**
   * Writes a blob, replacing one of the same key. Counts the bytes and hashes them as they pass, at the pace of the store. An error
   * of `body` is thrown as it is. Throws TooLarge above maxBytes, StorageUnavailable; then there is no new blob.
   */
  write(
    key: string,
    body: Readable | Buffer,
    about: { contentType: string; maxBytes?: number },
  ): Promise<{ bytes: number; sha256: string }>
  /** Null where there is no such blob. The body ends with an error if it is not read within READ_MS. Throws StorageUnavailable. */
  read(key: string): Promise<StoredBlob | null>
  /** A URL by which anybody can read the blob for so long, under this file name. Throws StorageUnavailable without a store. */
  presign(key: string, about: PresignedFile): Promise<string>
  /** Fine where there is none. Throws StorageUnavailable. */
  remove(key: string): Promise<void>
  /** In the order of the keys, those behind `after`. Throws StorageUnavailable. */
  list(prefix: string, after?: string): AsyncIterable<ListedBlob>
  isReachable(): Promise<boolean>
}

export interface StoredBlob {
  body: Readable
  bytes: number
  contentType: string
  writtenAt: Date
}

export interface ListedBlob {
  key: string
  bytes: number
  writtenAt: Date
}

export interface PresignedFile {
  seconds: number
  filename: string
  contentType: string
  disposition: 'attachment' | 'inline'
}

/** A blob that would have become larger than the writer allows. */
export class TooLarge extends Error {
  readonly maxBytes: number
  readonly receivedBytes: number

  constructor(maxBytes: number, receivedBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
    this.receivedBytes = receivedBytes
  }
}

/** The store does not answer, answers with an error, or is not configured; the same call may succeed later. */
export class StorageUnavailable extends Fault {
  constructor(why: string, options: ErrorOptions = {}) {
    super('service.unavailable', {
      message: 'The file store is unavailable; try again.',
      retryAfter: 5,
      cause: new Error(why, options),
    })
    this.name = 'StorageUnavailable'
  }
}

/** No store is configured: no call will ever succeed. */
export class NoStore extends StorageUnavailable {
  constructor() {
    super('AZURE_STORAGE_CONNECTION_STRING is not set')
  }
}
