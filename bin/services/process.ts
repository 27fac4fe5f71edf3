// Starts, identifies and ends child processes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { plainLine } from './part-log.ts'

/** Identifies a process across runs. The pid alone is not enough, because the system reuses pids. */
export interface Identity {
  name: string
  pid: number
  startedAt: string
  /** The signal for a graceful shutdown. */
  stopSignal: NodeJS.Signals
}

export interface Launched extends Identity {
  /** Resolves when the process has ended, with its signal or exit code as text. */
  ended: Promise<string>
  hasEnded(): boolean
}

export interface Launch {
  name: string
  command: string
  args: string[]
  log: string
  env: NodeJS.ProcessEnv
  stopSignal?: NodeJS.Signals
  /** Whether other processes go first while all processors are busy. */
  isBackground?: boolean
}

/** A running server: its address, its process, and how to stop it. */
export interface StartedServer {
  url: string
  process: Launched
  stop(): Promise<void>
}

// Under load a background process has about a third of the processor time of another (nice 5).
const BACKGROUND_PRIORITY = 5

/**
 * Starts a process in a group of its own, so that a Ctrl-C in the terminal does not reach it, and the whole group can be
 * ended. Its output goes directly to the log file, so it is kept even if this process is killed.
 */
export async function launch({
  name,
  command,
  args,
  log,
  env,
  stopSignal = 'SIGTERM',
  isBackground = false,
}: Launch): Promise<Launched> {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  const output = openSync(log, 'a', 0o600)
  let child: ChildProcess
  try {
    child = spawn(command, args, { env, detached: true, stdio: ['ignore', output, output] })
  } finally {
    closeSync(output)
  }
  let over = false
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      over = true
      resolve(signal ? `signal ${signal}` : `exit code ${code}`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Error(`${name} could not be started: ${error.message}`)))
  })
  const pid = child.pid as number
  if (isBackground) lowerPriority(pid)
  return { name, pid, startedAt: startOf(pid) ?? '', stopSignal, ended, hasEnded: () => over }
}

// Its threads inherit the priority: there is only one so soon after the start.
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, BACKGROUND_PRIORITY)
    // Linux may share the processors between sessions first, and a process started here is a session of its own.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(BACKGROUND_PRIORITY))
  } catch {
    // The process has already ended, or the system does not allow it.
  }
}

/** The start time of the process with this pid, in a form that depends on the system; null if there is none. */
export function startOf(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      // The command's name is in parentheses and may contain spaces, so fields are counted after it.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z') return null
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)}-${fields[19]}`
    } catch {
      return null
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch {
    return null
  }
}

/** Whether this very process still runs, and not a later one with the same pid. */
export function isAlive({ pid, startedAt }: Pick<Identity, 'pid' | 'startedAt'>): boolean {
  return startedAt !== '' && startOf(pid) === startedAt
}

/**
 * Ends a process: sends its signal, waits up to `patienceMs`, and then kills what is left of its group. `hurry` ends the
 * wait early.
 */
export async function end(
  identity: Identity,
  { patienceMs = 10_000, hurry }: { patienceMs?: number; hurry?: AbortSignal } = {},
): Promise<void> {
  if (isAlive(identity)) send(identity.pid, identity.stopSignal)
  const deadline = Date.now() + patienceMs
  while (isAlive(identity) && Date.now() < deadline && !hurry?.aborted) await sleep(25)
  // The group may outlive its leader, so the whole group is killed. It cannot be another group: the system does not reuse
  // a pid that is still the id of a group.
  send(-identity.pid, 'SIGKILL')
  while (isAlive(identity)) await sleep(10)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

export function sleep(ms: number, hurry?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      // The signal lives long, so each sleep must remove its listener.
      hurry?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    hurry?.addEventListener('abort', done, { once: true })
    if (hurry?.aborted) done()
  })
}

/** The last lines of a log from byte `from`, for an error message. */
export function lastLines(log: string, count = 15, from = 0): string {
  if (!existsSync(log)) return '(no log)'
  const text = readFileSync(log).subarray(from).toString('utf8')
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => plainLine(line) ?? [])
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n')
}

export function sizeOf(log: string): number {
  return existsSync(log) ? statSync(log).size : 0
}

/** The path of a program in the folders of PATH, or null. */
export function onPath(program: string, path: string[]): string | null {
  return path.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? null
}
