// Reads from /proc how much CPU time and memory the measured processes use.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

// The unit of the times in /proc/<pid>/stat, the same on every Linux that Node runs on.
const TICKS_A_SECOND = 100
const PAGE_BYTES = 4096

export interface Consumption {
  /** CPU seconds during the work. */
  cpu: Record<Consumer, number>
  /** MB at the end of the work; memory that the processes of PostgreSQL share is counted once. */
  memory: Record<Exclude<Consumer, 'client'>, number>
}

export type Consumer = 'api' | 'worker' | 'postgres' | 'client'
/** `client` is set where the client keeps running after the work; otherwise it is a child of this process that has ended by then. */
export type Pids = Record<Exclude<Consumer, 'client'>, number> & { client?: number }

/** Does the work and returns its result and what was consumed meanwhile; null where there is no /proc. */
export async function consumed<T>(pids: Pids, work: () => Promise<T>): Promise<[T, Consumption | null]> {
  if (!existsSync('/proc/self/stat')) return [await work(), null]
  const before = cpuOf(pids)
  const result = await work()
  const after = cpuOf(pids)
  const cpu = {
    api: after.api - before.api,
    worker: after.worker - before.worker,
    postgres: after.postgres - before.postgres,
    client: after.client - before.client,
  }
  const memory = { api: memoryOf([pids.api]), worker: memoryOf([pids.worker]), postgres: memoryOf(family(pids.postgres)) }
  return [result, { cpu, memory }]
}

/** The CPU time of all, and the memory at the end of the last; null where one is missing. */
export function sumOf(consumptions: (Consumption | null)[]): Consumption | null {
  return consumptions.reduce((sum, one) => {
    if (!sum || !one) return null
    const names = Object.keys(one.cpu) as Consumer[]
    return { memory: one.memory, cpu: Object.fromEntries(names.map((name) => [name, sum.cpu[name] + one.cpu[name]])) as Consumption['cpu'] }
  })
}

/** Does the work and returns its result and the peak memory of the process meanwhile, in MB; null where there is no /proc. */
export async function peakMemory<T>(pid: number, work: () => Promise<T>): Promise<[T, number | null]> {
  let peak = 0
  const look = () => (peak = Math.max(peak, Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES / 2 ** 20))
  const looking = setInterval(look, 50)
  const result = await work().finally(() => clearInterval(looking))
  return [result, peak > 0 ? peak : null]
}

/** CPU milliseconds of all threads of the process so far, as precise as Linux counts them. */
export function cpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]) / 1e6, 0)
}

/** The process and all that it has started, and what these have started. */
export function descendants(pid: number): number[] {
  const tasks = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
  const children = tasks.flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
  return [pid, ...children.flatMap(descendants)]
}

/** CPU seconds of these processes so far. */
export const cpuSeconds = (pids: number[]) => pids.reduce((sum, pid) => sum + ownCpu(pid), 0)

/** The memory of a process, in MB. */
export const memoryMb = (pid: number) => memoryOf([pid])

function cpuOf({ api, worker, postgres, client }: Pids): Record<Consumer, number> {
  const [, ...backends] = family(postgres)
  return {
    api: ownCpu(api),
    worker: ownCpu(worker),
    // The CPU time of a backend that has ended is in that of its parent.
    postgres: ownCpu(postgres) + endedCpu(postgres) + backends.reduce((sum, pid) => sum + ownCpu(pid), 0),
    client: client === undefined ? endedCpu(process.pid) : ownCpu(client),
  }
}

function family(pid: number): number[] {
  return [pid, ...read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)]
}

// Field 2, the name, is in parentheses and may contain spaces; of the fields after it, utime is the 12th and cutime the 14th.
function times(pid: number): number[] {
  const stat = read(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 15).map((ticks) => Number(ticks) / TICKS_A_SECOND)
}

const ownCpu = (pid: number) => (times(pid)[0] ?? 0) + (times(pid)[1] ?? 0)
const endedCpu = (pid: number) => (times(pid)[2] ?? 0) + (times(pid)[3] ?? 0)

function memoryOf(pids: number[]): number {
  const kilobytes = pids.map((pid) => Number(/^Pss: +(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

// A process may end while its files are read.
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
