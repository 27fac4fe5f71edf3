// The two roles of a local run's PostgreSQL: the owner, who migrates, and the one that everything else connects as.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Login {
  name: string
  password: string
}

/** How migrations are run: as the owner, and whom they grant what the API and the worker do; null where that is the owner too. */
export interface Migrating {
  url: string
  service: Login | null
}

const OWNER = 'postgres'
const SERVICE = 'bahi_service'

/** The role of the API and the worker; its password is generated once, and kept beside that of the owner. */
export function serviceLogin(dataDir: string): Login {
  const file = join(dataDir, 'postgres.service-password')
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600, flush: true })
  return { name: SERVICE, password: readFileSync(file, 'utf8').trim() }
}

/** The address of the same database for another role. */
export function urlFor({ name, password }: Login, url: string): string {
  return Object.assign(new URL(url), { username: name, password }).href
}

/** How the database of a local run is migrated. Its address is that of demo.json; one of somebody else's is left as it is. */
export function localMigrating(dataDir: string, url: string): Migrating {
  const owner = join(dataDir, 'postgres.password')
  if (new URL(url).username !== SERVICE || !existsSync(owner)) return { url, service: null }
  const password = readFileSync(owner, 'utf8').trim()
  return { url: urlFor({ name: OWNER, password }, url), service: serviceLogin(dataDir) }
}
