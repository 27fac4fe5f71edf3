// The client as it is published: modules without a build step, whose declarations TypeScript accepts as strictly as it can.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ROOT } from '../fixtures/root.ts'
import { DOCUMENTS, folderWith, notRun, runnable } from './example-modules.ts'
import { json, openHostileServer } from './hostile-server.ts'

const folder = folderWith({
  'openapi-fetch': 'node_modules/openapi-fetch',
  'openapi-typescript-helpers': 'node_modules/openapi-typescript-helpers',
  '@types/node': 'node_modules/@types/node',
  'undici-types': 'node_modules/undici-types',
})
const target = join(folder, 'node_modules', '@bahi', 'client')
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(() => {
  mkdirSync(join(target, '..'), { recursive: true })
  execFileSync(process.execPath, [join(ROOT, 'client', 'bin', 'build.ts'), target])
})

test('has what its package.json names, and no source', () => {
  const { exports, private: isPrivate, scripts, devDependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
  const named = Object.values(exports as Record<string, string | Record<string, string>>).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one)))
  expect(named.length).toBe(5)
  expect(named.filter((path) => !existsSync(join(target, path)))).toEqual([])
  expect([isPrivate, scripts, devDependencies]).toEqual([undefined, undefined, undefined])
  expect(readdirSync(target).filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([])
  expect(readdirSync(target)).toEqual(expect.arrayContaining(['LICENSE', 'README.md']))
})

test('runs', async () => {
  const server = await openHostileServer()
  server.script(json(200, { code: 0, message: 'success', ping: { ok: true } }))
  const script = `import { Bahi } from '@bahi/client'; import { Internal } from '@bahi/client/internal'
    const { ping } = await new Bahi({ baseUrl: process.argv[1] }).get('/ping'); console.log(ping.ok, typeof Internal)`
  const printed = await new Promise((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '-e', script, server.baseUrl], { cwd: folder }, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
  expect(printed).toBe('true function\n')
  await server.close()
})

const WRONG: [string, string][] = [
  ['a path that is not there', "await bahi.get('/invoice')"],
  ['a method that a path has not', "await bahi.delete('/accounts')"],
  ['a missing id', "await bahi.get('/invoices/{invoice_id}')"],
  ['another id', "await bahi.get('/invoices/{invoice_id}', { path: { bill_id: 'x' } })"],
  ['an unknown parameter', "await bahi.get('/invoices', { query: { state: 'SENT' } })"],
  ['a value that is not one of a list', "await bahi.get('/invoices', { query: { status: 'OPEN' } })"],
  ['a missing body', "await bahi.post('/invoices')"],
  ['a field of another type', "await bahi.post('/contacts', { body: { contact_name: 1 } })"],
  ['an unknown field', "await bahi.post('/contacts', { body: { contact_name: 'x', nickname: 'y' } })"],
  ['a field that an answer has not', "(await bahi.get('/whoami')).person"],
  ['pages of what has none', "bahi.pages('/branches')"],
  ['a key of what takes none', "await bahi.put('/contacts/{contact_id}', { path: { contact_id: 'x' }, body: {}, idempotencyKey: 'x' })"],
  ['a file of what is none', "await bahi.file('/invoices')"],
  ['JSON of a file', "await bahi.get('/invoices/{invoice_id}/pdf', { path: { invoice_id: 'x' } })"],
]

test('has declarations by which every example is right, and mistakes are found', () => {
  const modules = DOCUMENTS.flatMap((document) => [runnable(document).source, ...notRun(document)])
  modules.forEach((source, place) => writeFileSync(join(folder, `example-${place}.ts`), source))
  const head = "import { Bahi } from '@bahi/client'\nconst bahi = new Bahi({ baseUrl: '' })\n"
  WRONG.forEach(([, code], place) => writeFileSync(join(folder, `wrong-${place}.ts`), `${head}${code}\nexport {}\n`))
  const compilerOptions = {
    target: 'ES2022', lib: ['ES2022', 'ESNext.Disposable', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], module: 'NodeNext', types: ['node'], strict: true, noEmit: true, skipLibCheck: false,
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  let found = ''
  try {
    execFileSync(process.execPath, [join(ROOT, 'client', 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], { cwd: folder, encoding: 'utf8' })
  } catch (error) {
    found = (error as { stdout: string }).stdout
  }
  const lines = found.split('\n').filter((line) => /^\S.*error TS/.test(line))
  expect(lines.filter((line) => !line.startsWith('wrong-'))).toEqual([])
  expect(WRONG.filter((_one, place) => !lines.some((line) => line.startsWith(`wrong-${place}.ts(3,`))).map(([name]) => name)).toEqual([])
})
