// Encrypts secrets that must be readable again, such as an endpoint's signing key, by AES-256-GCM.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const FORMAT = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a text under the first key of the ring (base64, 32 bytes each, separated by commas); the same text never gives
 * the same result twice.
 */
export function seal(encryptionKey: string, text: string): string {
  const [key] = keysOf(encryptionKey)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key!, nonce, { authTagLength: TAG_BYTES })
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `${FORMAT}.${Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url')}`
}

/** Gives back what was sealed under one of the keys. Throws when it was another one or the sealed text was changed. */
export function unseal(encryptionKey: string, sealed: string): string {
  const [format, packed, ...rest] = sealed.split('.')
  if (format !== FORMAT || packed === undefined || rest.length > 0) throw new Error('this text was not sealed here')
  const bytes = Buffer.from(packed, 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('this sealed text is cut short')
  const keys = keysOf(encryptionKey)
  for (const key of keys.slice(0, -1)) {
    try {
      return opened(key, bytes)
    } catch {
      // Perhaps the next one.
    }
  }
  return opened(keys.at(-1)!, bytes)
}

/** Whether one of the keys of the ring opens it. */
export function canUnseal(encryptionKey: string, sealed: string): boolean {
  try {
    unseal(encryptionKey, sealed)
    return true
  } catch {
    return false
  }
}

function opened(key: Buffer, bytes: Buffer): string {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

export interface Sealer {
  seal(text: string): string
  unseal(sealed: string): string
}

/** Both directions under one ring of keys. */
export function sealer(encryptionKey: string): Sealer {
  keysOf(encryptionKey)
  return {
    seal: (text) => seal(encryptionKey, text),
    unseal: (sealed) => unseal(encryptionKey, sealed),
  }
}

function keysOf(encryptionKey: string): Buffer[] {
  return encryptionKey.split(',').map((each) => {
    const key = Buffer.from(each, 'base64')
    if (key.length !== 32) throw new Error('ENCRYPTION_KEY must be 32 bytes in base64')
    return key
  })
}
