// The record of a run in its data folder: the lock of the folder, the ports, the started processes, and where its services are.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, type Identity, isAlive, startOf } from './process.ts'

interface Noted {
  ports: Record<string, number>
  children: Identity[]
  services?: ServiceAddresses
}

/** Where the services of a run are, by the names of the settings. */
const SERVICE_ADDRESSES = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_QUEUE_SUFFIX',
  'REDIS_URL',
  'AZURE_STORAGE_CONNECTION_STRING',
  'AZURE_STORAGE_CONTAINER',
] as const
type ServiceAddresses = Partial<Record<(typeof SERVICE_ADDRESSES)[number], string>>

export interface RunRecord {
  /** The ports of the run before this one, by part. */
  lastPorts: Record<string, number>
  /** Processes of an earlier run that was killed before it could stop them. */
  leftovers: Identity[]
  /** The running processes of this run, in the order in which they were started. */
  children(): Identity[]
  notePorts(ports: Record<string, number>): void
  /** Writes a child to the record at once, in place of an earlier one of the same name. */
  noteChild(child: Identity): void
  /** Writes where the services are that the API and the worker are given, for the commands of operators. */
  noteServices(environment: ServiceAddresses): void
  /** Releases the data folder, after all processes are stopped. */
  close(): void
}

/** Another run holds the data folder. */
export class FolderInUse extends Error {}

/**
 * Locks the data folder for this process. `under` is the pid of the npm that runs it: a run whose npm was killed has lost
 * its terminal, so the next run ends it. Throws FolderInUse, which names the pid, if another run holds the folder.
 */
export async function openRunRecord(dataDir: string, under?: number): Promise<RunRecord> {
  // Other users may enter but not list it, because PostgreSQL may have to run as another user inside.
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const lock = join(dataDir, 'run.lock')
  await takeLock(lock, dataDir, under)
  const file = join(dataDir, 'run.json')
  const last = readJson<Noted>(file)
  const leftovers = (last?.children ?? []).filter(isAlive)
  const noted: Noted = { ports: last?.ports ?? {}, children: leftovers, services: last?.services }
  const write = () => writeWhole(file, noted)
  return {
    lastPorts: { ...noted.ports },
    leftovers,
    children: () => noted.children.filter(isAlive),
    notePorts(ports) {
      noted.ports = ports
      write()
    },
    noteChild({ name, pid, startedAt, stopSignal }) {
      noted.children = noted.children.filter((child) => child.name !== name && isAlive(child))
      noted.children.push({ name, pid, startedAt, stopSignal })
      write()
    },
    noteServices(environment) {
      noted.services = Object.fromEntries(SERVICE_ADDRESSES.map((name) => [name, environment[name]]))
      write()
    },
    close() {
      noted.children = noted.children.filter(isAlive)
      write()
      rmSync(lock, { force: true })
    },
  }
}

/** Where the services are of the run with this data folder, or of the last one in it; null where no run has noted it. */
export const servicesOf = (dataDir: string): ServiceAddresses | null =>
  readJson<Noted>(join(dataDir, 'run.json'))?.services ?? null

/** Ends the leftovers, the newest first. */
export async function endLeftovers(leftovers: Identity[]): Promise<void> {
  for (const leftover of leftovers.toReversed()) await end(leftover, { patienceMs: 5000 })
}

interface Holder extends Identity {
  under: Pick<Identity, 'pid' | 'startedAt'> | null
}

// link() fails if the file exists, so of two runs that start at the same time only one gets the lock. The lock of a dead
// process is moved aside first; if it turns out to be the lock of a newer run, it is put back.
async function takeLock(lock: string, dataDir: string, under?: number): Promise<void> {
  const mine = `${lock}.${process.pid}`
  const known = (pid: number) => ({ pid, startedAt: startOf(pid) ?? '' })
  const self: Holder = { name: 'run', stopSignal: 'SIGTERM', ...known(process.pid), under: under ? known(under) : null }
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

/** Reads a JSON file; null if it is missing or incomplete. */
export function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return null
  }
}

/** Writes a JSON file atomically, readable only by its owner. */
export function writeWhole(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, file)
}
