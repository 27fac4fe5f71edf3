// Checks what an operator has been given for a portal.
import { createPublicKey } from 'node:crypto'
import type { IrpCredentials } from './irp-session.ts'

const TEXTS = ['client_id', 'client_secret', 'user_name', 'password'] as const
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']
const KEYS = ['public_key', 'signing_key'] as const

/** Throws an Error that names what is missing or wrong; it never shows a value. */
export function checkedIrpCredentials(sent: unknown): IrpCredentials {
  const given = (typeof sent === 'object' && sent !== null ? sent : {}) as Record<string, unknown>
  const text = (name: string) => {
    const value = given[name]
    if (typeof value !== 'string' || value.trim() === '') throw new Error(`${name} is missing`)
    return value.trim()
  }
  for (const name of KEYS)
    if (!isPublicKey(text(name))) throw new Error(`${name} is no public key or certificate in PEM`)
  if (!isSafe(text('base_url'))) throw new Error('base_url must begin with https://')
  const names = ['base_url', ...TEXTS, ...KEYS] as const
  return Object.fromEntries(names.map((name) => [name, text(name)])) as unknown as IrpCredentials
}

function isPublicKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'rsa' && !pem.includes('PRIVATE KEY')
  } catch {
    return false
  }
}

// Within one machine, where tests have their portal, nothing needs to be encrypted.
function isSafe(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  return (
    url !== null &&
    url.username === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname)))
  )
}
