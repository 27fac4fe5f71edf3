// The role of the API and the worker: what it may do is decided for every table, and it can change nothing but rows.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { urlFor } from '../../bin/services/local-roles.ts'
import { migrate } from '../../models/migrate.ts'
import { SERVICE_MAY } from '../../models/service-role.ts'
import { SOURCES } from '../house/sources.ts'
import { asService, cloneDatabase, dropDatabase, emptyDatabase, SERVICE } from '../fixtures/template.ts'

let url: string
let owner: pg.Client
let service: pg.Client

async function connected(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  return client
}

beforeAll(async () => {
  url = await cloneDatabase()
  owner = await connected(url)
  service = await connected(asService(url))
})
afterAll(async () => {
  await service.end()
  await owner.end()
  await dropDatabase(url)
})

const GRANTED = `SELECT c.relname AS name, string_agg(a.privilege_type || coalesce(' (' || a.attname || ')', ''), ', '
    ORDER BY array_position(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'], a.privilege_type)) AS may
  FROM pg_class AS c LEFT JOIN (
    SELECT k.oid, NULL AS attname, a.* FROM pg_class AS k, aclexplode(k.relacl) AS a
    UNION ALL SELECT k.attrelid, k.attname, a.* FROM pg_attribute AS k, aclexplode(k.attacl) AS a
  ) AS a ON a.oid = c.oid AND a.grantee = $1::regrole
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') GROUP BY c.relname`
const granted = async () =>
  Object.fromEntries((await owner.query<{ name: string; may: string | null }>(GRANTED, [SERVICE.name])).rows.map(({ name, may }) => [name, may]))

test('what the service may do is decided for every table, and is what it is granted', async () => {
  // A new table gets its line in SERVICE_MAY: as little as its statements need.
  expect(await granted()).toEqual(SERVICE_MAY)
})

test('every statement may do what it does', () => {
  const VERBS = { 'INSERT INTO': 'INSERT', UPDATE: 'UPDATE', 'DELETE FROM': 'DELETE' } as const
  // Migrations run as the owner.
  const sources = SOURCES.filter(({ path }) => /^(models|commands|reports|audit|worker|activities)\//.test(path) && path !== 'models/migrate.ts')
  const wanted = sources.flatMap(({ path, text }) => [...text.matchAll(/\b(INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)\b(?= |$)/gm)]
    .filter(([, , table = '']) => table in SERVICE_MAY).map(([, verb, table = '']) => ({ path, table, needs: VERBS[verb as keyof typeof VERBS] })))
  expect(wanted.length).toBeGreaterThan(50)
  expect(wanted.filter(({ table, needs }) => !new RegExp(`${needs}(?! \\()`).test(SERVICE_MAY[table]!))).toEqual([])
})

test('the ledger, its numbers and the log of activity are only ever added to', () => {
  const { journals, journal_lines, activity, number_gaps, schema_migrations } = SERVICE_MAY
  expect([journal_lines, activity, number_gaps]).toEqual(Array(3).fill('SELECT, INSERT'))
  expect([journals, schema_migrations]).toEqual(['SELECT, INSERT, UPDATE (memo)', 'SELECT'])
})

describe('the service is refused', () => {
  const refusal = (statement: string) => service.query(statement).then(() => 'done', ({ code, message }: pg.DatabaseError) => `${code} ${message}`)

  test.each([
    ['ALTER TABLE journal_lines DISABLE TRIGGER ALL', '42501 must be owner of table journal_lines'],
    ['ALTER TABLE journal_lines DISABLE TRIGGER journal_lines_unchanged', '42501 must be owner of table journal_lines'],
    ['SET session_replication_role = replica', '42501 permission denied to set parameter "session_replication_role"'],
    ['DROP TRIGGER journals_append_only ON journals', '42501 must be owner of relation journals'],
    ['CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$', '42501 permission denied for schema public'],
    ['DROP FUNCTION refuse_change() CASCADE', '42501 must be owner of function refuse_change'],
    ['DROP TABLE journal_lines', '42501 must be owner of table journal_lines'],
    ['ALTER TABLE journals ADD COLUMN mine text', '42501 must be owner of table journals'],
    ['CREATE TABLE mine (id integer)', '42501 permission denied for schema public'],
    ['CREATE TRIGGER mine BEFORE INSERT ON journals FOR EACH ROW EXECUTE FUNCTION refuse_change()', '42501 permission denied for table journals'],
    ['TRUNCATE journals, journal_lines', '42501 permission denied for table journals'],
    ['TRUNCATE process_heartbeats', '42501 permission denied for table process_heartbeats'],
    ['UPDATE journal_lines SET debit = 1', '42501 permission denied for table journal_lines'],
    ['DELETE FROM journal_lines', '42501 permission denied for table journal_lines'],
    ['UPDATE journals SET date = current_date', '42501 permission denied for table journals'],
    ["UPDATE journals SET memo = ''", '23000 journals is append-only: UPDATE refused'],
    ['DELETE FROM journals', '42501 permission denied for table journals'],
    ['UPDATE activity SET occurred_at = now()', '42501 permission denied for table activity'],
    ['DELETE FROM activity', '42501 permission denied for table activity'],
    ['DELETE FROM organizations', '42501 permission denied for table organizations'],
    ['DELETE FROM tokens', '42501 permission denied for table tokens'],
    ['INSERT INTO schema_migrations (name, sha256) VALUES ($$x$$, $$x$$)', '42501 permission denied for table schema_migrations'],
    ['CREATE ROLE mine SUPERUSER', '42501 permission denied to create role'],
    ['GRANT pg_write_all_data TO bahi_service', '42501 permission denied to grant role "pg_write_all_data"'],
    ["COPY journals TO PROGRAM 'true'", '42501 permission denied to COPY to or from an external program'],
  ])('%s', async (statement, why) => expect(await refusal(statement)).toBe(why))
})

describe('a migration with SERVICE_ROLE', () => {
  const mayRead = async (address: string) => {
    const client = await connected(address)
    try {
      return (await client.query('SELECT FROM organizations')).rowCount
    } finally {
      await client.end()
    }
  }

  test('grants it all that it needs where the schema is there already', async () => {
    const older = await emptyDatabase()
    try {
      await migrate(older)
      await expect(mayRead(asService(older))).rejects.toThrow('permission denied for table organizations')
      expect(await migrate(older, { service: { name: SERVICE.name, password: null } })).toEqual([])
      expect(await mayRead(asService(older))).toBe(0)
    } finally {
      await dropDatabase(older)
    }
  })

  test('takes away what was granted beyond that', async () => {
    await owner.query(`GRANT ALL ON journals, journal_lines TO ${SERVICE.name}`)
    expect((await granted()).journal_lines).toMatch(/DELETE/)
    await migrate(url, { service: { name: SERVICE.name, password: null } })
    expect(await granted()).toEqual(SERVICE_MAY)
  })

  test('of an older version takes nothing away from those that run beside it', async () => {
    await owner.query(`INSERT INTO schema_migrations (name, sha256) VALUES ('9001_later.sql', 'later'); GRANT DELETE ON tokens TO ${SERVICE.name}`)
    const told: string[] = []
    await migrate(url, { service: { name: SERVICE.name, password: null }, tell: (line) => told.push(line) })
    expect([(await granted()).tokens, told]).toEqual([expect.stringContaining('DELETE'), [expect.stringContaining('newer than this version (9001_later.sql)')]])
    await owner.query(`DELETE FROM schema_migrations WHERE name = '9001_later.sql'`)
    await migrate(url, { service: { name: SERVICE.name, password: null } })
    expect(await granted()).toEqual(SERVICE_MAY)
  })

  test('does not forget a table that nobody has decided about', async () => {
    await owner.query('CREATE TABLE forgotten (id integer)')
    expect((await granted()).forgotten).toBe('SELECT, INSERT, UPDATE, DELETE')
    await owner.query('DROP TABLE forgotten')
  })

  test('makes the role with its password, and sets a new one', async () => {
    const role = { name: `bahi_${url.slice(-12)}`, password: 'first-password' }
    await migrate(url, { service: role })
    expect(await mayRead(urlFor(role, url))).toBe(0)
    await migrate(url, { service: { ...role, password: 'second-password' } })
    await expect(mayRead(urlFor(role, url))).rejects.toThrow('password authentication failed')
    expect(await mayRead(urlFor({ ...role, password: 'second-password' }, url))).toBe(0)
    await owner.query(`DROP OWNED BY ${role.name}`)
    await owner.query(`DROP ROLE ${role.name}`)
  })

  test.each([
    ['that owns the tables', () => owner.user!, /^SERVICE_ROLE \w+: it is a superuser.*owns nothing$/],
    ['that is missing', () => 'nobody_of_that_name', /^SERVICE_ROLE nobody_of_that_name: there is no such role: make it, or set SERVICE_PASSWORD/],
  ])('refuses one %s', async (_which, name, why) => {
    await expect(migrate(url, { service: { name: name(), password: null } })).rejects.toThrow(why)
  })

  test('refuses one that could do more by another role, and grants it nothing', async () => {
    const [other, member] = [`other_${url.slice(-12)}`, `member_${url.slice(-12)}`]
    const refusal = (change: string) => owner.query(change).then(() => migrate(url, { service: { name: member, password: null } })).then(() => 'granted', ({ message }: Error) => message.split(': ')[1])
    const why = [
      await refusal(`CREATE ROLE ${other}; CREATE ROLE ${member} IN ROLE ${other}; ALTER TABLE sign_ins OWNER TO ${other}`),
      await refusal(`REASSIGN OWNED BY ${other} TO CURRENT_USER; ALTER SCHEMA public OWNER TO ${other}`),
      await refusal(`ALTER SCHEMA public OWNER TO pg_database_owner; GRANT pg_write_server_files TO ${other}`),
      await refusal(`REVOKE pg_write_server_files FROM ${other}; GRANT pg_write_all_data TO ${other}`),
      await refusal(`REVOKE pg_write_all_data FROM ${other}; GRANT TRUNCATE ON activity TO ${other}`),
      await refusal(`REVOKE TRUNCATE ON activity FROM ${other}; GRANT DELETE ON journal_lines TO PUBLIC`),
    ]
    const { rows } = await owner.query(`SELECT FROM pg_class WHERE relacl::text LIKE '%${member}%'`)
    const last = await refusal('REVOKE DELETE ON journal_lines FROM PUBLIC')
    await owner.query(`DROP OWNED BY ${member}; DROP ROLE ${member}; DROP OWNED BY ${other}; DROP ROLE ${other}`)
    expect(why).toEqual([
      'it owns sign_ins, or is a member of the role that does. The service runs as a role that owns nothing',
      'it owns the schema, or is a member of the role that does. The service runs as a role that owns nothing',
      'it is a member of pg_write_server_files. The service runs as a role that owns nothing',
      expect.stringMatching(/^it may (INSERT|UPDATE|DELETE) \w+, by a role that it is a member of/),
      expect.stringMatching(/^it may TRUNCATE activity, by a role/),
      expect.stringMatching(/^it may DELETE journal_lines, .*PUBLIC/),
    ])
    expect([rows, last]).toEqual([[], 'granted'])
  })
})
