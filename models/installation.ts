// The installation that a database is of: its id, and whether ENCRYPTION_KEY is the key that its secrets were sealed with.
import { v7 as uuidv7 } from 'uuid'
import type { Connection } from './connection.ts'
import { INTEGER, model, orNull, TEXT, TIME, UUID } from './model.ts'
import { sealedTexts } from './reseal.ts'
import { canUnseal, seal } from './sealed.ts'
import { someSealedSecrets } from './webhook.ts'

export const installation = model(
  'installation',
  {
    id: UUID,
    key_sample: orNull(TEXT),
    created_time: TIME,
    server: orNull(TEXT),
    alive_time: orNull(TIME),
    restored_time: orNull(TIME),
    restore_begun_time: orNull(TIME),
    sequence_jump: INTEGER,
  },
  { key: ['id'] },
)

/** What the sample says. Only whether it can be opened counts. */
const SAMPLE = 'bahi'
/** How many secrets are tried where there is no sample yet: databases of before have none. */
const SECRETS = 1_000

/** The installation of this database, which is made where it is missing. A copy of the database has the same id. */
export async function installationOf(connection: Connection): Promise<{ id: string }> {
  const [found] = await connection.run<{ id: string }>(READ, [])
  if (found) return found
  await connection.run(MAKE, [uuidv7()])
  const [made] = await connection.run<{ id: string }>(READ, [])
  return made!
}

export const WRONG_KEY =
  'ENCRYPTION_KEY is not the key of this database: it reads nothing of what is encrypted there (secrets of webhook endpoints and of e-invoicing, ' +
  'stored answers) nor the workflow histories. The right one is in the settings of the other processes, in those from before a restore or a move, ' +
  'or with the backups (of npm start: encryption.key in its data folder); during a change of the key list both, separated by a comma. ' +
  'Only if it is lost: npm run reseal -- --lost-key, after docs/running.md, "The encryption key"'

/**
 * Why a process with this ring of keys must not work on the database; null where it may. The first process that asks leaves the
 * sample that those after it are compared with; of two that come at once, one does.
 */
export async function unfitKey(connection: Connection, ring: string): Promise<string | null> {
  const [found] = await connection.run<{ key_sample: string | null }>(READ_SAMPLE, [])
  if (found?.key_sample) return canUnseal(ring, found.key_sample) ? null : WRONG_KEY
  const secrets = await someSealedSecrets(connection, SECRETS)
  for (const { sealed } of await sealedTexts(connection)) secrets.push(sealed)
  if (secrets.length > 0 && !secrets.some((sealed) => canUnseal(ring, sealed))) return WRONG_KEY
  await installationOf(connection)
  const [kept] = await connection.run<{ key_sample: string }>(KEEP_SAMPLE, [seal(ring, SAMPLE)])
  return canUnseal(ring, kept!.key_sample) ? null : WRONG_KEY
}

/** As unfitKey, for one who only looks: nothing is written, and a database without a sample fits. */
export async function hasOtherKey(connection: Connection, ring: string): Promise<boolean> {
  const [found] = await connection.run<{ key_sample: string | null }>(READ_SAMPLE, [])
  return Boolean(found?.key_sample) && !canUnseal(ring, found!.key_sample!)
}

/** Seals the sample under the first key of the ring, whichever sealed the one before. */
export async function resealSample(connection: Connection, ring: string): Promise<void> {
  await installationOf(connection)
  await connection.run(REPLACE_SAMPLE, [seal(ring, SAMPLE)])
}

const READ = { name: 'installation', text: 'SELECT id FROM installation' }
// By the database's clock.
const MAKE = {
  name: 'make the installation',
  text: 'INSERT INTO installation (id, created_time) VALUES ($1, clock_timestamp()) ON CONFLICT DO NOTHING',
}
const READ_SAMPLE = { name: 'key sample', text: 'SELECT key_sample FROM installation' }
const KEEP_SAMPLE = {
  name: 'keep the key sample',
  text: 'UPDATE installation SET key_sample = coalesce(key_sample, $1) RETURNING key_sample',
}
const REPLACE_SAMPLE = { name: 'replace the key sample', text: 'UPDATE installation SET key_sample = $1' }
