// `npm run sql` and `npm run temporal`: what they hand on to PostgreSQL and to Temporal's CLI, and what they give back.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { dropDatabase, emptyDatabase } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'
import { until } from '../start/local-run.ts'

let url: string
let folder: string
beforeAll(async () => {
  url = await emptyDatabase()
  folder = mkdtempSync(join(tmpdir(), 'bahi-cli-'))
})
afterAll(async () => {
  await dropDatabase(url)
  rmSync(folder, { recursive: true })
})

interface Ran {
  code: number | null
  said: string
  complained: string
}

function start(program: string, args: string[], env: Record<string, string> = {}) {
  const { TEMPORAL_ADDRESS: _address, ...inherited } = process.env
  const child = spawn(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, env: { ...inherited, DATA_DIR: '/nowhere', ...env } })
  const ended: Promise<Ran> = Promise.all([text(child.stdout), text(child.stderr), new Promise<number | null>((resolve) => child.once('exit', resolve))])
    .then(([said, complained, code]) => ({ code, said, complained }))
  return { child, ended }
}

describe('npm run sql', () => {
  const sql = (statements: string[], input = '') => {
    const { child, ended } = start('sql', statements, { DATABASE_URL: url })
    child.stdin.end(input)
    return ended
  }

  test('prints rows in a table, and how many were changed', async () => {
    const statements = `CREATE TABLE goods (name text, price numeric);
      INSERT INTO goods VALUES ('Ruled "notebook"', 60.50), (E'two\\nlines \\x1b[2J', NULL);
      SELECT name, price FROM goods ORDER BY price NULLS LAST;
      DELETE FROM goods WHERE price IS NULL RETURNING name;
      SELECT name AS nobody FROM goods WHERE false`
    expect(await sql([], statements)).toEqual({
      code: 0,
      complained: '',
      said: [
        'CREATE', 'INSERT: 2 rows',
        'name               | price', '-------------------+------', 'Ruled "notebook"   | 60.50', 'two\\nlines \\x1b[2J |', '(2 rows)',
        'name', '------------------', 'two\\nlines \\x1b[2J', 'DELETE: 1 row', 'nobody', '------', '(0 rows)', '',
      ].join('\n'),
    })
    expect((await sql(['--csv', `SELECT 'a,b' AS "x, y", '' AS empty, NULL AS nothing, 'say "so"' AS quoted`])).said).toBe('"x, y",empty,nothing,quoted\n"a,b","",,"say ""so"""\n')
  })

  test('is one transaction, and shows where PostgreSQL does not understand', async () => {
    const { code, said, complained } = await sql(['CREATE TABLE never (id int);\nINSERT INTO never VALUES (1), (x)'])
    expect([code, said]).toEqual([1, ''])
    expect(complained).toBe('ERROR: column "x" does not exist\nLINE 2: INSERT INTO never VALUES (1), (x)\n                                       ^\nNothing was changed.\n')
    expect((await sql(['CREATE TABLE kept (id int); END; SELECT 1 / 0'])).complained).toMatch(/ERROR: division by zero\n$/)
    expect((await sql(["SELECT to_regclass('never') IS NULL AS gone"])).said).toContain('\nt\n')
  })

  test('says how it is used, where the database is not, and ends a statement when it is interrupted', async () => {
    expect(await sql(['SELECT 1', 'SELECT 2'])).toMatchObject({ code: 2, complained: expect.stringMatching(/^Usage: npm run sql/) })
    expect(await sql([])).toMatchObject({ code: 2 })
    const away = start('sql', ['SELECT 1'], { DATABASE_URL: 'postgres://bahi@127.0.0.1:9/books' })
    expect(await away.ended).toMatchObject({ code: 1, complained: 'PostgreSQL does not answer at 127.0.0.1:9/books: connect ECONNREFUSED 127.0.0.1:9\n' })

    const endless = start('sql', ["SELECT pg_sleep(3600) AS endless"], { DATABASE_URL: url })
    const running = async () => (await sql(["SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%AS endless' AND state = 'active' AND datname = current_database()"])).said.includes('\n    1\n')
    await until(running, 90_000, () => 'it does not begin')
    endless.child.kill('SIGINT')
    expect(await endless.ended).toMatchObject({ code: 1, complained: expect.stringContaining('canceling statement due to user request') })
    expect(await running()).toBe(false)
  })
})

describe('npm run temporal', () => {
  // In the place of the CLI, first on PATH: it says what it was given, and ends as it is told.
  const cli = (script: string) => {
    writeFileSync(join(folder, 'temporal'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return { PATH: `${folder}:${process.env.PATH}`, DATABASE_URL: url }
  }

  test('hands over its arguments, the server and a codec, and gives back the exit code', async () => {
    const env = cli('printf "%s\\n" "$TEMPORAL_ADDRESS" "$@"; curl -s -d "{}" "$TEMPORAL_CODEC_ENDPOINT/decode"; exit 7')
    const key = randomBytes(32).toString('base64')
    const { ended } = start('temporal', ['workflow', 'list', '--query', "WorkflowType = 'housekeeping'"], { ...env, TEMPORAL_ADDRESS: 'temporal:7233', ENCRYPTION_KEY: key })
    expect(await ended).toEqual({ code: 7, complained: '', said: `temporal:7233\nworkflow\nlist\n--query\nWorkflowType = 'housekeeping'\n{"payloads":[]}` })
  })

  test('uses the codec of the settings, and none where it is set to nothing or there is no key', async () => {
    const env = cli('echo "$' + '{TEMPORAL_CODEC_ENDPOINT-none}"')
    const said = async (settings: Record<string, string>) => (await start('temporal', [], { ...env, ...settings }).ended).said.trim()
    expect(await said({ TEMPORAL_CODEC_ENDPOINT: 'https://codec.example' })).toBe('https://codec.example')
    expect(await said({ TEMPORAL_CODEC_ENDPOINT: '', ENCRYPTION_KEY: randomBytes(32).toString('base64') })).toBe('none')
    expect(await said({})).toBe('none')
    expect(await start('temporal', [], { ...env, ENCRYPTION_KEY: 'short' }).ended).toMatchObject({ code: 2, complained: expect.stringMatching(/^Invalid settings:\n {2}ENCRYPTION_KEY: /) })
  })

  test('hands on a signal', async () => {
    const { child, ended } = start('temporal', [], cli('trap "echo interrupted; exit 5" INT; echo begun; while :; do sleep 0.05; done'))
    child.stdout.once('data', () => child.kill('SIGINT'))
    expect(await ended).toMatchObject({ code: 5, said: 'begun\ninterrupted\n' })
  })
})
