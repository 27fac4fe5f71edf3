// A disk that is full for PostgreSQL: no file of its data can grow beyond the largest there is, which almost every call lets grow.
import { execFileSync } from 'node:child_process'
import type { Database } from '../../models/database.ts'
import { childrenOf } from '../kills/processes.ts'

/** Whether the limit can be set here: util-linux has the program. It needs no privileges. */
export const CAN_FILL_DISK = process.platform === 'linux'

// Beyond the 16 MB of a file of the write-ahead log, which is not limited: each is made whole.
const LONG_ENTRIES = 24_000
// As many as fit into what the long ones leave of their pages.
const SHORT_ENTRIES = 15_000

/**
 * Makes the activity log the largest table, and limits the size of files to its own: as on a full disk, its next page is refused.
 * `makeRoom` takes the limit away.
 */
export async function fillDisk(database: Database, postmaster: number, orgId: string): Promise<{ makeRoom(): void }> {
  await database.run(FILL, [orgId, LONG_ENTRIES, 640])
  await database.run(VACUUM, [])
  await database.run(FILL, [orgId, SHORT_ENTRIES, 0])
  const [largest] = await database.run<{ bytes: bigint }>(LARGEST, [])
  limitFiles(postmaster, String(largest!.bytes))
  return { makeRoom: () => limitFiles(postmaster, 'unlimited') }
}

// The first of them hands its limit to those that it starts from now on.
function limitFiles(postmaster: number, bytes: string): void {
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`], { stdio: 'pipe' })
    } catch (error) {
      // A connection that has ended meanwhile needs no limit.
      if (childrenOf(postmaster).includes(pid) || pid === postmaster) throw error
    }
  }
}

const FILL = {
  name: 'fill the activity log',
  text: `INSERT INTO activity (org_id, id, action, entity_type, entity_id, metadata, occurred_at)
    SELECT $1, gen_random_uuid(), 'COMMENT_ADDED', 'CONTACT', gen_random_uuid(), jsonb_build_object('n', left(repeat(md5(n::text), 20), $3::integer)), now() - interval '1 year'
    FROM generate_series(1, $2::integer) AS n`,
}
// It notes where pages have room.
const VACUUM = { name: 'vacuum the activity log', text: 'VACUUM activity' }
const LARGEST = {
  name: 'largest file',
  text: `SELECT max(pg_relation_size(oid)) AS bytes FROM pg_class WHERE relkind IN ('r', 'i', 't')`,
}
