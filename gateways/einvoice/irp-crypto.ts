// The encryption of NIC's API: sign-in by the portal's RSA key, everything else by a session key (SEK) with AES-256 in ECB mode.
import { constants, createCipheriv, createDecipheriv, publicEncrypt, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-ecb'
const KEY_BYTES = 32

export const newAppKey = (): Buffer => randomBytes(KEY_BYTES)

/** The sign-in as the portal takes it: base64 of the JSON, encrypted with the portal's public key, in base64. Throws where it is too long. */
export function sealedSignIn(publicKey: string, signIn: object): string {
  const text = Buffer.from(JSON.stringify(signIn), 'utf8').toString('base64')
  const key = { key: publicKey, padding: constants.RSA_PKCS1_PADDING }
  return publicEncrypt(key, Buffer.from(text, 'ascii')).toString('base64')
}

/** The session key, which the portal encrypts with the key that the sign-in brought. Throws for any other text. */
export function sessionKey(appKey: Buffer, sek: string): Buffer {
  const key = decrypted(appKey, sek)
  if (key.length !== KEY_BYTES) throw new Error('the session key has the wrong length')
  return key
}

export function encrypted(key: Buffer, text: string): string {
  const cipher = createCipheriv(CIPHER, key, null)
  return Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
}

/** Throws for what was not encrypted with this key. */
export function decrypted(key: Buffer, text: string): Buffer {
  const decipher = createDecipheriv(CIPHER, key, null)
  return Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()])
}
