// The backups of docs/running.md as they are printed, with the programs of a PostgreSQL as a distribution installs it.
// They are the roles, the archive of the log, a recovery to a point in time, and a dump.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, jest, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { chooseAccount } from '../../bin/services/postgres-account.ts'
import { readLocalRun } from '../../settings.ts'
import { fencesOf } from '../docs/examples.ts'
import { ROOT } from '../fixtures/root.ts'
import { commandsOf } from './runbook-commands.ts'

jest.setTimeout(180_000)

const PROGRAMS = ['initdb', 'pg_ctl', 'psql', 'pg_basebackup', 'pg_dump', 'pg_restore']
const DEBIAN = '/usr/lib/postgresql'
const local = readLocalRun()
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')).toSorted().toReversed() : []
const bin = [...versions, ...local.path].find((one) => PROGRAMS.every((name) => existsSync(join(one, name))))

const of = (section: string) => commandsOf('docs/running.md').filter((command) => command.section === section).map(({ text }) => text)
const ROLES = of('The roles in PostgreSQL')
const POINT_IN_TIME = of('To a point in time')
const DUMP = of('By a dump')

test('the commands are those that this test knows', () => {
  expect([ROLES, POINT_IN_TIME, DUMP].map((commands) => commands.map((text) => text.replace(/^(\S+=\S+ )*/, '').split(' ').slice(0, 3).join(' ')))).toEqual([
    ['npm run migrate', 'npm run api'],
    ['psql -c "ALTER', 'pg_basebackup -D /backup/base-$(date', 'cp -a /backup/base-2026-11-23/.', 'cat >> "$PGDATA/postgresql.auto.conf"', 'touch "$PGDATA/recovery.signal"', 'pg_ctl -D "$PGDATA"'],
    ['pg_dump --format=custom --file=/backup/bahi.dump', 'pg_restore --no-owner --exit-on-error'],
  ])
})

// With CI=true programs that are missing are a failure, not a reason to pass.
if (bin || local.ci) withPrograms(bin ?? DEBIAN)
else console.warn('PostgreSQL with its client programs is not installed: the backups of docs/running.md are NOT tried (apt-get install postgresql).')

function withPrograms(bin: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'bahi-backups-'))
  const data = join(folder, 'data')
  const passwords = { bahi: randomBytes(9).toString('hex'), bahi_service: randomBytes(9).toString('hex') }
  const env: NodeJS.ProcessEnv = {
    ...process.env, PATH: `${bin}:${process.env.PATH}`, LC_ALL: 'C', PGDATA: data, PGHOST: '127.0.0.1', PGUSER: 'postgres', PGDATABASE: 'postgres',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'), AZURE_STORAGE_CONNECTION_STRING: '', PORT: '0',
  }
  const urlOf = (role: keyof typeof passwords, database: string) => `postgres://${role}:${passwords[role]}@127.0.0.1:${env.PGPORT}/${database}`
  const printed = (line: string) => line.replaceAll('/backup', join(folder, 'backup')).replaceAll('2026-11-23/', `${new Date().toISOString().slice(0, 10)}/`)
    .replace('<password>@<host>', `${line.includes('//bahi_service:') ? passwords.bahi_service : passwords.bahi}@127.0.0.1:${env.PGPORT}`)

  /** Types the line as the user that PostgreSQL runs as; with `until`, ends it when it has said that. */
  async function type(line: string, more: NodeJS.ProcessEnv = {}, until?: RegExp): Promise<string> {
    const account = await chooseAccount(join(bin, 'postgres'), data)
    const { command, args } = account.wrap('bash', ['-o', 'pipefail', '-c', line])
    const child = spawn(command, args, { cwd: ROOT, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        said += part.toString()
        if (until?.test(said)) process.kill(-child.pid!, 'SIGTERM')
      })
    }
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
    if (until ? !until.test(said) : code !== 0) throw new Error(`${line}\nended with ${code}:\n${said}`)
    return said
  }
  const ask = async (sql: string) => (await type(`psql -AtXc "${sql}"`)).trim()
  const server = (verb: string) => type(`pg_ctl -D "$PGDATA" -w -m fast -l ${folder}/server.log ${verb}`)
  const partner = (name: string) => type(`npm run partner-key -- --name ${name}`, { DATABASE_URL: urlOf('bahi_service', 'bahi') })
  const partners = (url: string) => type(`npm run --silent partner-key -- list`, { DATABASE_URL: url })

  afterAll(async () => {
    await server('stop').catch(() => undefined)
    rmSync(folder, { recursive: true })
  })

  test('the roles are made, the owner migrates, and the API serves as the other', async () => {
    env.PGPORT = String(await freePort(undefined))
    await type('initdb -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync')
    appendFileSync(join(data, 'postgresql.conf'), `port = ${env.PGPORT}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n`)
    await server('start')
    const [roles] = fencesOf('docs/running.md').filter(({ info }) => info[0] === 'sql')
    const sql = roles!.text.replace('<password of the owner>', passwords.bahi).replace('<password of the service>', passwords.bahi_service)
    await type(`psql -v ON_ERROR_STOP=1 <<'END'\n${sql}END`)
    const [migrate, api] = ROLES
    expect(await type(printed(migrate!))).toContain('bahi_service may do what the service does.')
    await type(printed(api!), {}, /"listening"/)
  })

  test('a recovery to a point in time has what was committed until then, and nothing of later', async () => {
    const [archive, base, ...restore] = POINT_IN_TIME
    mkdirSync(join(folder, 'backup', 'wal'), { recursive: true })
    await type(printed(archive!))
    await server('restart')
    await partner('Before')
    await type(printed(base!))
    await partner('Meanwhile')
    const target = await ask('SELECT clock_timestamp()')
    await partner('Mistake')
    const last = await ask('SELECT pg_walfile_name(pg_switch_wal())')
    while ((await ask('SELECT last_archived_wal FROM pg_stat_archiver')) < last) await delay(100)
    await server('stop')
    renameSync(data, `${data}.lost`)
    mkdirSync(data, { mode: 0o700 })
    for (const line of restore) await type(`${printed(line.replace('2026-11-23 04:30:00+00', target))} > ${folder}/server.log 2>&1`.replace(/END > .*$/, 'END'))
    const url = urlOf('bahi_service', 'bahi')
    while ((await ask('SELECT pg_is_in_recovery()').catch(() => 't')) === 't') await delay(100)
    expect((await partners(url)).match(/Before|Meanwhile|Mistake/g)).toEqual(['Before', 'Meanwhile'])
    await type('npm run migrate', { DATABASE_URL: urlOf('bahi', 'bahi'), SERVICE_ROLE: 'bahi_service' })
    expect(await type('npm run after-restore', { DATABASE_URL: url })).toContain('Skipped 0 numbers')
    expect(await type('npm run audit', { DATABASE_URL: url })).toContain('The books are in order.')
  })

  test('a dump by the role of the service is restored by the owner, grants included', async () => {
    const [dump, restore] = DUMP
    await type(printed(dump!), { DATABASE_URL: urlOf('bahi_service', 'bahi') })
    await ask('CREATE DATABASE other OWNER bahi')
    await type(printed(restore!), { DATABASE_URL: urlOf('bahi', 'other') })
    expect((await partners(urlOf('bahi_service', 'other'))).match(/Before|Meanwhile/g)).toHaveLength(2)
    expect(await type('npm run migrate', { DATABASE_URL: urlOf('bahi', 'other'), SERVICE_ROLE: 'bahi_service' })).toContain('The schema is up to date.')
  })
}
