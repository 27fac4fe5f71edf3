// A process that we start: its log file, its identity, its end.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A process as it can be known again later: a bare pid would be handed to a stranger after a while. */
export interface Identity {
  name: string
  pid: number
  startedAt: string
  /** The signal that asks it to end in good order. */
  ask: NodeJS.Signals
}

export interface Launched extends Identity {
  /** Resolves when the process has ended, with words for how. */
  ended: Promise<string>
  hasEnded(): boolean
}

export interface Launch {
  name: string
  command: string
  args: string[]
  log: string
  env: NodeJS.ProcessEnv
  ask?: NodeJS.Signals
}

/** A machine in use: where it answers, and how to put it away. */
export interface Machine {
  url: string
  process: Launched
  stop(): Promise<void>
}

/**
 * Starts a process in a group of its own, so that a Ctrl-C in the terminal reaches us alone
 * and the group can be ended whole. Its output goes to the log file, not through us: it outlives our death.
 */
export async function launch({ name, command, args, log, env, ask = 'SIGTERM' }: Launch): Promise<Launched> {
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
  return { name, pid, startedAt: startOf(pid) ?? '', ask, ended, hasEnded: () => over }
}

/** When the process with this pid began, in the system's own words; null when there is none. */
export function startOf(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      // The command's name stands in parentheses and may hold blanks: count from behind it.
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

/** Is exactly this process still there, and not a later one with the same pid? */
export function isAlive({ pid, startedAt }: Pick<Identity, 'pid' | 'startedAt'>): boolean {
  return startedAt !== '' && startOf(pid) === startedAt
}

/**
 * Ends a process: asks it with its signal, and ends its whole group when it has not gone after `patienceMs`.
 * `hurry` cuts the patience short.
 */
export async function end(
  identity: Identity,
  { patienceMs = 10_000, hurry }: { patienceMs?: number; hurry?: AbortSignal } = {},
): Promise<void> {
  if (isAlive(identity)) send(identity.pid, identity.ask)
  const deadline = Date.now() + patienceMs
  while (isAlive(identity) && Date.now() < deadline && !hurry?.aborted) await sleep(25)
  // The group may outlive its leader: what the leader left behind goes too. A group whose leader
  // was recycled cannot exist, since the system does not give out a pid that still names a group.
  send(-identity.pid, 'SIGKILL')
  while (isAlive(identity)) await sleep(10)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already, which is what was wanted.
  }
}

export function sleep(ms: number, hurry?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      // Signals live long: what is slept through often must not leave a listener each time.
      hurry?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    hurry?.addEventListener('abort', done, { once: true })
    if (hurry?.aborted) done()
  })
}

/** The last lines of a log, for an error that should not send its reader elsewhere. */
export function lastLines(log: string, count = 15, from = 0): string {
  if (!existsSync(log)) return '(no log)'
  const text = readFileSync(log).subarray(from).toString('utf8')
  return text.trimEnd().split('\n').slice(-count).map((line) => `    ${line}`).join('\n')
}

export function sizeOf(log: string): number {
  return existsSync(log) ? statSync(log).size : 0
}

/** The place of a program in the folders of PATH, or null. */
export function onPath(program: string, path: string[]): string | null {
  return path.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? null
}
