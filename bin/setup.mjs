// Installs the packages if they are missing or older than package-lock.json; runs with the Node that is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(dirname(fileURLToPath(import.meta.url)))
const lock = join(folder, 'package-lock.json')
// npm writes this copy of the lock last, so an interrupted installation does not have it.
const installed = join(folder, 'node_modules', '.package-lock.json')

const oldest = 20
if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(`Node ${process.versions.node} is too old; Node ${oldest} or newer is needed to install the packages.`)
  process.exit(1)
}

const missing = !existsSync(installed)
if (missing || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  const why = missing ? 'no packages are installed yet' : 'package-lock.json is newer than what is installed'
  console.log(`Packages             npm ci: ${why}; this takes a minute or two`)
  const begun = Date.now()
  // Without this level npm warns about packages that need a newer Node than the one that installs them; they run on the Node in node_modules.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  // The Node that runs npm, not the one in node_modules, which npm ci replaces.
  const node = process.env.npm_node_execpath ?? process.execPath
  const { status, error } = npm?.endsWith('.js')
    ? spawnSync(node, [npm, ...args], { cwd: folder, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    console.error(`The packages could not be installed (${error?.message ?? 'npm ci, see above'}).`)
    process.exit(1)
  }
  console.log(`Packages             installed   ${((Date.now() - begun) / 1000).toFixed(1)} s`)
}
