// The programs of an operator say in one line what is wrong with the database, and exit with a code.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { writeMark } from '../../gateways/storage/security-log.ts'
import { openDatabase } from '../../models/database.ts'
import { installationOf } from '../../models/installation.ts'
import { noteAlive } from '../../models/restoration.ts'
import { asService, cloneDatabase, emptyDatabase, dropDatabase, SERVICE } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'

let empty: string
let books: string
beforeAll(async () => {
  empty = await emptyDatabase()
  books = await cloneDatabase()
})
afterAll(async () => {
  await dropDatabase(empty)
  await dropDatabase(books)
})

const AWAY = 'postgres://bahi:secret@127.0.0.1:9/books'
const MISSING = () => Object.assign(new URL(empty), { pathname: '/no_such_books' }).href
const NONSENSE = 'DATABASE_URL: must be an address such as postgres://user:password@host:5432/bahi'
const NO_ANSWER = 'PostgreSQL does not answer at 127.0.0.1:9/books: connect ECONNREFUSED 127.0.0.1:9'

function run(program: string, url: string, more: NodeJS.ProcessEnv = {}): Promise<{ code: number; said: string }> {
  const [name, ...args] = program.split(' ')
  const env = { ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATA_DIR: '/nowhere', ...more }
  return new Promise((resolve) => {
    execFile(process.execPath, [`bin/${name}.ts`, ...args], { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
  })
}

test.each([
  ['migrate', () => 'nonsense', 2, NONSENSE],
  ['reseal', () => 'mysql://127.0.0.1/books', 2, `Invalid settings:\n  ${NONSENSE}`],
  ['migrate', () => AWAY, 1, NO_ANSWER],
  ['audit', () => AWAY, 1, NO_ANSWER],
  ['reseal', () => AWAY, 1, NO_ANSWER],
  ['migrate', MISSING, 1, expect.stringMatching(/^PostgreSQL at \S+\/no_such_books refuses: database "no_such_books" does not exist\n$/)],
  ['partner-key --name Asha', () => empty, 1, 'The schema is not that of this version (relation "partners" does not exist): run npm run migrate'],
  ['migrate --lock-seconds 60', () => empty, 2, expect.stringContaining('--lock-seconds are 0.1 to 8')],
])('%s, case %#', async (program, url, code, said) => {
  expect(await run(program, url())).toEqual({ code, said: typeof said === 'string' ? `${said}\n` : said })
})

test('the role of the service owns nothing, and is told who migrates', async () => {
  const { host, pathname } = new URL(books)
  const rest = 'Migrations run as the owner of the tables, and grant SERVICE_ROLE the rest (docs/running.md, "The roles in PostgreSQL")\n'
  const said = `PostgreSQL at ${host}${pathname} refuses: permission denied for schema public. ${rest}`
  expect(await run('migrate', asService(books))).toEqual({ code: 1, said })
})

test('the owner migrates, and grants the service what it needs', async () => {
  const said = `The schema is up to date.\n${SERVICE.name} may do what the service does.\n`
  expect(await run('migrate', books, { SERVICE_ROLE: SERVICE.name })).toEqual({ code: 0, said })
  const missing = expect.stringMatching(/^SERVICE_ROLE nobody_of_that_name: there is no such role: .*owns nothing\n$/)
  expect(await run('migrate', books, { SERVICE_ROLE: 'nobody_of_that_name' })).toEqual({ code: 1, said: missing })
})

test.each([
  ['audit', 'The books are in order.\n'],
  ['partner-key --name Asha', 'svc_'],
  ['reseal', '0 secrets of endpoints'],
])('the role of the service runs %s', async (program, said) => {
  expect(await run(program, asService(books))).toEqual({ code: 0, said: expect.stringContaining(said) })
})

test('the audit tells of a database that is older than the note in the blob store', async () => {
  const database = openDatabase({ url: books, pool: 1, name: 'audit test' })
  const storage = { AZURE_STORAGE_CONNECTION_STRING: process.env.TEST_AZURE_STORAGE_CONNECTION_STRING!, AZURE_STORAGE_CONTAINER: `audit-${randomBytes(6).toString('hex')}` }
  try {
    const { id } = await installationOf(database)
    const time = (await noteAlive(database))!
    const blobs = openBlobStore({ connectionString: storage.AZURE_STORAGE_CONNECTION_STRING, container: storage.AZURE_STORAGE_CONTAINER, publicUrl: null })
    await writeMark(blobs, { id, time })
    expect(await run('audit', books, storage)).toEqual({ code: 0, said: 'The books are in order.\n' })
    await writeMark(blobs, { id, time: new Date(time.getTime() + 3_600_000) })
    expect(await run('audit', books, storage)).toEqual({ code: 1, said: expect.stringMatching(/^The database is as of \S+, but the service ran until \S+: run npm run after-restore/) })
  } finally {
    await database.close()
  }
})
