// The machine of an operator who has only Node: a checkout with a local run, and no other program on PATH than those of the system.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end } from '../../bin/services/process.ts'
import { freePort } from '../../bin/services/port.ts'
import { readLocalRun } from '../../settings.ts'
import { ROOT } from '../fixtures/root.ts'
import { childrenOf, until } from '../start/local-run.ts'

export interface Ran {
  code: number | null
  output: string
}

export interface Machine {
  /** A checkout, in which commands run. */
  folder: string
  /** Of `npm run codec`. */
  codecPort: string
  /** Runs a command line to its end. */
  run(command: string): Promise<Ran>
  /** Starts a command line that goes on, until it says this. */
  start(command: string, said: RegExp): Promise<string>
  /** Ends what was started, as Ctrl-C does. */
  interrupt(): Promise<void>
  close(): Promise<void>
}

// What npm start does not bring.
const LACKING = /^(psql|pg_\w+|temporal|hledger|docker)$/

export async function openMachine(settings: Record<string, string>): Promise<Machine> {
  const mtime = (name: string) => statSync(join(ROOT, name)).mtimeMs
  // The `npm start` of the machine would install them anew, under the tests that run.
  if (mtime('node_modules/.package-lock.json') < mtime('package-lock.json')) throw new Error('The packages are older than package-lock.json: npm ci')
  const top = mkdtempSync(join(tmpdir(), 'bahi-runbooks-'))
  const folder = join(top, 'checkout')
  const programs = join(top, 'programs')
  for (const made of [folder, programs]) mkdirSync(made)
  for (const name of readdirSync(ROOT)) if (!name.startsWith('.')) symlinkSync(join(ROOT, name), join(folder, name))
  linkPrograms(programs)
  const env: NodeJS.ProcessEnv = {
    ...settings, PATH: programs, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, npm_config_update_notifier: 'false', PORT: String(await freePort(undefined)),
  }
  const codecPort = String(await freePort(undefined))
  env.CODEC_PORT = codecPort
  const begun: ChildProcess[] = []
  const spawned = (command: string) => {
    const child = spawn('bash', ['-o', 'pipefail', '-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const ran: Ran = { code: null, output: '' }
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (part: Buffer) => (ran.output += part.toString()))
    const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve(Object.assign(ran, { code: code ?? -1 }))))
    return { child, ran, ended }
  }
  const interrupt = async () => {
    for (const child of begun.splice(0).toReversed()) {
      if (child.exitCode !== null) continue
      const ended = new Promise((resolve) => child.once('close', resolve))
      process.kill(-child.pid!, 'SIGINT')
      await ended
    }
  }
  return {
    folder, codecPort, interrupt,
    run: (command) => spawned(command).ended,
    async start(command, said) {
      const { child, ran } = spawned(command)
      begun.push(child)
      await until(() => {
        if (ran.code !== null) throw new Error(`${command} ended:\n${ran.output}`)
        return said.test(ran.output)
      }, 120_000, () => `${command} does not say ${said}:\n${ran.output}`)
      return ran.output
    },
    async close() {
      await interrupt()
      if (existsSync(join(folder, '.data', 'run.json'))) for (const child of childrenOf(join(folder, '.data')).toReversed()) await end(child, { patienceMs: 5_000 })
      rmSync(top, { recursive: true, force: true })
    },
  }
}

function linkPrograms(into: string): void {
  const { path, cacheDir } = readLocalRun()
  // Where the CLI is not in the cache, the machine of the tests has one of its own.
  const hasCli = existsSync(cacheDir) && readdirSync(cacheDir).some((name) => name.startsWith('temporal-'))
  for (const one of path.filter((folder) => !folder.includes('node_modules') && existsSync(folder)))
    for (const name of readdirSync(one))
      if ((!LACKING.test(name) || (name === 'temporal' && !hasCli)) && !existsSync(join(into, name))) symlinkSync(join(one, name), join(into, name))
}

export const keyOf = ({ folder }: Machine) => readFileSync(join(folder, '.data', 'encryption.key'), 'utf8').trim()
