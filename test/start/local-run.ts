// A real `npm start` for the tests: the supervisor as a process of its own, on a port and a folder of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DemoCard } from '../../bin/services/demo-card.ts'
import type { Identity } from '../../bin/services/process.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export interface LocalRun {
  pid: number
  output(): string
  /** Resolves with the output once it holds the text; throws when the run ends before, or time is up. */
  says(text: string | RegExp, limitMs?: number): Promise<string>
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): void
}

export function startLocalRun(dataDir: string, port: number, settings: Record<string, string> = {}): LocalRun {
  const inherited = { ...process.env }
  // The run must start its own services, and it is not npm that runs it.
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'REDIS_URL', 'ENCRYPTION_KEY', 'npm_lifecycle_event']) delete inherited[name]
  const env: NodeJS.ProcessEnv = { ...inherited, PDF_WARM_UP: 'false', ...settings, DATA_DIR: dataDir, PORT: String(port) }
  const child: ChildProcess = spawn(process.execPath, ['bin/start.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (text += part.toString()))
  let over = false
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      over = true
      resolve(code ?? signal ?? '')
    })
  })
  return {
    pid: child.pid as number,
    output: () => text,
    ended,
    kill: (signal) => void child.kill(signal),
    async says(wanted, limitMs = 90_000) {
      await until(() => {
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return true
        if (over) throw new Error(`The run ended without saying ${wanted}:\n${text}`)
        return false
      }, limitMs, () => `The run does not say ${wanted}:\n${text}`)
      return text
    },
  }
}

export async function until(
  holds: () => boolean | Promise<boolean>, limitMs: number, complaint: () => string,
): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(complaint())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export function demoCard(dataDir: string): DemoCard {
  return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoCard
}

export function childrenOf(dataDir: string): Identity[] {
  return (JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { children: Identity[] }).children
}

export async function statusOf(url: string, token?: string): Promise<number> {
  try {
    const answer = await fetch(url, { headers: token ? { authorization: `Bearer ${token}` } : {} })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return 0
  }
}
