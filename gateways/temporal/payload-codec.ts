// Encrypts what Temporal stores of a workflow, by AES-256-GCM: inputs, results, failures, summaries, details and memo.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'

const ENCODING = 'binary/encrypted'
const CIPHER = 'AES-256-GCM'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ID_BYTES = 4

/** Encodes messages and stack traces of failures as payloads, so that the codec encrypts them too; also part of the bundle. */
export const FAILURE_CONVERTER = fileURLToPath(new URL('./failure-converter.cjs', import.meta.url))

interface Key {
  /** Stored beside each payload; derived from the key, which it does not reveal. */
  id: string
  secret: Buffer
}

const { Payload: PayloadMessage } = proto.temporal.api.common.v1
const bytesOf = (text: string) => Buffer.from(text, 'utf8')
const textOf = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('utf8')

/**
 * The codec of a key ring: keys in base64, separated by commas. The first encrypts, each decrypts. Payloads that are not
 * encrypted, as those of earlier versions, are left as they are. Decoding throws an Error that names the missing key.
 */
export function createPayloadCodec(encryptionKey: string): PayloadCodec {
  const ring = encryptionKey.split(',').map(keyOf)
  const [current] = ring as [Key]

  function encrypt(payload: Payload): Payload {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', current.secret, nonce, { authTagLength: TAG_BYTES })
    const hidden = Buffer.concat([cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()])
    return {
      metadata: {
        encoding: bytesOf(ENCODING),
        'encryption-cipher': bytesOf(CIPHER),
        'encryption-key-id': bytesOf(current.id),
      },
      data: Buffer.concat([nonce, cipher.getAuthTag(), hidden]),
    }
  }

  function decrypt(payload: Payload): Payload {
    if (textOf(payload.metadata?.encoding) !== ENCODING) return payload
    const id = textOf(payload.metadata?.['encryption-key-id'])
    const key = ring.find((each) => each.id === id)
    if (!key) throw new Error(`encrypted with the key ${id}, and ENCRYPTION_KEY has only ${idsOf(ring)}`)
    return PayloadMessage.decode(opened(key, Buffer.from(payload.data ?? [])))
  }

  return {
    encode: async (payloads) => payloads.map(encrypt),
    decode: async (payloads) => payloads.map(decrypt),
  }
}

/** The ids of the keys of a ring, as they are stored beside each payload; the first is the one that encrypts. */
export const keyIdsOf = (encryptionKey: string): string[] => encryptionKey.split(',').map((each) => keyOf(each).id)

/** How clients and workers convert values; without a key they are stored in clear. */
export function dataConverterOf(encryptionKey: string | null): DataConverter {
  if (encryptionKey === null) return {}
  return { payloadCodecs: [createPayloadCodec(encryptionKey)], failureConverterPath: FAILURE_CONVERTER }
}

function opened(key: Key, bytes: Buffer): Buffer {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('this encrypted payload is cut short')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw new Error('this encrypted payload was changed', { cause: error })
  }
}

// Derived, so that payloads, cursors and stored secrets each have a key of their own.
function keyOf(encryptionKey: string): Key {
  const bytes = Buffer.from(encryptionKey, 'base64')
  if (bytes.length !== 32) throw new Error('ENCRYPTION_KEY must be 32 bytes in base64')
  const derived = (use: string, length: number) => Buffer.from(hkdfSync('sha256', bytes, '', use, length))
  return { id: derived('bahi payload key id', ID_BYTES).toString('hex'), secret: derived('bahi payloads', 32) }
}

const idsOf = (ring: Key[]) => ring.map(({ id }) => id).join(', ')
