// Passwords: what is accepted as one, how it is hashed, and how it is compared with the hash that is kept.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { fault } from '../../domain/faults.ts'

const derive = promisify(argon2)

/** argon2id as OWASP recommends at least (decisions §12): memory in KiB, passes, lanes. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const MIN_CHARACTERS = 10
// More is hashed in no longer time, and typed by nobody.
const MAX_PASSWORD = 200

// One form of letters that can be written in several, so that a password is the same on every keyboard.
const normalized = (password: string) => password.normalize('NFKC')

/** The hash of a password in PHC's form. Takes some 40 ms and 19 MB of another thread. */
export async function hashOfPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await hashed(password, salt, COST, HASH_BYTES)
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

/** Whether the password is the one of this hash. Without a hash it does the same work, and is false. */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const { salt, hash, cost } = kept === null ? NOBODY : parsed(kept)
  const isSame = timingSafeEqual(await hashed(password, salt, cost, hash.length), hash)
  return isSame && kept !== null
}

/**
 * Throws validation.invalid_value for a password that is too short, too long, among the commonest, or the person's own address.
 * Characters are counted as people see them.
 */
export function checkPassword(password: string, email: string): void {
  const plain = normalized(password).toLowerCase()
  const length = [...new Intl.Segmenter().segment(password.slice(0, 2 * MAX_PASSWORD))].length
  const problem =
    length < MIN_CHARACTERS
      ? `must have at least ${MIN_CHARACTERS} characters`
      : password.length > MAX_PASSWORD
        ? `must have at most ${MAX_PASSWORD} characters`
        : plain === normalized(email).toLowerCase()
          ? 'must not be the e-mail address'
          : COMMONEST.has(plain) || new Set(plain).size === 1
            ? 'is one of the commonest passwords'
            : null
  if (problem !== null)
    throw fault('validation.invalid_value', { field: 'password', message: `The password ${problem}.` })
}

// common-passwords.txt begins with a comment that says where it is from.
const COMMONEST = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ')),
)

interface Kept {
  salt: Buffer
  hash: Buffer
  cost: typeof COST
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parsed(kept: string): Kept {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(kept) ?? []
  if (salt === undefined || hash === undefined) throw new Error('this hash of a password is not in the form of PHC')
  return {
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  }
}

// What is compared where there is no hash: no password has this one.
const NOBODY: Kept = { salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES), cost: COST }

const hashed = (password: string, nonce: Buffer, cost: typeof COST, tagLength: number): Promise<Buffer> =>
  derive('argon2id', { ...cost, message: normalized(password), nonce, tagLength })

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
