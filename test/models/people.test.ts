// Persons, out of the users of an earlier version; passwords and how they are kept.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { checkPassword, hashOfPassword, isPassword } from '../../commands/people/passwords.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { migrate } from '../../models/migrate.ts'
import { dropDatabase, emptyDatabase } from '../fixtures/template.ts'

describe('the migration', () => {
  let url: string
  let database: Database
  const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => database.run({ name: '', text }, values)

  beforeAll(async () => {
    url = await emptyDatabase()
    await migrate(url, { to: '0037_logos.sql' })
    database = openDatabase({ url, pool: 1, name: 'people' })
    await sql(
      `INSERT INTO organizations (id, name, state_code, status, currency_code, fiscal_year_start_month, time_zone, sandbox, preferences, created_time, last_modified_time)
       SELECT gen_random_uuid(), name, 'IN-KA', 'ACTIVE', 'INR', 4, 'Asia/Kolkata', false, '{}', now(), now() FROM unnest(ARRAY['A', 'B']) AS name`)
    await sql(
      `INSERT INTO users (org_id, id, email, role, created_time)
       SELECT o.id, gen_random_uuid(), u.email, u.role, u.at::timestamptz FROM organizations AS o JOIN (VALUES
         ('A', 'Rekha@Foods.example', 'OWNER', '2026-01-02'), ('B', 'rekha@foods.example', 'MEMBER', '2026-01-01'), ('A', 'meena@foods.example', 'MEMBER', '2026-01-01'),
         ('A', 'owner@organization.invalid', 'OWNER', '2026-01-01'), ('B', 'Owner@organization.invalid', 'OWNER', '2026-01-01')) AS u (org, email, role, at) ON u.org = o.name`)
    await migrate(url)
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(url)
  })

  test('makes one person of an address, whatever its letters, and nobody of the address of nobody', async () => {
    expect(await sql(
      `SELECT o.name, u.email, u.role, p.email AS person FROM users AS u JOIN organizations AS o ON o.id = u.org_id LEFT JOIN people AS p ON p.id = u.person_id ORDER BY 1, lower(u.email)`)).toEqual([
      { name: 'A', email: 'meena@foods.example', role: 'VIEWER', person: 'meena@foods.example' },
      { name: 'A', email: 'owner@organization.invalid', role: 'OWNER', person: null },
      { name: 'A', email: 'rekha@foods.example', role: 'OWNER', person: 'rekha@foods.example' },
      { name: 'B', email: 'Owner@organization.invalid', role: 'OWNER', person: null },
      { name: 'B', email: 'rekha@foods.example', role: 'VIEWER', person: 'rekha@foods.example' },
    ])
    expect((await sql('SELECT FROM people')).length).toBe(2)
  })

  test('keeps the addresses of users and of their person the same', async () => {
    await sql(`UPDATE people SET email = 'rekha@foods.test' WHERE email = 'rekha@foods.example'`)
    expect(await sql(`SELECT DISTINCT email FROM users WHERE email LIKE 'rekha%'`)).toEqual([{ email: 'rekha@foods.test' }])
    await expect(sql(`UPDATE users SET email = 'other@foods.test' WHERE email LIKE 'meena%'`)).rejects.toMatchObject({ code: '23503' })
  })
})

describe('a password', () => {
  test('is kept as argon2id in the form of PHC, salted, and found again', async () => {
    const [one, other] = await Promise.all([hashOfPassword('tamarind river'), hashOfPassword('tamarind river')])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(other)
    expect([await isPassword('tamarind river', one), await isPassword('tamarind River', one), await isPassword('', one), await isPassword('tamarind river', null)]).toEqual([true, false, false, false])
  })

  // By the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
  test('is compared by the parameters of its hash', async () => {
    const kept = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect([await isPassword('password', kept), await isPassword('passwore', kept)]).toEqual([true, false])
  })

  test('is the same in every form of its letters', async () => {
    const kept = await hashOfPassword('caf\u00e9 manglore')
    expect(await isPassword('cafe\u0301 manglore', kept)).toBe(true)
  })

  test.each([
    ['ninechars', 'at least 10'], ['', 'at least 10'], ['🙂'.repeat(9), 'at least 10'], ['e\u0301'.repeat(9), 'at least 10'], ['x1'.repeat(101), 'at most 200'],
    ['Rekha@Foods.example', 'e-mail address'], ['password123', 'commonest'], ['QwertyUiop', 'commonest'], ['1234567890', 'commonest'], ['zzzzzzzzzzzz', 'commonest'],
    // In other forms of the same letters.
    ['\uff51\uff57\uff45\uff52\uff54\uff59uiop', 'commonest'],
  ])('%j is refused', (password, why) => {
    expect(() => checkPassword(password, 'rekha@foods.example')).toThrow(why)
  })

  test.each(['tamarind river', '🙂'.repeat(4) + 'saffron', 'मसाला चाय और पराठे गरम', 'correct horse battery staple'])('%j is accepted', (password) => {
    expect(() => checkPassword(password, 'rekha@foods.example')).not.toThrow()
  })
})
