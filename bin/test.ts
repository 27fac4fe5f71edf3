// What `npm test` runs: the type check and the linter, then Jest with temporary servers of everything that the service uses.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLocalRun } from '../settings.ts'
import { startAzurite } from './services/azurite.ts'
import { freePort } from './services/port.ts'
import { startPostgres } from './services/postgres.ts'
import { type StartedServer, onPath, sleep } from './services/process.ts'
import { startRedis } from './services/redis.ts'
import { endLeftovers, FolderInUse, openRunRecord, readJson, type RunRecord } from './services/run-record.ts'
import { findTemporal } from './services/temporal-binary.ts'
import { startTemporal } from './services/temporal.ts'
import { secondsSince, step, printLine } from './services/steps.ts'
import { lintedFiles } from './suite/linted.ts'
import { folderInMemory, freeMemory } from './suite/memory.ts'
import { QUICK_SETTINGS, quickTests } from './suite/quick.ts'
import { type SuiteOutcome, timesByFolder } from './suite/times.ts'
import { bundledWorkflows } from './suite/workflow-bundle.ts'

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const local = readLocalRun()
const stopping = new AbortController()
const given = process.argv.slice(2)
const isQuick = given.includes('--quick')
const jestArguments = [...given.filter((argument) => argument !== '--quick'), ...(isQuick ? quickTests(root) : [])]

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
process.exitCode = await main()

async function main(): Promise<number> {
  await sweep()
  const folder = mkdtempSync(join(tmpdir(), 'bahi-test-'))
  mkdirSync(join(folder, 'tmp'))
  const record = await openRunRecord(folder)
  const servers: StartedServer[] = []
  try {
    // Jest starts with the servers, while the checks go on. They end before the run does, also where the servers do not start.
    const checks = runChecks()
    const [tested] = await Promise.allSettled([runTests(folder, record, servers), checks])
    if (tested.status === 'rejected') throw tested.reason
    const failed = await checks
    return report(tested.value, failed)
  } catch (error) {
    if (!stopping.signal.aborted) console.error(`\n${(error as Error).message}`)
    return 1
  } finally {
    for (const server of servers.toReversed()) await server.stop()
    record.close()
    freeMemory(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runTests(folder: string, record: RunRecord, servers: StartedServer[]): Promise<Outcome> {
  if (!needsServers()) return runJest(folder, {})
  const [environment] = await Promise.all([
    startServers(folder, record, servers),
    step('Workflows', async () => ['bundled', await bundledWorkflows(root)]),
  ])
  return runJest(folder, environment)
}

/** Runs the checks side by side; returns the names of those that fail. */
async function runChecks(): Promise<string[]> {
  const tsc = join(modules, 'typescript', 'bin', 'tsc')
  const checks = await Promise.all([
    check('type check', [tsc]),
    check('type check of the console', [tsc, '-p', 'console']),
    lint(),
  ])
  return checks.filter((name) => name !== null)
}

async function lint(): Promise<string | null> {
  const { changed, notePassed } = lintedFiles(root, join(modules, '.cache', 'linter.json'))
  const biome = [join(modules, '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '--log-level=warn']
  // Among what has changed may be files that the configuration leaves out.
  const onlySome = ['--files-ignore-unknown=true', '--no-errors-on-unmatched', '--', ...(changed ?? [])]
  const isPart = isQuick && changed !== null
  const failed =
    changed?.length === 0 && isQuick ? null : await check('linter', isPart ? [...biome, ...onlySome] : biome)
  if (changed?.length === 0 && isQuick) printLine('Linter', 'passed', 'before; no file has changed', '')
  if (failed === null) notePassed()
  return failed
}

// Runs a check. Returns its name if it fails, otherwise null.
async function check(name: string, args: string[]): Promise<string | null> {
  const begun = Date.now()
  const code = await runNode(args)
  printLine(`${name[0]!.toUpperCase()}${name.slice(1)}`, code === 0 ? 'passed' : 'failed', '', secondsSince(begun))
  return code === 0 ? null : name
}

// The tests of the domain and of the house rules need no servers.
function needsServers(): boolean {
  const paths = jestArguments.filter((argument) => !argument.startsWith('-'))
  return paths.length === 0 || !paths.every((path) => /^(\.\/)?test\/(domain\b|house\.test)/.test(path))
}

async function startServers(folder: string, record: RunRecord, servers: StartedServer[]): Promise<NodeJS.ProcessEnv> {
  const rest = { inherited: local.inherited, onLaunch: record.noteChild, hurry: stopping.signal }
  const log = (name: string) => join(folder, 'logs', `${name}.log`)
  const taken = new Set<number>()
  const environment: NodeJS.ProcessEnv = {}
  const memory = folderInMemory(folder)
  const keep = <T extends StartedServer>(server: T): T => {
    servers.push(server)
    return server
  }

  const redis = onPath('redis-server', local.path)
  if (!redis && local.ci) {
    throw new Error(
      'redis-server is missing, and with CI=true no test may be skipped.\n  Remedy: apt-get install redis-server',
    )
  }
  environment.TEST_DATABASE_URL = await step('PostgreSQL', async () => {
    const port = await freePort(undefined, taken)
    const dataDir = join(memory, 'postgres')
    const server = keep(await startPostgres({ dataDir, port, log: log('postgres'), durable: false, ...rest }))
    return [`127.0.0.1:${port}`, server.url]
  })
  environment.TEST_TEMPORAL_ADDRESS = await step('Temporal', async (say) => {
    const binary = await findTemporal({ ...local, say, stopping: stopping.signal })
    const port = await freePort(undefined, taken)
    const uiPort = await freePort(undefined, taken)
    const databaseFile = join(memory, 'temporal', 'temporal.db')
    const server = keep(
      await startTemporal({ binary, namespace: 'default', databaseFile, port, uiPort, log: log('temporal'), ...rest }),
    )
    return [server.url, server.url]
  })
  environment.TEST_AZURE_STORAGE_CONNECTION_STRING = await step('Azurite', async () => {
    const port = await freePort(undefined, taken)
    const dataDir = join(folder, 'azurite')
    const server = keep(await startAzurite({ dataDir, durable: false, port, log: log('azurite'), ...rest }))
    return [`127.0.0.1:${port}`, server.url]
  })
  if (!redis) {
    console.log('\n*** redis-server is missing: the Redis tests do NOT run (apt-get install redis-server). ***\n')
    return environment
  }
  environment.TEST_REDIS_URL = await step('Redis', async () => {
    const port = await freePort(undefined, taken)
    const dataDir = join(folder, 'redis')
    const server = keep(await startRedis({ binary: redis, dataDir, port, log: log('redis'), ...rest }))
    return [`127.0.0.1:${port}`, server.url]
  })
  return environment
}

interface JestResult extends SuiteOutcome {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  numRuntimeErrorTestSuites: number
}

interface Outcome {
  /** Of Jest. */
  code: number
  result: JestResult | null
  seconds: number
}

async function runJest(folder: string, environment: NodeJS.ProcessEnv): Promise<Outcome> {
  if (stopping.signal.aborted) return { code: 1, result: null, seconds: 0 }
  const outcome = join(folder, 'jest.json')
  const begun = Date.now()
  const code = await runNode(
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(modules, 'jest', 'bin', 'jest.js'),
      '--json',
      `--outputFile=${outcome}`,
      ...jestArguments,
    ],
    // Temporary files are removed with the folder. The compile cache stays, for the Node processes that tests start.
    {
      ...environment,
      ...(isQuick && QUICK_SETTINGS),
      TMPDIR: join(folder, 'tmp'),
      NODE_COMPILE_CACHE: join(modules, '.cache', 'node'),
    },
  )
  return { code, result: readJson<JestResult>(outcome), seconds: (Date.now() - begun) / 1000 }
}

/** Prints how the run went; returns its exit code. */
function report({ code, result, seconds }: Outcome, failedChecks: string[]): number {
  if (!result) return code || 1
  if (isQuick || given.length === 0) for (const line of timesByFolder(result, root, seconds)) console.log(line)
  // A file that cannot be loaded has no tests, and a check is not a test; both count as failed, so that neither shows "0 failed".
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites + failedChecks.length
  const skipped = result.numPendingTests + result.numTodoTests
  const parts = [`${result.numPassedTests} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])]
  for (const name of failedChecks) console.log(`\nThe ${name} FAILED, see above.`)
  console.log(`\n${parts.join(', ')}`)
  return failedChecks.length === 0 ? code : code || 1
}

// Runs in a process group of its own, so that processes that a killed test file left behind can be ended.
function runNode(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...local.inherited, ...environment }
    const child: ChildProcess = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit', detached: true })
    const stop = () => void signalGroup(child, 'SIGTERM')
    stopping.signal.addEventListener('abort', stop, { once: true })
    child.once('error', reject)
    child.once('exit', async (code) => {
      stopping.signal.removeEventListener('abort', stop)
      // A local run that a test left behind stops on the first SIGTERM; a second one makes it kill parts that hang.
      for (let tries = 0; tries < 100 && signalGroup(child, tries % 50 === 0 ? 'SIGTERM' : 0); tries += 1)
        await sleep(100)
      signalGroup(child, 'SIGKILL')
      resolve(code ?? 1)
    })
  })
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal)
  } catch {
    return false
  }
}

// A test run that was killed leaves its servers running; the next run ends them.
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    if (!/^bahi-test-\w{6}$/.test(name)) continue
    const folder = join(tmpdir(), name)
    // The owner of a new folder may not have taken its lock yet.
    if (Date.now() - statSync(folder).mtimeMs < 60_000) continue
    try {
      await endLeftovers((await openRunRecord(folder)).leftovers)
      freeMemory(folder)
      rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (!(error instanceof FolderInUse)) console.log(`${folder} is left as it is: ${(error as Error).message}`)
    }
  }
}
