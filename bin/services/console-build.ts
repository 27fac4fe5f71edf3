// Builds the console when its sources are others than those of the last build.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from './process.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CONSOLE = join(ROOT, 'console')
const BUILT = join(CONSOLE, 'dist', '.built')
const LOCK = join(CONSOLE, '.building')

const LONGEST_MS = 300_000

/** What the build is made of, from the root. */
const SOURCES = ['console/src', 'client', 'console/index.html', 'console/vite.config.ts', 'package-lock.json']

/**
 * Builds console/dist, unless it is of the same sources already. Only one process builds at a time, others wait for it.
 * Throws an Error with what the builder says.
 */
export async function buildConsole(): Promise<'built' | 'nothing to do'> {
  const wanted = hashOfSources()
  if (lastBuilt() === wanted) return 'nothing to do'
  const last = Date.now() + LONGEST_MS
  while (!takeLock()) {
    if (Date.now() > last) throw new Error(`${LOCK} is held by another build.\n  Remedy: remove that folder`)
    await sleep(200)
    if (lastBuilt() === wanted) return 'nothing to do'
  }
  try {
    const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
    await promisify(execFile)(process.execPath, [vite, 'build'], { cwd: CONSOLE, timeout: LONGEST_MS })
    writeFileSync(BUILT, wanted)
    return 'built'
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`The console could not be built.\n${stdout}${stderr || message}`, { cause: error })
  } finally {
    rmSync(LOCK, { recursive: true, force: true })
  }
}

const lastBuilt = (): string | null => (existsSync(BUILT) ? readFileSync(BUILT, 'utf8') : null)

// A folder is made by one process only. One that a killed build has left is taken over.
function takeLock(): boolean {
  const owner = join(LOCK, 'pid')
  if (existsSync(owner) && !isAlive(Number(readFileSync(owner, 'utf8')))) rmSync(LOCK, { recursive: true, force: true })
  try {
    mkdirSync(LOCK)
  } catch {
    return false
  }
  writeFileSync(owner, String(process.pid))
  return true
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap(filesBelow).sort()) {
    hash.update(path)
    hash.update(readFileSync(join(ROOT, path)))
  }
  return hash.digest('hex')
}

function filesBelow(path: string): string[] {
  if (/\.\w+$/.test(path)) return existsSync(join(ROOT, path)) ? [path] : []
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter(({ name }) => !['node_modules', 'dist'].includes(name))
    .flatMap((entry) => {
      const found = `${path}/${entry.name}`
      return entry.isDirectory() ? filesBelow(found) : [found]
    })
}
