// What `npm run dev` runs: the services of `npm start`, with the API and the worker restarted after each change of the source.
import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { readLocalRun } from '../settings.ts'
import { runLocally } from './services/local-run.ts'
import { buildConsole } from './services/console-build.ts'
import { showLog } from './services/readable-log.ts'
import { type Changes, restartAt } from './services/restart.ts'
import { watchSource } from './services/source-changes.ts'
import { printLine } from './services/steps.ts'

const ROOT = join(import.meta.dirname, '..')

// Requests in progress would otherwise delay each restart by ten seconds.
const local = readLocalRun({ SHUTDOWN_SECONDS: '1', ...process.env })
const changes: Changes = new EventEmitter()

for (const [name, log] of [
  ['API', 'api'],
  ['Worker', 'worker'],
] as const)
  showLog(name, join(local.dataDir, 'logs', `${log}.log`))
watchSource(ROOT, (paths) => {
  // New migrations are applied before the API and the worker restart.
  if (paths.some((path) => path.endsWith('.sql')))
    spawnSync(process.execPath, [join(ROOT, 'bin', 'migrate.ts')], { stdio: 'inherit' })
  changes.emit('change', paths)
})
// The API serves what was built last; a page that is open is loaded again by hand.
const rebuild = () =>
  buildConsole().then(
    (outcome) => printLine('Console', outcome),
    (error: Error) => printLine('Console', error.message),
  )
watchSource(join(ROOT, 'console', 'src'), () => void rebuild(), /\.(tsx?|css|svg)$/)
await runLocally(local, restartAt(changes))
