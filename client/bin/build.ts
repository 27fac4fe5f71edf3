// `npm run build -w client`: makes the package as it is published, in client/dist: JavaScript, declarations, its package.json.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const CLIENT = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? join(CLIENT, 'dist'))

const moduleAt = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })

rmSync(target, { recursive: true, force: true })
const compiler = join(CLIENT, 'node_modules', 'typescript', 'bin', 'tsc')
execFileSync(process.execPath, [compiler, '-p', CLIENT, '--outDir', target], { stdio: 'inherit' })
// Declarations name the source that they are of; a reader has what was compiled.
for (const name of readdirSync(target).filter((each) => each.endsWith('.d.ts'))) {
  const file = join(target, name)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
}
const {
  private: _isPrivate,
  scripts: _scripts,
  devDependencies: _own,
  ...published
} = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
const manifest = {
  ...published,
  sideEffects: false,
  exports: { '.': moduleAt('index'), './internal': moduleAt('internal'), './package.json': './package.json' },
}
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(join(CLIENT, 'README.md'), join(target, 'README.md'))
copyFileSync(join(CLIENT, '..', 'LICENSE'), join(target, 'LICENSE'))
