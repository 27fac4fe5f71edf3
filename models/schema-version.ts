// Compares the schema of a database with the one that this code was written for.
import { readdir } from 'node:fs/promises'
import type { Connection } from './connection.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

interface Applied {
  name: string
  requires: string | null
}

/**
 * The migration that running code must know from then on that a migration was applied: its line `-- requires: NAME`. Null for
 * a migration that only adds, which code of before can live with.
 */
export const requiredBy = (sql: string): string | null => /^-- requires: (\S+\.sql)$/m.exec(sql)?.[1] ?? null

/** The names of the migrations that this code has and the database lacks, in their order. */
export async function pendingMigrations(connection: Connection): Promise<string[]> {
  const applied = new Set((await appliedTo(connection)).map(({ name }) => name))
  return (await known()).filter((name) => !applied.has(name))
}

/** Why this code must not run on the database, in one line; null where it may. A schema that only has more is fine. */
export async function unfitSchema(connection: Connection): Promise<string | null> {
  const [names, applied] = [await known(), await appliedTo(connection)]
  const has = new Set(applied.map(({ name }) => name))
  const missing = names.filter((name) => !has.has(name))
  if (missing.length > 0) {
    const list = missing.length > 3 ? `${missing[0]} to ${missing.at(-1)}` : missing.join(', ')
    return `The schema lacks ${missing.length} migrations of this version (${list}): run npm run migrate`
  }
  const unfit = applied.find(({ requires }) => requires !== null && !names.includes(requires))
  if (!unfit) return null
  return `The schema is newer than this version: ${unfit.name} was applied, which needs a version that has ${unfit.requires}. Start such a version`
}

const known = async () => (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()

async function appliedTo(connection: Connection): Promise<Applied[]> {
  const [record] = await connection.run<{ exists: boolean }>(HAS_RECORD, [])
  return record!.exists ? connection.run<Applied>(APPLIED, []) : []
}

const HAS_RECORD = {
  name: 'has migrations',
  text: `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
}
// The column is missing from databases that were migrated before it was known.
const APPLIED = {
  name: 'applied migrations',
  text: `SELECT name, to_jsonb(m) ->> 'requires' AS requires FROM schema_migrations AS m ORDER BY name`,
}
