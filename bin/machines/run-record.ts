// What a run notes in its data folder: who holds the folder, the ports it got, the processes it started.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, type Identity, isAlive, startOf } from './process.ts'

interface Noted {
  ports: Record<string, number>
  children: Identity[]
}

export interface RunRecord {
  /** The ports of the run before this one, by part. */
  lastPorts: Record<string, number>
  /** Processes of a run that was killed and could not put them away. */
  leftovers: Identity[]
  /** What this run has started and not seen the end of, in the order of starting. */
  children(): Identity[]
  notePorts(ports: Record<string, number>): void
  /** Notes a child at once, in place of an earlier one of the same name. */
  noteChild(child: Identity): void
  /** Gives the data folder back, once everything is put away. */
  close(): void
}

/** Another run holds the data folder. */
export class FolderInUse extends Error {}

/**
 * Takes the data folder for this process alone. `under` is the pid of the npm that runs us: a run
 * whose npm was killed has lost its terminal, so the next run ends it.
 * Throws FolderInUse, which names the pid, when another run holds the folder.
 */
export async function openRunRecord(dataDir: string, under?: number): Promise<RunRecord> {
  // Others may pass through but see nothing: PostgreSQL may have to run as another user inside.
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const lock = join(dataDir, 'run.lock')
  await takeLock(lock, dataDir, under)
  const file = join(dataDir, 'run.json')
  const last = readJson<Noted>(file)
  const leftovers = (last?.children ?? []).filter(isAlive)
  const noted: Noted = { ports: last?.ports ?? {}, children: leftovers }
  const write = () => writeWhole(file, noted)
  return {
    lastPorts: { ...noted.ports },
    leftovers,
    children: () => noted.children.filter(isAlive),
    notePorts(ports) {
      noted.ports = ports
      write()
    },
    noteChild({ name, pid, startedAt, ask }) {
      noted.children = noted.children.filter((child) => child.name !== name && isAlive(child))
      noted.children.push({ name, pid, startedAt, ask })
      write()
    },
    close() {
      noted.children = noted.children.filter(isAlive)
      write()
      rmSync(lock, { force: true })
    },
  }
}

/** Ends the leftovers in the order in which a run puts its parts away: the newest first. */
export async function endLeftovers(leftovers: Identity[]): Promise<void> {
  for (const leftover of leftovers.toReversed()) await end(leftover, { patienceMs: 5000 })
}

interface Holder extends Identity {
  under: Pick<Identity, 'pid' | 'startedAt'> | null
}

// link() fails where the file exists, so of two runs that start together one gets it. A dead holder's lock
// is moved aside first; should it turn out to be a newer one's, that one is put back.
async function takeLock(lock: string, dataDir: string, under?: number): Promise<void> {
  const mine = `${lock}.${process.pid}`
  const known = (pid: number) => ({ pid, startedAt: startOf(pid) ?? '' })
  const self: Holder = { name: 'run', ask: 'SIGTERM', ...known(process.pid), under: under ? known(under) : null }
  writeFileSync(mine, JSON.stringify(self), { mode: 0o600 })
  try {
    for (;;) {
      if (linked(mine, lock)) return
      const holder = readJson<Holder>(lock)
      if (holder?.under && isAlive(holder) && !isAlive(holder.under)) await end(holder, { patienceMs: 30_000 })
      if (holder && isAlive(holder)) {
        throw new FolderInUse(
          `${dataDir} is in use by another run (process ${holder.pid}).\n` +
            `  Remedy: stop that one (kill ${holder.pid}), or choose another folder and port: DATA_DIR=.data-2 PORT=8081 npm start`,
        )
      }
      const aside = `${mine}.aside`
      try {
        renameSync(lock, aside)
      } catch {
        continue
      }
      const moved = readJson<Holder>(aside)
      if (moved && isAlive(moved)) linked(aside, lock)
      rmSync(aside, { force: true })
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Reads a JSON file; null when there is none, or when it was cut off. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}

/** Writes a JSON file whole or not at all, readable by its owner alone. */
export function writeWhole(file: string, value: unknown): void {
  const half = `${file}.${process.pid}.tmp`
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(half, file)
}
