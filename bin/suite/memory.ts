// The folder in memory for the databases of a test run.
//
// A run makes and drops hundreds of databases of 800 files each, and some file systems look past all files that were removed lately
// before they make another: that took half a second of CPU time for each.
import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { basename, join } from 'node:path'

const MEMORY = '/dev/shm'
// More than the whole suite has been seen to use, and what the rest of a run needs.
const ROOM_BYTES = 4 * 2 ** 30
const FREE_BYTES = 8 * 2 ** 30

/** Makes the folder in memory that belongs to the folder of a run; answers that one itself where there is no room in memory. */
export function folderInMemory(folder: string): string {
  if (!hasRoom()) return folder
  const made = join(MEMORY, basename(folder))
  // As the folder of a run: PostgreSQL may run as another user inside.
  mkdirSync(made, { mode: 0o711 })
  return made
}

/** Removes what the run with this folder has in memory. */
export function freeMemory(folder: string): void {
  rmSync(join(MEMORY, basename(folder)), { recursive: true, force: true })
}

function hasRoom(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM_BYTES && freemem() >= FREE_BYTES
}
